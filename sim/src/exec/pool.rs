//! Host threads that help with launches. They are made when they are first needed, and stay.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// More threads than this are not made, whatever a launch asks for.
const MAX_THREADS: usize = 255;

/// Processors of the host, asked for once: the answer costs more than an empty launch.
pub(crate) fn processors() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// What helpers run, until the crew that it belongs to ends.
#[derive(Clone, Copy)]
struct Work(*const (dyn Fn() + Sync));

// SAFETY: the closure is `Sync`, and `Crew::end` waits for everyone who uses it.
unsafe impl Send for Work {}

struct Job {
    id: u64,
    work: Work,
    /// Helpers that may still come.
    wanted: usize,
    active: usize,
    panic: Option<Box<dyn Any + Send>>,
}

#[derive(Default)]
struct Jobs {
    open: Vec<Job>,
    threads: usize,
    idle: usize,
    next: u64,
}

struct Pool {
    jobs: Mutex<Jobs>,
    called: Condvar,
    finished: Condvar,
}

static POOL: Pool = Pool {
    jobs: Mutex::new(Jobs { open: Vec::new(), threads: 0, idle: 0, next: 0 }),
    called: Condvar::new(),
    finished: Condvar::new(),
};

impl Pool {
    // Work runs outside the lock, so that no panic leaves it half changed.
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a helper.
    fn help(&self) {
        let mut jobs = self.jobs();
        loop {
            let Some(job) = jobs.open.iter_mut().find(|job| job.wanted > 0) else {
                jobs.idle += 1;
                jobs = self.called.wait(jobs).unwrap_or_else(PoisonError::into_inner);
                jobs.idle -= 1;
                continue;
            };
            job.wanted -= 1;
            job.active += 1;
            let (id, work) = (job.id, job.work);
            drop(jobs);
            // SAFETY: the job is active, so its crew has not ended.
            let result = catch_unwind(AssertUnwindSafe(|| unsafe { (*work.0)() }));
            jobs = self.jobs();
            if let Some(job) = jobs.open.iter_mut().find(|job| job.id == id) {
                job.active -= 1;
                job.panic = result.err().or(job.panic.take());
            }
            self.finished.notify_all();
        }
    }
}

/// The caller of some work and those who help it.
pub(crate) struct Crew<'w> {
    work: &'w (dyn Fn() + Sync),
    helpers: usize,
    called: AtomicBool,
    id: Mutex<Option<u64>>,
}

impl<'w> Crew<'w> {
    /// A crew of the caller alone, who may call up to `helpers` others.
    pub(crate) fn new(work: &'w (dyn Fn() + Sync), helpers: usize) -> Crew<'w> {
        Crew { work, helpers, called: AtomicBool::new(helpers == 0), id: Mutex::new(None) }
    }

    /// Calls the helpers, the first time.
    pub(crate) fn call(&self) {
        if self.called.load(Ordering::Relaxed) || self.called.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut jobs = POOL.jobs();
        let id = jobs.next;
        jobs.next += 1;
        let work: *const (dyn Fn() + Sync + 'w) = self.work;
        // SAFETY: only the lifetime changes; `end` waits for all uses before it is over.
        let work = Work(unsafe {
            std::mem::transmute::<*const (dyn Fn() + Sync + 'w), *const (dyn Fn() + Sync)>(work)
        });
        jobs.open.push(Job { id, work, wanted: self.helpers, active: 0, panic: None });
        while jobs.idle < self.helpers && jobs.threads < self.helpers.min(MAX_THREADS) {
            let name = format!("gpuc-sim-{}", jobs.threads);
            // A host without room for another thread does with fewer.
            if std::thread::Builder::new().name(name).spawn(|| POOL.help()).is_err() {
                break;
            }
            jobs.threads += 1;
        }
        drop(jobs);
        *self.id.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
        POOL.called.notify_all();
    }

    /// Waits until no helper works any more; a helper's panic goes on here.
    fn end(&self) {
        let id = self.id.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(id) = id else { return };
        let mut jobs = POOL.jobs();
        loop {
            let Some(at) = jobs.open.iter().position(|job| job.id == id) else { return };
            jobs.open[at].wanted = 0;
            if jobs.open[at].active == 0 {
                let job = jobs.open.swap_remove(at);
                drop(jobs);
                if let Some(panic) = job.panic
                    && !std::thread::panicking()
                {
                    resume_unwind(panic);
                }
                return;
            }
            jobs = POOL.finished.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
