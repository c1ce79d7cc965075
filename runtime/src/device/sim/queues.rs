//! Queues of the simulator. What is put into one is carried out when somebody waits for it, or asks
//! whether it is done.
//!
//! That is the latest moment that the order of a queue allows, and always the same one: a program
//! that forgets to wait sees so on every run, and not only on a busy GPU.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use crate::device::{DeviceError, EventId, Queue};

/// An operation that is still to come.
pub(super) type Work = Box<dyn FnOnce() -> Result<(), DeviceError> + Send>;

enum Step {
    Work(Work),
    Record(Arc<Event>),
    Wait(Arc<Event>),
}

/// One queue.
#[derive(Default)]
struct Line {
    steps: VecDeque<Step>,
    /// What went wrong first: the rest of the queue is left out, and whoever waits is told.
    failed: Option<DeviceError>,
    gone: bool,
}

/// A place in a queue.
struct Event {
    queue: Queue,
    reached: OnceLock<Instant>,
}

#[derive(Default)]
struct State {
    /// Queue `n + 1`; [`Queue::SYNC`] has nothing to come.
    lines: Vec<Line>,
    events: Vec<Option<Arc<Event>>>,
}

/// All queues of a device.
#[derive(Default)]
pub(super) struct Queues {
    state: Mutex<State>,
    /// Held by the host thread that carries steps out, one at a time: queues may wait for each other.
    turn: Mutex<()>,
    /// Held by what [`Queue::SYNC`] does: threads of the host that use it come one after another there too.
    sync: Mutex<()>,
}

/// A lock whose holder cannot leave it half changed, so poison says nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn line(&mut self, queue: Queue) -> Result<&mut Line, DeviceError> {
        let index = (queue.0 as usize).checked_sub(1);
        let line = index.and_then(|index| self.lines.get_mut(index)).filter(|line| !line.gone);
        line.ok_or_else(|| DeviceError::Invalid(format!("there is no queue {}", queue.0)))
    }

    fn event(&self, event: EventId) -> Result<Arc<Event>, DeviceError> {
        let found = self.events.get(event.0 as usize).cloned().flatten();
        found.ok_or_else(|| DeviceError::Invalid(format!("there is no event {}", event.0)))
    }
}

impl Queues {
    /// Carries an operation out: at once in [`Queue::SYNC`], later in all others.
    pub(super) fn put(
        &self,
        queue: Queue,
        work: impl FnOnce() -> Result<(), DeviceError> + Send + 'static,
    ) -> Result<(), DeviceError> {
        if queue == Queue::SYNC {
            return self.now(queue, work);
        }
        lock(&self.state).line(queue)?.steps.push_back(Step::Work(Box::new(work)));
        Ok(())
    }

    /// Carries an operation out when all before it in its queue is done, which is now.
    pub(super) fn now<T>(
        &self,
        queue: Queue,
        work: impl FnOnce() -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        if queue == Queue::SYNC {
            let _sync = lock(&self.sync);
            return work();
        }
        let _turn = lock(&self.turn);
        self.carry_out(queue, None)?;
        work()
    }

    /// Whether nothing is to come in a queue.
    pub(super) fn is_empty(&self, queue: Queue) -> bool {
        lock(&self.state)
            .line(queue)
            .is_ok_and(|line| line.steps.is_empty() && line.failed.is_none())
    }

    /// Makes a queue.
    pub(super) fn create(&self) -> Queue {
        let mut state = lock(&self.state);
        state.lines.push(Line::default());
        Queue(state.lines.len() as u32)
    }

    /// Waits for a queue and ends it.
    pub(super) fn destroy(&self, queue: Queue) -> Result<(), DeviceError> {
        if queue == Queue::SYNC {
            return Ok(());
        }
        self.finish(queue)?;
        lock(&self.state).line(queue)?.gone = true;
        Ok(())
    }

    /// Carries out all that is in a queue.
    pub(super) fn finish(&self, queue: Queue) -> Result<(), DeviceError> {
        if queue == Queue::SYNC {
            return Ok(());
        }
        let _turn = lock(&self.turn);
        self.carry_out(queue, None)
    }

    /// Whether nothing is in a queue, after a step of it: who asks in a loop gets to its end.
    pub(super) fn advance(&self, queue: Queue) -> Result<bool, DeviceError> {
        if queue == Queue::SYNC {
            return Ok(true);
        }
        let _turn = lock(&self.turn);
        let step = lock(&self.state).line(queue)?.steps.pop_front();
        if let Some(step) = step {
            self.step(queue, step)?;
        }
        let mut state = lock(&self.state);
        let line = state.line(queue)?;
        line.failed.take().map_or(Ok(line.steps.is_empty()), Err)
    }

    /// Makes an event at the end of a queue.
    pub(super) fn record(&self, queue: Queue) -> Result<EventId, DeviceError> {
        let mut state = lock(&self.state);
        let event = Arc::new(Event { queue, reached: OnceLock::new() });
        if queue == Queue::SYNC {
            event.reached.get_or_init(Instant::now);
        } else {
            state.line(queue)?.steps.push_back(Step::Record(Arc::clone(&event)));
        }
        state.events.push(Some(event));
        Ok(EventId(state.events.len() as u32 - 1))
    }

