//! When things happen: queues, waiting, and constructs that the host runs in the device's place.

use std::cell::RefCell;
use std::ptr;

use super::{Runtime, located, lock};
use crate::descriptor::SiteDescriptor;
use crate::device::{Device, DeviceError, Queue};
use crate::failure::Failure;
use crate::present::on_host::{self, Exchanged};
use crate::profiling::{self, About, Event};
use crate::queue::{current, set_current, set_current_argument, wait_for_queue};

thread_local! {
    /// What the host had, for the constructs around that it runs in the device's place.
    static EXCHANGED: RefCell<Vec<Exchanged>> = const { RefCell::new(Vec::new()) };
}

impl Runtime {
    /// Puts what this thread does next into the queue that an `async` clause names.
    pub fn queue_begin(&self, site: &SiteDescriptor, argument: i32) -> Result<(), Failure> {
        // What is compared is waited for.
        if let Some(device) = self.device().filter(|_| self.config.compare.is_none()) {
            let queue = lock(&self.place().queues).named(device, argument);
            set_current(queue.map_err(|error| located(error, site))?);
            set_current_argument(argument);
        }
        Ok(())
    }

    /// What this thread does next waits again until it is done.
    pub fn queue_end(&self) {
        set_current(Queue::SYNC);
    }

    /// Waits for queues, by the numbers of `async` clauses; without any, for all: the host does, or
    /// what comes next in the current queue.
    pub fn wait(&self, site: &SiteDescriptor, arguments: &[i32]) -> Result<(), Failure> {
        let Some(device) = self.device() else { return Ok(()) };
        profiling::during(Event::WaitStart, site, self.on(device), About::Other, || {
            self.wait_on(device, site, arguments)
        })
    }

    fn wait_on(
        &self,
        device: &dyn Device,
        site: &SiteDescriptor,
        arguments: &[i32],
    ) -> Result<(), Failure> {
        let queues = lock(&self.place().queues);
        let waited: Vec<Queue> = match arguments {
            [] => queues.all().collect(),
            arguments => {
                // A queue that nothing was ever put into is done.
                arguments
                    .iter()
                    .map(|&argument| queues.known(argument))
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|error| located(error, site))?
                    .into_iter()
                    .flatten()
                    .collect()
            }
        };
        drop(queues);
        let current = current();
        for queue in waited.into_iter().filter(|&queue| queue != current) {
            let done = if current == Queue::SYNC {
                device.synchronize(queue).and_then(|()| self.settle(device, queue))
            } else {
                wait_for_queue(device, current, queue)
            };
            done.map_err(|error| located(error, site))?;
        }
        if current == Queue::SYNC {
            device.synchronize(current).map_err(|error| located(error, site))?;
        }
        Ok(())
    }

    /// Whether a queue is done; without its number, whether all are.
    pub fn test(&self, site: &SiteDescriptor, argument: Option<i32>) -> Result<bool, Failure> {
        let Some(device) = self.device() else { return Ok(true) };
        let queues = lock(&self.place().queues);
        let asked: Vec<Queue> = match argument {
            None => queues.all().chain([Queue::SYNC]).collect(),
            Some(argument) => {
                queues.known(argument).map_err(|error| located(error, site))?.into_iter().collect()
            }
        };
        drop(queues);
        let mut all = true;
        for queue in asked {
            let idle = device.is_idle(queue).map_err(|error| located(error, site))?;
            if idle {
                self.settle(device, queue).map_err(|error| located(error, site))?;
            }
            all &= idle;
        }
        Ok(all)
    }

    fn settle(&self, device: &dyn Device, queue: Queue) -> Result<(), DeviceError> {
        lock(&self.place().state).memory.settle(device, queue)
    }

    /// A construct that the compiler has left to the host begins: the host gets the device's data, when
    /// everything before is done.
    pub fn host_begin(&self, site: &SiteDescriptor) -> Result<(), Failure> {
        if !self.config.quiet && lock(&self.noticed).insert(ptr::from_ref(site) as usize) {
            let notice = on_host::notice(&site.construct());
            crate::failure::show(&site.locate(notice, 0));
        }
        self.wait(site, &[])?;
        let exchanged = match self.device() {
            Some(device) => self.environment(device, site, |environment| environment.to_host())?,
            None => Exchanged::default(),
        };
        EXCHANGED.with_borrow_mut(|stack| stack.push(exchanged));
        Ok(())
    }

    /// Such a construct ends: the device gets what the host has made of its data.
    pub fn host_end(&self, site: &SiteDescriptor) -> Result<(), Failure> {
        let exchanged = EXCHANGED.with_borrow_mut(Vec::pop).unwrap_or_default();
        match self.device() {
            Some(device) => {
                self.environment(device, site, |environment| environment.from_host(exchanged))
            }
            None => Ok(()),
        }
    }
}
