//! The runtime of one process: what every directive of a compiled program comes down to.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use gpuc_diagnostics::Diagnostic;

use crate::config::{Config, ReportForm};
use crate::descriptor::{AUTO, DataDescriptor, ROWS, SiteDescriptor};
use crate::device::{Device, DeviceError, DeviceKind, DevicePtr, LaunchRequest, Queue};
use crate::embedded::{IMAGE_VERSION, ImageDescriptor};
use crate::failure::{Failure, fail};
use crate::image::{LoadedImage, LoadedImages};
use crate::interrupt;
use crate::linking;
use crate::memory::{Counter, Memory};
use crate::present::resident::{__gpuc_auto_resident, HostUse};
use crate::present::{DataEnvironment, PresentTable};
use crate::profiling::{self, About, Event, On};
use crate::queue::{Queues, current};
use crate::report::Report;
use crate::select::{Executor, select};
use crate::shared_memory;

/// The runtime of one process.
pub struct Runtime {
    executor: Executor,
    config: Config,
    /// What each device has of the program, by the device's number.
    places: Box<[OnDevice]>,
    /// Taken after a device's state where both are needed.
    report: Option<Mutex<Report>>,
    loading: Mutex<()>,
    /// The constructs of which it has been said that they run on the host.
    noticed: Mutex<BTreeSet<usize>>,
    /// Seconds that nests at a place have lost on the host.
    savings: Mutex<BTreeMap<usize, f64>>,
    /// What `GPUC_AUTOCOMPARE` has compared.
    tally: Mutex<compare::Tally>,
}

/// What a launch consists of.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Blocks in x, y and z.
    pub grid: [u64; 3],
    /// Threads of a block in x, y and z.
    pub block: [u64; 3],
    /// Shared memory beyond what the kernel declares.
    pub dynamic_shared_bytes: u64,
    /// Whether the blocks wait for each other: all must run at once.
    pub cooperative: bool,
}

/// What a device has of the program.
struct OnDevice {
    state: Mutex<State>,
    /// Taken before `state` where both are needed.
    queues: Mutex<Queues>,
}

/// What data directives change.
struct State {
    table: PresentTable,
    memory: Memory,
}

thread_local! {
    /// `acc_set_device_type(acc_device_host)`: a setting of each host thread (OpenACC 3.3 §2.3).
    static ON_HOST: Cell<Option<bool>> = const { Cell::new(None) };
    /// `acc_set_device_num`, in the same way.
    static DEVICE: Cell<Option<usize>> = const { Cell::new(None) };
}

unsafe extern "C" {
    /// Registers a function to run at `exit` (ISO C).
    fn atexit(handler: extern "C" fn()) -> c_int;
    /// Writes out a stream's buffer, or those of all streams (ISO C).
    fn fflush(stream: *mut c_void) -> c_int;
    /// Ends the process at once (POSIX).
    fn _exit(status: c_int) -> !;
}

static GLOBAL: OnceLock<Result<Runtime, Failure>> = OnceLock::new();

/// Exit status of a program in which checkers have found something.
const FOUND: c_int = 1;

/// A place for what no directive of the program stands for.
static AT_ENDS: SiteDescriptor = SiteDescriptor::new(c"", c"", 0, c"init");

/// Tells tools that nothing more comes.
extern "C" fn runtime_ends() {
    if let Some(Ok(runtime)) = GLOBAL.get() {
        let on =
            On { number: runtime.device_number(), kind: runtime.kind().unwrap_or(DeviceKind::Sim) };
        profiling::event(Event::RuntimeShutdown, &AT_ENDS, on, About::Other);
    }
}

/// Prints the tables that were asked for and what checkers have found. The process then ends with
/// [`FOUND`] instead of its own status.
extern "C" fn report_at_exit() {
    if let Some(Ok(runtime)) = GLOBAL.get() {
        runtime.print_reports();
        let differs = runtime.print_comparisons();
        if runtime.print_findings() || differs {
            // SAFETY: all streams are flushed, as `exit` would have done; then nothing is left to do.
            unsafe {
                fflush(ptr::null_mut());
                _exit(if interrupt::was_raised() { interrupt::STATUS } else { FOUND });
            }
        }
    }
}

