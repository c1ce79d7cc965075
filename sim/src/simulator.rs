//! The device: memory, modules and launches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpuc_arch::Arch;

use crate::check::{Checks, Finding, FindingKind, InitializedBytes, Variable};
use crate::device_heap::{DeviceHeap, HEAP_BYTES};
use crate::device_memory::DeviceMemory;
use crate::fault::SimError;
use crate::images::Images;
use crate::module::Module;

/// An address on the device.
pub type DevicePtr = u64;

/// One simulated device.
///
/// All functions take `&self`: a device is shared between threads, and launches may run at the same
/// time (their kernels then race as they would on a device).
#[derive(Debug)]
pub struct Simulator {
    pub(crate) arch: &'static Arch,
    pub(crate) memory: DeviceMemory,
    pub(crate) heap: DeviceHeap,
    /// Addresses of the variables of every module launched so far, by the module's number.
    modules: Mutex<HashMap<u64, Arc<[u64]>>>,
    pub(crate) images: Mutex<Images>,
    pub(crate) checks: Checks,
    pub(crate) findings: Mutex<Vec<Finding>>,
    /// For initcheck: what was written.
    pub(crate) initialized: Mutex<InitializedBytes>,
}

impl Simulator {
    /// A device of the given compute capability, with the memory of its reference chip.
    pub fn new(arch: &'static Arch) -> Simulator {
        Simulator::checked(arch, Checks::default())
    }

    /// A device whose kernels run under checkers: on one host thread, so that the findings are the
    /// same every time.
    pub fn checked(arch: &'static Arch, checks: Checks) -> Simulator {
        Simulator::numbered(arch, checks, 0)
    }

    /// One of several devices of a machine: their addresses are apart.
    pub fn numbered(arch: &'static Arch, checks: Checks, number: u32) -> Simulator {
        Simulator {
            arch,
            memory: DeviceMemory::new(arch.chip.dram_bytes, number),
            heap: DeviceHeap::new(HEAP_BYTES),
            modules: Mutex::new(HashMap::new()),
            images: Mutex::default(),
            checks,
            findings: Mutex::default(),
            initialized: Mutex::default(),
        }
    }

    /// The same device with so many bytes for `malloc` in kernels.
    pub fn with_heap(self, bytes: u64) -> Simulator {
        Simulator { heap: DeviceHeap::new(bytes), ..self }
    }