    /// Lets a queue wait for an event.
    pub(super) fn wait(&self, queue: Queue, event: EventId) -> Result<(), DeviceError> {
        if queue == Queue::SYNC {
            return self.reach(event).map(drop);
        }
        let mut state = lock(&self.state);
        let event = state.event(event)?;
        state.line(queue)?.steps.push_back(Step::Wait(event));
        Ok(())
    }

    /// Carries out all that is in front of an event; when that was done.
    pub(super) fn reach(&self, event: EventId) -> Result<Instant, DeviceError> {
        let _turn = lock(&self.turn);
        let event = lock(&self.state).event(event)?;
        self.carry_out_before(&event)?;
        Ok(*event.reached.get_or_init(Instant::now))
    }

    /// Forgets an event. What waits for it already still does.
    pub(super) fn forget(&self, event: EventId) -> Result<(), DeviceError> {
        let mut state = lock(&self.state);
        state.event(event)?;
        state.events[event.0 as usize] = None;
        Ok(())
    }

    fn carry_out_before(&self, event: &Event) -> Result<(), DeviceError> {
        match event.reached.get() {
            Some(_) => Ok(()),
            None => self.carry_out(event.queue, Some(event)),
        }
    }

    /// Carries out a queue, up to an event where one is given. The caller holds `turn`.
    fn carry_out(&self, queue: Queue, until: Option<&Event>) -> Result<(), DeviceError> {
        while until.is_none_or(|event| event.reached.get().is_none()) {
            let step = {
                let mut state = lock(&self.state);
                let line = state.line(queue)?;
                match line.steps.pop_front() {
                    Some(step) => step,
                    None => return line.failed.take().map_or(Ok(()), Err),
                }
            };
            self.step(queue, step)?;
        }
        Ok(())
    }

    /// Carries out one step. An event that it waits for was recorded before it was put here, so what
    /// stands in front of that event is never behind this step: queues cannot wait in a circle.
    fn step(&self, queue: Queue, step: Step) -> Result<(), DeviceError> {
        match step {
            Step::Work(work) => {
                let fails = lock(&self.state).line(queue)?.failed.is_some();
                if !fails && let Err(error) = work() {
                    lock(&self.state).line(queue)?.failed = Some(error);
                }
                Ok(())
            }
            Step::Record(event) => {
                event.reached.get_or_init(Instant::now);
                Ok(())
            }
            Step::Wait(event) => self.carry_out_before(&event),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn note(
        log: &Arc<Mutex<Vec<u32>>>,
        what: u32,
    ) -> impl FnOnce() -> Result<(), DeviceError> + Send + use<> {
        let log = Arc::clone(log);
        move || {
            lock(&log).push(what);
            Ok(())
        }
    }

    #[test]
    fn work_is_done_in_order_when_somebody_waits() {
        let (queues, log) = (Queues::default(), Arc::default());
        let queue = queues.create();
        for i in 1..=3 {
            queues.put(queue, note(&log, i)).unwrap();
        }
        queues.put(Queue::SYNC, note(&log, 0)).unwrap();
        assert_eq!(*lock(&log), [0]);
        assert!(!queues.advance(queue).unwrap());
        assert_eq!(*lock(&log), [0, 1]);
        queues.finish(queue).unwrap();
        assert_eq!(*lock(&log), [0, 1, 2, 3]);
        assert!(queues.advance(queue).unwrap());
    }

    #[test]
    fn queues_wait_for_each_other() {
        let (queues, log) = (Queues::default(), Arc::default());
        let (a, b) = (queues.create(), queues.create());
        queues.put(a, note(&log, 1)).unwrap();
        let event = queues.record(a).unwrap();
        queues.put(a, note(&log, 9)).unwrap();
        queues.wait(b, event).unwrap();
        queues.put(b, note(&log, 2)).unwrap();
        let back = queues.record(b).unwrap();
        queues.wait(a, back).unwrap();
        queues.put(a, note(&log, 10)).unwrap();
        queues.finish(b).unwrap();
        assert_eq!(*lock(&log), [1, 2]);
        queues.finish(a).unwrap();
        assert_eq!(*lock(&log), [1, 2, 9, 10]);
        queues.forget(event).unwrap();
        assert!(queues.reach(event).is_err());
    }

    #[test]
    fn what_fails_ends_its_queue_and_is_told_once() {
        let (queues, log) = (Queues::default(), Arc::default());
        let queue = queues.create();
        queues.put(queue, || Err(DeviceError::Invalid("no".to_owned()))).unwrap();
        queues.put(queue, note(&log, 1)).unwrap();
        assert!(queues.finish(queue).is_err());
        assert!(lock(&log).is_empty());
        queues.finish(queue).unwrap();
        queues.destroy(queue).unwrap();
        assert!(queues.finish(queue).is_err());
    }
}