/// A lock whose holder cannot leave it half changed, so poison says nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runtime {
    /// The runtime of this process, made on first use as the environment asks. When that cannot
    /// be, the process ends.
    pub fn global() -> &'static Runtime {
        let made = GLOBAL.get_or_init(|| {
            let config = Config::from_env()?;
            profiling::notify::set(config.notify);
            if config.compare.is_some() {
                compare::turn_on();
            }
            profiling::load_tools(&config.tools)?;
            let executor = select(&config)?;
            if !config.quiet {
                executor.announce();
            }
            if profiling::is_listening() {
                // SAFETY: the handler is a plain function that is there until the end.
                unsafe { atexit(runtime_ends) };
            }
            if config.reports() || config.checks.any() || config.compare.is_some() {
                // SAFETY: the handler is a plain function that is there until the end.
                unsafe { atexit(report_at_exit) };
            }
            Ok(Runtime::new(executor, config))
        });
        match made {
            Ok(runtime) => runtime,
            Err(error) => fail(error),
        }
    }

    /// A runtime on this executor.
    pub fn new(executor: Executor, config: Config) -> Runtime {
        // The host has no memory of its own; its allocator is never asked.
        let (count, kind) = match &executor {
            Executor::Devices(devices) => (devices.count(), devices.kind()),
            Executor::Host => (1, DeviceKind::Sim),
        };
        let memory = || Memory::new(kind, config.pool);
        let place = |number| OnDevice {
            state: Mutex::new(State { table: PresentTable::of(number), memory: memory() }),
            queues: Mutex::default(),
        };
        Runtime {
            places: (0..count).map(place).collect(),
            report: config.reports().then(Mutex::default),
            loading: Mutex::default(),
            noticed: Mutex::default(),
            savings: Mutex::default(),
            tally: Mutex::default(),
            executor,
            config,
        }
    }

    /// What runs the program's regions.
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// The device, `None` where this thread runs its regions on the host.
    pub fn device(&self) -> Option<&dyn Device> {
        let Executor::Devices(devices) = &self.executor else { return None };
        if ON_HOST.get().unwrap_or(self.config.on_host) {
            return None;
        }
        match devices.get(self.device_number()) {
            Ok(device) => Some(device),
            Err(why) => fail(&Diagnostic::error(format!(
                "device {} cannot be used: {why}",
                self.device_number()
            ))),
        }
    }

    /// That device, for tools.
    fn on(&self, device: &dyn Device) -> On {
        On { number: self.device_number(), kind: device.kind() }
    }

    /// A compute construct begins on the device, or ends there.
    pub fn note_construct(&self, site: &SiteDescriptor, begins: bool) {
        if profiling::is_listening()
            && let Some(device) = self.device()
        {
            match begins {
                true => profiling::construct_begins(site, self.on(device)),
                false => profiling::construct_ends(site, self.on(device)),
            }
        }
    }

    /// Lets this thread run its regions on the host, or on the device again.
    pub fn select_host(&self, host: bool) {
        ON_HOST.set(Some(host));
    }

    /// How many devices there are.
    pub fn device_count(&self) -> usize {
        match &self.executor {
            Executor::Devices(devices) => devices.count(),
            Executor::Host => 0,
        }
    }

    /// The number of this thread's device.
    pub fn device_number(&self) -> usize {
        DEVICE.get().unwrap_or(self.config.first_device)
    }

    /// Chooses this thread's device, one that there is.
    pub fn select_device(&self, number: usize) {
        DEVICE.set(Some(number));
    }

    /// Does something on another device than this thread's.
    pub fn with_device<T>(&self, number: usize, action: impl FnOnce() -> T) -> T {
        let (device, host) = (DEVICE.replace(Some(number)), ON_HOST.replace(Some(false)));
        let result = action();
        DEVICE.set(device);
        ON_HOST.set(host);
        result
    }

    /// Does something on every device in turn, or once on the host.
    pub fn on_each_device<E>(&self, mut action: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        if self.device_count() == 0 {
            return action();
        }
        (0..self.device_count()).try_for_each(|number| self.with_device(number, &mut action))
    }

    /// What this thread's device has of the program.
    fn place(&self) -> &OnDevice {
        // The number has been checked when it was chosen; without a device there is one place.
        &self.places[self.device_number().min(self.places.len() - 1)]
    }

    /// Whether a compute region runs on the device; if so its module is loaded.
    pub fn region_begin(
        &self,
        image: &ImageDescriptor,
        site: &SiteDescriptor,
        condition: bool,
    ) -> Result<bool, Failure> {
        let Some(device) = self.device().filter(|_| condition) else { return Ok(false) };
        self.image(device, image, site)?;
        if let Some(report) = &self.report {
            lock(report).region(site);
        }
        self.comparison_begins(site);
        Ok(true)
    }

    /// Waits for the kernels of a region; what went wrong in them comes out here. Those in a queue
    /// of their own are waited for by whoever waits for the queue.
    pub fn region_end(&self, site: &SiteDescriptor) -> Result<(), Failure> {
        match self.device() {
            Some(device) if current() == Queue::SYNC => {
                device.synchronize(Queue::SYNC).map_err(|error| located(error, site))
            }
            _ => Ok(()),
        }
    }

    /// Carries out data clauses; on the host every variable is where it is.
    fn data(
        &self,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
        start: Option<Event>,
        action: impl Fn(&mut DataEnvironment<'_>, &mut [DataDescriptor]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(device) = self.device() else {
            for data in data.iter_mut().filter(|data| !data.has(ROWS)) {
                data.device = data.host();
            }
            return Ok(());
        };
        if shared_memory::is_required() && !data.iter().any(|data| data.has(AUTO)) {
            shared_memory::see_host(device, site)?;
            let own = shared_memory::keep_in_place(data);
            return own.into_iter().try_for_each(|data| {
                self.environment(device, site, |environment| {
                    action(environment, std::slice::from_mut(data))
                })
            });
        }
        let mut act = || self.environment(device, site, |environment| action(environment, data));
        match start {
            Some(start) => profiling::during(start, site, self.on(device), About::Other, act),
            None => act(),
        }
    }

    /// Calls `action`, which the program asks for, with the device's data under the lock: nothing stays
    /// there for nests that the compiler found.
    pub(crate) fn environment<T>(
        &self,
        device: &dyn Device,
        site: &SiteDescriptor,
        action: impl FnOnce(&mut DataEnvironment<'_>) -> T,
    ) -> T {
        if __gpuc_auto_resident.load(Ordering::SeqCst) > 0
            && let Err(error) = self.give_back(0, 0, HostUse::Writes)
        {
            fail(&error);
        }
        self.environment_of_nests(device, site, action)
    }

    /// Calls `action` with the device's data under the lock.
    fn environment_of_nests<T>(
        &self,
        device: &dyn Device,
        site: &SiteDescriptor,
        action: impl FnOnce(&mut DataEnvironment<'_>) -> T,
    ) -> T {
        let queues = lock(&self.place().queues);
        let mut state = lock(&self.place().state);
        let State { table, memory } = &mut *state;
        let mut report = self.report.as_ref().map(lock);
        let (report, queue) = (report.as_deref_mut(), current());
        let queues = &*queues;
        action(&mut DataEnvironment { device, table, memory, report, site, queue, queues })
    }

    /// Entry of a data region or of a compute construct.
    pub fn data_begin(
        &self,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
    ) -> Result<(), Failure> {
        if is_of_nest(data) {
            return Ok(());
        }
        self.data(site, data, Some(Event::EnterDataStart), |environment, data| {
            environment.begin(data)
        })?;
        self.list_present(site);
        self.comparison_starts(site, data)
    }

    /// With `GPUC_DEBUG`, lists what is on the device.
    fn list_present(&self, site: &SiteDescriptor) {
        if !self.config.debug {
            return;
        }
        for entry in lock(&self.place().state).table.entries() {
            let text = format!(
                "present {} ({} bytes) at host address {:#x}, device address {:#x}, structured {}, dynamic {}",
                entry.name, entry.bytes, entry.host, entry.device, entry.structured, entry.dynamic
            );
            profiling::notify::line(site, &text);
        }
    }

    /// The data region of the whole program begins, on every device.
    pub fn declare(
        &self,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
    ) -> Result<(), Failure> {
        self.on_each_device(|| self.data_begin(site, data))
    }

    /// Exit of a data region or of a compute construct.
    pub fn data_end(
        &self,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
    ) -> Result<(), Failure> {
        // A kernel that went wrong is the directive's fault, not that of the first copy after it.
        self.region_end(site)?;
        if is_of_nest(data) {
            return self.nest_end(site, data);
        }
        self.comparison_keeps(site)?;
        self.data(site, data, Some(Event::ExitDataStart), |environment, data| {
            environment.end(data)
        })?;
        self.comparison_notes(site)
    }

    /// `enter data`.
    pub fn data_enter(
        &self,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
    ) -> Result<(), Failure> {
        self.data(site, data, Some(Event::EnterDataStart), |environment, data| {
            environment.enter(data)
        })
    }

    /// Frees what an owner keeps between calls that were sent to the device.
    pub fn let_go(&self, site: &SiteDescriptor, owner: &str) -> Result<(), Failure> {
        self.data(site, &mut [], None, |environment, _| environment.let_go(owner))
    }

    /// `exit data`.
    pub fn data_exit(
        &self,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
    ) -> Result<(), Failure> {
        self.data(site, data, Some(Event::ExitDataStart), |environment, data| {
            environment.exit(data)
        })
    }

    /// `update`.
    pub fn data_update(
        &self,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
    ) -> Result<(), Failure> {
        self.data(site, data, Some(Event::UpdateStart), |environment, data| {
            environment.update(data)
        })
    }

    /// `host_data`.
    pub fn host_data(
        &self,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
    ) -> Result<(), Failure> {
        self.data(site, data, None, |environment, data| environment.use_device(data))
    }

    /// Whether two variables of a construct whose data has begun share no byte.
    pub fn disjoint(&self, site: &SiteDescriptor, a: &DataDescriptor, b: &DataDescriptor) -> bool {
        let Some(device) = self.device() else { return false };
        self.environment_of_nests(device, site, |environment| environment.table.disjoint(a, b))
    }

    /// Scratch memory of a region; 0 on the host, where nothing needs it.
    pub fn device_alloc(&self, site: &SiteDescriptor, bytes: u64) -> Result<DevicePtr, Failure> {
        let Some(device) = self.device() else { return Ok(0) };
        let label = format!("scratch of {}", site.construct());
        let allocated = lock(&self.place().state).memory.allocate(device, bytes, &label);
        allocated.map_err(|error| located(error, site))
    }

    /// Gives scratch memory back.
    pub fn device_free(&self, site: &SiteDescriptor, ptr: DevicePtr) -> Result<(), Failure> {
        let Some(device) = self.device().filter(|_| ptr != 0) else { return Ok(()) };
        let released = lock(&self.place().state).memory.release_behind(device, ptr, current());
        released.map_err(|error| located(error, site))
    }

    /// The counter by which the blocks of a kernel tell which is the last, zero between the kernels of
    /// this thread's queue; 0 on the host, where nothing needs it.
    pub fn tickets(&self, site: &SiteDescriptor) -> Result<DevicePtr, Failure> {
        let Some(device) = self.device() else { return Ok(0) };
        let counter = lock(&self.place().state).memory.counter(device, current(), Counter::Tickets);
        counter.map_err(|error| located(error, site))
    }

    /// How many blocks of `threads` threads of a kernel the device runs at once, at most `most`, and the word by which they
    /// wait for each other, of this thread's queue; 0 of both where blocks of this kernel cannot.
    pub fn resident_grid(
        &self,
        image: &ImageDescriptor,
        site: &SiteDescriptor,
        kernel: &CStr,
        threads: u32,
        most: u64,
    ) -> Result<(DevicePtr, u64), Failure> {
        let Some(device) = self.device() else { return Ok((0, 0)) };
        let image = self.image(device, image, site)?;
        let ask = || {
            let loaded = image.kernel(device, kernel)?;
            if loaded.info.param_offsets.is_none() {
                return Ok((0, 0));
            }
            let blocks = device.cooperative_blocks(loaded.id, threads)?.min(most);
            if blocks == 0 {
                return Ok((0, 0));
            }
            let memory = &mut lock(&self.place().state).memory;
            Ok((memory.counter(device, current(), Counter::Grid)?, blocks))
        };
        ask().map_err(|error| located(error, site))
    }

    /// Reads device memory when all kernels before are done.
    pub fn fetch(
        &self,
        site: &SiteDescriptor,
        to: &mut [u8],
        from: DevicePtr,
    ) -> Result<(), Failure> {
        let Some(device) = self.device() else { return Ok(()) };
        // What went wrong in a kernel is not the copy's fault; what is read is of the kernels before, whatever queue they are in.
        device.synchronize(current()).map_err(|error| located(error, site))?;
        // SAFETY: the slice is writable for its length, and the copy is complete on return.
        let copied =
            unsafe { device.copy_to_host(to.as_mut_ptr(), from, to.len() as u64, Queue::SYNC) };
        copied.map_err(|error| located(error, site))
    }

    /// Launches a kernel. Without reports this takes no lock that another launch could hold for
    /// long, and allocates nothing.
    pub fn launch(
        &self,
        image: &ImageDescriptor,
        site: &SiteDescriptor,
        kernel: &CStr,
        shape: &Shape,
        params: &[u8],
    ) -> Result<(), Failure> {
        let Shape { grid, block, dynamic_shared_bytes, cooperative } = *shape;
        if grid.contains(&0) {
            return Ok(());
        }
        let Some(device) = self.device() else {
            return Err(refused(site, kernel, "this thread runs its regions on the host"));
        };
        if block.contains(&0) {
            return Err(refused(site, kernel, "the block has no threads"));
        }
        let image = self.image(device, image, site)?;
        let loaded = image.kernel(device, kernel).map_err(|error| located(error, site))?;
        if !image.reached.is_empty() {
            self.refresh(device, image).map_err(|error| located(error, site))?;
        }
        let (grid, block, dynamic_shared_bytes) = device
            .limits()
            .check(&loaded.info, grid, block, dynamic_shared_bytes, params.len() as u64)
            .map_err(|why| refused(site, kernel, &why))?;
        let exact = loaded.info.param_bytes.map_or(params.len(), |bytes| bytes as usize);
        let params = params.get(..exact).unwrap_or(params);
        let request = LaunchRequest {
            grid,
            block,
            dynamic_shared_bytes,
            params,
            cooperative: loaded.info.param_offsets.as_deref().filter(|_| cooperative),
            queue: current(),
            timed: self.report.is_some(),
            counted: self.config.counts(),
        };
        if cooperative && request.cooperative.is_none() {
            return Err(refused(site, kernel, "nobody has said where its parameters stand"));
        }
        let about = About::Launch { kernel, grid, block };
        let launch = || device.launch(loaded.id, &request);
        let launched =
            profiling::during(Event::EnqueueLaunchStart, site, self.on(device), about, launch);
        let outcome = launched.map_err(|error| {
            // Blocks that have met may have waited for others that never came. What cannot be given back is lost.
            let _ = lock(&self.place().state).memory.drop_counters(device, request.queue);
            located(error, site)
        })?;
        if self.config.debug {
            // What goes wrong in it is said here, and not where somebody waits next.
            device.synchronize(current()).map_err(|error| located(error, site))?;
        }
        if let Some(report) = &self.report {
            let queue = request.queue.0;
            lock(report).launch(site, &kernel.to_string_lossy(), grid, block, queue, outcome);
        }
        Ok(())
    }

    /// Tells the functions of an image where the variables are that they use.
    fn refresh(&self, device: &dyn Device, image: &LoadedImage) -> Result<(), DeviceError> {
        let state = lock(&self.place().state);
        let shared = shared_memory::is_required();
        let find = |host| state.table.device_address(host).or(shared.then_some(host));
        image.reached.iter().try_for_each(|variable| variable.refresh(device, find))
    }

    /// What the image has become on the device, loading it on first use.
    fn image(
        &self,
        device: &dyn Device,
        image: &ImageDescriptor,
        site: &SiteDescriptor,
    ) -> Result<&'static LoadedImage, Failure> {
        let number = self.device_number();
        // SAFETY (both uses): the handle is null or leaked `LoadedImages`.
        let known = || unsafe { image.handle.load(Ordering::Acquire).as_ref() };
        let loaded = || known().and_then(|images| images.on(number)).and_then(OnceLock::get);
        if let Some(loaded) = loaded() {
            return Ok(loaded);
        }
        let _one_at_a_time = lock(&self.loading);
        if let Some(loaded) = loaded() {
            return Ok(loaded);
        }
        if !image.is_known() {
            let message = format!(
                "{} was compiled by another version of gpuc: its device image is of version {}, \
                 this runtime knows version {IMAGE_VERSION}",
                image.source(),
                image.version()
            );
            let help = "compile and link the program with the same gpuc";
            return Err(Diagnostic::error(message).at_option(site.place()).help(help).into());
        }
        let texts =
            linking::with_what_it_calls(image, device).map_err(|error| match error.place {
                Some(_) => *error,
                None => error.at_option(site.place()),
            })?;
        let texts: Vec<(&str, &str)> =
            texts.iter().map(|text| (text.ptx.as_str(), text.source.as_str())).collect();
        let code = image.code_for(device.arch(), device.newest_ptx());
        let kernels = code.map_or(&[][..], |code| code.kernels);
        let loaded =
            LoadedImage::load(device, &texts, kernels).map_err(|error| located(error, site))?;
        let images: &'static LoadedImages = known().unwrap_or_else(|| {
            let images: &'static LoadedImages =
                Box::leak(Box::new(LoadedImages::new(self.device_count())));
            image.handle.store(ptr::from_ref(images).cast_mut(), Ordering::Release);
            images
        });
        let slot = images.on(number).expect("a device's number has been checked");
        Ok(slot.get_or_init(|| loaded))
    }

    /// Gives back all device memory and forgets what was present (`acc_shutdown`).
    pub fn shutdown(&self, site: &SiteDescriptor) -> Result<(), Failure> {
        let Some(device) = self.device() else { return Ok(()) };
        self.queue_end();
        self.wait(site, &[])?;
        profiling::during(Event::DeviceShutdownStart, site, self.on(device), About::Other, || {
            self.shut_down(device, site)
        })
    }

    fn shut_down(&self, device: &dyn Device, site: &SiteDescriptor) -> Result<(), Failure> {
        let result = self.environment(device, site, |environment| {
            device.synchronize(Queue::SYNC)?;
            for entry in environment.table.drain().filter(|entry| !entry.mapped) {
                environment.memory.release(device, entry.device)?;
            }
            environment.memory.release_counters(device)?;
            environment.memory.trim(device)
        });
        result.map_err(|error| located(error, site))
    }

    /// What executes kernels, if anything does.
    fn kind(&self) -> Option<DeviceKind> {
        match &self.executor {
            Executor::Devices(devices) => Some(devices.kind()),
            Executor::Host => None,
        }
    }

    /// Prints what checkers have found; whether there is anything.
    fn print_findings(&self) -> bool {
        if !self.config.checks.any() {
            return false;
        }
        let Executor::Devices(devices) = &self.executor else { return false };
        let findings: Vec<_> =
            devices.used().flat_map(|(_, device)| device.take_findings()).collect();
        if self.config.check_json {
            crate::failure::say(&gpuc_sim::findings_json(&findings));
        } else {
            findings.iter().for_each(|finding| crate::failure::show(&finding.diagnostic()));
        }
        !findings.is_empty()
    }

    /// Writes a report that is a file; what to say about it.
    fn write_report(&self, report: &Report, form: ReportForm) -> String {
        let simulated = self.kind() == Some(DeviceKind::Sim);
        let device = simulated.then_some(self.config.sim_arch);
        let report = report.for_simulator(&self.executor.describe(), device);
        let mut said = String::new();
        let (name, text) = match form {
            ReportForm::Html => {
                let base = self.config.report_base.as_ref().and_then(|path| {
                    let text = std::fs::read_to_string(path);
                    text.map_err(|e| said = format!("gpuc: cannot read {}: {e}\n", path.display()))
                        .ok()
                });
                ("gpuc-report.html", report.page(base.as_deref()))
            }
            ReportForm::Json | ReportForm::Text => ("gpuc-report.json", report.json()),
        };
        let path = self.config.report_file.clone().unwrap_or_else(|| name.into());
        said + &crate::report::write(&path, &text)
    }

    /// Writes the tables that were asked for to standard error.
    fn print_reports(&self) {
        let Some(report) = &self.report else { return };
        let report = lock(report);
        let mut text = String::new();
        let device = self.executor.describe();
        match self.config.report {
            None => {}
            Some(ReportForm::Text) => {
                text.push_str(&report.table(&device, self.config.counters == Some(true)));
            }
            Some(form) => text.push_str(&self.write_report(&report, form)),
        }
        if let Some(path) = &self.config.trace {
            let trace = report.for_simulator(&device, None).trace();
            text.push_str(&crate::report::write(path, &trace));
        }
        if self.config.time {
            let device = match self.kind() {
                Some(DeviceKind::Sim) => "sim",
                Some(DeviceKind::Cuda) => "NVIDIA",
                None => "host",
            };
            text.push_str(&report.timing(device));
            let usages = self.places.iter().map(|place| lock(&place.state).memory.usage());
            text.push_str(&crate::report::of_memory(usages));
        }
        crate::failure::say(&text);
    }
}

/// Whether data are of a nest that the compiler found, for which they have begun already.
fn is_of_nest(data: &[DataDescriptor]) -> bool {
    !data.is_empty() && data.iter().all(|data| data.has(AUTO))
}

/// A device error at a directive. A fault keeps its own place and names the directive besides.
pub(crate) fn located(error: DeviceError, site: &SiteDescriptor) -> Failure {
    let error = error.into_diagnostic();
    let Some(own) = &error.place else { return Box::new(site.locate(error, 0)) };
    let Some(place) = site.place() else { return Box::new(error) };
    if own.file == place.file && own.line == place.line {
        return Box::new(error);
    }
    let words = format!("in this `{}` of `{}`", site.construct(), site.function());
    Box::new(error.related(place, words))
}

/// A launch that must not be made.
fn refused(site: &SiteDescriptor, kernel: &CStr, why: &str) -> Failure {
    let kernel = kernel.to_string_lossy();
    Box::new(
        Diagnostic::error(format!("cannot launch kernel `{kernel}`: {why}"))
            .at_option(site.place())
            .label(format!("this `{}` of `{}`", site.construct(), site.function())),
    )
}

mod auto;
pub(crate) mod compare;
mod order;
#[cfg(test)]
mod tests;

pub use auto::Counted;