    /// What the checkers have found since this was asked last, in order. A fault that ended a kernel
    /// is among it.
    pub fn take_findings(&self) -> Vec<Finding> {
        std::mem::take(&mut *self.findings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Allocations that are still there, but for the variables of modules: leaks, at the end of a
    /// program. Empty without memcheck.
    pub fn leaks(&self) -> Vec<Finding> {
        if !self.checks.memcheck {
            return Vec::new();
        }
        let modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let is_variable = |base| modules.values().any(|addresses| addresses.contains(&base));
        let live = self.memory.live();
        let leaked =
            live.into_iter().filter(|&(base, ..)| !is_variable(base) && !self.heap.is_at(base));
        leaked
            .map(|(base, size, label)| Finding {
                kind: FindingKind::Leak,
                kernel: "".into(),
                space: "global",
                address: base,
                bytes: 0,
                variable: Some(Variable { name: label, size, offset: 0, element: 0 }),
                side: None,
                other: None,
                detail: String::new(),
                count: 1,
            })
            .collect()
    }

    /// Tells initcheck of what the host does.
    pub(crate) fn initialized(&self, change: impl FnOnce(&mut InitializedBytes)) {
        if self.checks.initcheck {
            change(&mut self.initialized.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The compute capability.
    pub fn arch(&self) -> &'static Arch {
        self.arch
    }

    /// Bytes of device memory: in use, and altogether.
    pub fn memory_info(&self) -> (u64, u64) {
        (self.memory.used(), self.memory.total())
    }

    /// From now on kernels see the memory of the host's process at its own addresses, as far as it may be read and
    /// written. Whether that can be had.
    pub fn see_host_memory(&self) -> bool {
        self.memory.see_host()
    }

    /// Allocates zeroed device memory; `label` names the variable in reports.
    ///
    /// # Errors
    /// The device or the host has not so much memory.
    pub fn alloc(&self, bytes: u64, label: &str) -> Result<DevicePtr, SimError> {
        let base = self.memory.alloc(bytes, label)?;
        self.initialized(|bits| bits.allocate(base, bytes));
        Ok(base)
    }

    /// Whether an address is one of device memory, of what has been freed too.
    pub fn has_given(&self, address: DevicePtr) -> bool {
        self.memory.has_given(address)
    }

    /// Frees an allocation. Its addresses are not used again.
    ///
    /// # Errors
    /// `ptr` is not the start of an allocation.
    pub fn free(&self, ptr: DevicePtr) -> Result<(), SimError> {
        self.memory.free(ptr)?;
        self.initialized(|bits| bits.free(ptr));
        Ok(())
    }

    /// Copies from the device.
    ///
    /// # Errors
    /// The bytes are not inside one allocation.
    pub fn read(&self, ptr: DevicePtr, into: &mut [u8]) -> Result<(), SimError> {
        self.memory.read(ptr, into)
    }

    /// Copies to the device.
    ///
    /// # Errors
    /// The bytes are not inside one allocation.
    pub fn write(&self, ptr: DevicePtr, from: &[u8]) -> Result<(), SimError> {
        self.memory.write(ptr, from)?;
        self.initialized(|bits| bits.write(ptr, from.len() as u64));
        Ok(())
    }

    /// Sets bytes on the device.
    ///
    /// # Errors
    /// The bytes are not inside one allocation.
    pub fn fill(&self, ptr: DevicePtr, byte: u8, bytes: u64) -> Result<(), SimError> {
        self.memory.fill(ptr, byte, bytes)?;
        self.initialized(|bits| bits.write(ptr, bytes));
        Ok(())
    }

    /// Copies on the device; the stretches may overlap.
    ///
    /// # Errors
    /// The bytes are not inside one allocation at both ends.
    pub fn copy(&self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), SimError> {
        self.memory.copy(from, to, bytes)?;
        self.initialized(|bits| bits.copy(from, to, bytes));
        Ok(())
    }

    /// The device address and size of a module's `.global` or `.const` variable; the module is
    /// loaded if it was not yet.
    ///
    /// # Errors
    /// The module's variables do not fit into device memory.
    pub fn variable(
        &self,
        module: &Module,
        name: &str,
    ) -> Result<Option<(DevicePtr, u64)>, SimError> {
        let addresses = self.load(module)?;
        let found = module
            .variables
            .iter()
            .position(|variable| &*variable.name == name && variable.size > 0);
        Ok(found.map(|at| (addresses[at], module.variables[at].size)))
    }

    /// Puts a module's variables into device memory, once.
    pub(crate) fn load(&self, module: &Module) -> Result<Arc<[u64]>, SimError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(addresses) = modules.get(&module.id) {
            return Ok(addresses.clone());
        }
        let mut addresses = Vec::new();
        for variable in &module.variables {
            // Variables of other spaces have no size here.
            let address =
                if variable.size == 0 { 0 } else { self.alloc(variable.size, &variable.name)? };
            addresses.push(address);
        }
        for (variable, &address) in module.variables.iter().zip(&addresses) {
            if variable.size > 0 {
                self.write(address, &variable.initial)?;
                // What has no initial value is zero.
                self.initialized(|bits| bits.write(address, variable.size));
            }
            for relocation in &variable.relocations {
                let target =
                    addresses[relocation.variable as usize].wrapping_add_signed(relocation.offset);
                let shift = relocation.mask.trailing_zeros().min(63);
                let value = (target & relocation.mask) >> shift;
                let bytes = value.to_le_bytes();
                self.write(address + relocation.at, &bytes[..relocation.bytes.min(8) as usize])?;
            }
        }
        let addresses: Arc<[u64]> = addresses.into();
        modules.insert(module.id, addresses.clone());
        Ok(addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_and_modules_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Simulator>();
        shared::<Module>();
    }
}
