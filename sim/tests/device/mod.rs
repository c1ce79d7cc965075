//! A device for tests: typed buffers, packed parameters, launches that must succeed.
#![allow(dead_code, reason = "each test binary uses a part")]

use gpuc_arch::Arch;
use gpuc_sim::{Counters, Launch, LaunchError, LaunchReport, Module, Simulator};

/// Reads a module; its errors fail the test.
pub fn module(text: &str) -> Module {
    Module::parse(text, "test.ptx").unwrap_or_else(|errors| {
        let sources = {
            let mut sources = gpuc_diagnostics::Sources::new();
            sources.insert("test.ptx", text);
            sources
        };
        panic!(
            "{}",
            errors.iter().map(|e| e.render(&sources, false)).collect::<Vec<_>>().join("\n")
        )
    })
}

/// Parameters in the order of a C argument list.
#[derive(Default, Clone)]
pub struct Params(pub Vec<u8>);

impl Params {
    pub fn add<const N: usize>(mut self, bytes: [u8; N]) -> Params {
        let aligned = self.0.len().next_multiple_of(N);
        self.0.resize(aligned, 0);
        self.0.extend(bytes);
        self
    }

    pub fn ptr(self, pointer: u64) -> Params {
        self.add(pointer.to_le_bytes())
    }

    pub fn int(self, value: i32) -> Params {
        self.add(value.to_le_bytes())
    }
}

pub struct Device(pub Simulator);

impl Device {
    pub fn new() -> Device {
        Device(Simulator::new(Arch::by_name("sm_80").expect("the table holds sm_80")))
    }

    pub fn checked(checks: gpuc_sim::Checks) -> Device {
        Device(Simulator::checked(Arch::by_name("sm_80").expect("the table holds sm_80"), checks))
    }

    pub fn bytes(&self, label: &str, bytes: &[u8]) -> u64 {
        let pointer = self.0.alloc(bytes.len() as u64, label).unwrap();
        self.0.write(pointer, bytes).unwrap();
        pointer
    }

    pub fn floats(&self, label: &str, values: &[f32]) -> u64 {
        self.bytes(label, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
    }

    pub fn words(&self, label: &str, values: &[u32]) -> u64 {
        self.bytes(label, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
    }

    pub fn read_words(&self, pointer: u64, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; count * 4];
        self.0.read(pointer, &mut bytes).unwrap();
        bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub fn read_longs(&self, pointer: u64, count: usize) -> Vec<u64> {
        let words = self.read_words(pointer, count * 2);
        words.chunks(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect()
    }

    pub fn read_floats(&self, pointer: u64, count: usize) -> Vec<f32> {
        self.read_words(pointer, count).into_iter().map(f32::from_bits).collect()
    }

    pub fn read_doubles(&self, pointer: u64, count: usize) -> Vec<f64> {
        self.read_longs(pointer, count).into_iter().map(f64::from_bits).collect()
    }

    pub fn try_launch(
        &self,
        module: &Module,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        params: &Params,
    ) -> Result<LaunchReport, LaunchError> {
        let launch = Launch {
            grid,
            block,
            params: &params.0,
            counters: Counters::All,
            threads: Some(2),
            instruction_budget: Some(50_000_000),
            ..Launch::default()
        };
        self.0.launch(module, kernel, &launch)
    }

    pub fn launch(
        &self,
        module: &Module,
        kernel: &str,
        grid: u32,
        block: u32,
        params: &Params,
    ) -> LaunchReport {
        self.try_launch(module, kernel, [grid, 1, 1], [block, 1, 1], params).unwrap_or_else(
            |error| {
                panic!("{}", error.diagnostic().render(&gpuc_diagnostics::Sources::new(), false))
            },
        )
    }
}
