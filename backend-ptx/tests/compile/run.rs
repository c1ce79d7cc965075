//! Running a kernel on the simulator.

use gpuc_sim::{Launch, Module, Simulator};

use super::support::{arch, rendered};

/// An argument of a kernel.
pub enum Argument {
    /// A buffer with its bytes.
    Buffer(Vec<u8>),
    /// The bytes of a scalar.
    Scalar(Vec<u8>),
}

/// The shape of a launch.
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
}

impl Shape {
    /// One block of threads.
    pub fn block(threads: u32) -> Shape {
        Shape { grid: [1; 3], block: [threads, 1, 1], dynamic_shared: 0 }
    }
}

/// Runs kernel `name` of a PTX text; the bytes of its buffers afterwards.
pub fn run(text: &str, name: &str, shape: &Shape, arguments: &[Argument]) -> Vec<Vec<u8>> {
    let module = Module::parse(text, "kernel.ptx")
        .unwrap_or_else(|errors| panic!("{}\n{text}", rendered(&errors)));
    let device = Simulator::new(arch("sm_80"));
    let mut params = Vec::new();
    let mut buffers = Vec::new();
    for argument in arguments {
        let bytes = match argument {
            Argument::Scalar(bytes) => bytes.clone(),
            Argument::Buffer(bytes) => {
                let buffer =
                    device.alloc(bytes.len() as u64, "buffer").unwrap_or_else(|e| panic!("{e}"));
                device.write(buffer, bytes).unwrap_or_else(|e| panic!("{e}"));
                buffers.push((buffer, bytes.len()));
                buffer.to_le_bytes().to_vec()
            }
        };
        params.resize(params.len().next_multiple_of(bytes.len()), 0);
        params.extend(bytes);
    }
    let launch = Launch {
        grid: shape.grid,
        block: shape.block,
        dynamic_shared_bytes: shape.dynamic_shared,
        params: &params,
        threads: Some(1),
        ..Launch::default()
    };
    device.launch(&module, name, &launch).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let read = |&(buffer, length): &(_, usize)| {
        let mut bytes = vec![0; length];
        device.read(buffer, &mut bytes).unwrap_or_else(|e| panic!("{e}"));
        bytes
    };
    buffers.iter().map(read).collect()
}

/// Bits of a number in the memory of a type.
pub fn bytes_of(ty: &str) -> usize {
    match ty {
        "i1" | "i8" => 1,
        "i16" => 2,
        "i32" | "f32" => 4,
        _ => 8,
    }
}

/// Numbers, given by their bits, as memory of a type.
pub fn pack(ty: &str, values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()[..bytes_of(ty)].to_vec()).collect()
}

/// The bits of the numbers in memory of a type, zero-extended.
pub fn unpack(ty: &str, bytes: &[u8]) -> Vec<u64> {
    let number = |chunk: &[u8]| chunk.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
    bytes.chunks(bytes_of(ty)).map(number).collect()
}

/// Bits of a number cut to a type, so that they compare: all NaNs are one.
pub fn canonical(ty: &str, bits: u64) -> u64 {
    match ty {
        "f32" if f32::from_bits(bits as u32).is_nan() => f32::NAN.to_bits().into(),
        "f64" if f64::from_bits(bits).is_nan() => f64::NAN.to_bits(),
        "i1" => bits & 1,
        _ => bits & (u64::MAX >> (64 - 8 * bytes_of(ty))),
    }
}

/// Numbers of a type that are worth trying.
pub fn edges(ty: &str) -> Vec<u64> {
    match ty {
        "f32" => [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            -2.5,
            0.1,
            3e38,
            1e-40,
            7.75,
            -123456.79,
            16777217.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            0.49999997,
        ]
        .map(|x: f32| x.to_bits().into())
        .to_vec(),
        "f64" => [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            -2.5,
            0.1,
            1e308,
            1e-310,
            7.75,
            -123456.789,
            9007199254740993.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            0.49999999999999994,
        ]
        .map(|x: f64| x.to_bits())
        .to_vec(),
        "i1" => vec![0, 1],
        _ => {
            let width = 8 * bytes_of(ty) as u32;
            let top = 1u64 << (width - 1);
            [
                0,
                1,
                2,
                3,
                5,
                7,
                10,
                100,
                top - 1,
                top,
                top + 1,
                u64::MAX,
                u64::MAX - 1,
                u64::MAX - 6,
                0x5a5a_5a5a_5a5a_5a5a,
            ]
            .map(|n| canonical(ty, n))
            .to_vec()
        }
    }
}

/// One operation on every pair of edge values: `body` computes `%r` of `result` from `%x` and `%y`
/// of `operand`; `expected` gives the bits, or nothing where the operation is undefined.
pub fn check_binary(
    operand: &str,
    result: &str,
    body: &str,
    expected: impl Fn(u64, u64) -> Option<u64>,
) {
    let source = run_binary(operand, result, body, expected);
    // One target an operation: among all of them, every target has its share.
    super::ptxas::accepts_for(&source, super::ptxas::TARGETS[body.len() % 5]);
}

/// [`check_binary`] on the simulator alone; the kernel.
pub fn run_binary(
    operand: &str,
    result: &str,
    body: &str,
    expected: impl Fn(u64, u64) -> Option<u64>,
) -> String {
    let edges = edges(operand);
    let pairs: Vec<(u64, u64)> = edges
        .iter()
        .flat_map(|&x| edges.iter().map(move |&y| (x, y)))
        .filter(|&(x, y)| expected(x, y).is_some())
        .collect();
    let source = super::support::kernel(
        &format!("%xs: memref<?x{operand}>, %ys: memref<?x{operand}>, %rs: memref<?x{result}>"),
        &format!(
            "%i = gpu.global_id x\n\
             %x = memref.load %xs[%i] : memref<?x{operand}>\n\
             %y = memref.load %ys[%i] : memref<?x{operand}>\n\
             {body}\n\
             memref.store %r, %rs[%i] : memref<?x{result}>"
        ),
    );
    let text = super::support::ptx(&source, "sm_80");
    let xs: Vec<u64> = pairs.iter().map(|pair| pair.0).collect();
    let ys: Vec<u64> = pairs.iter().map(|pair| pair.1).collect();
    let shape = Shape::block(pairs.len() as u32);
    let buffers = run(
        &text,
        "k",
        &shape,
        &[
            Argument::Buffer(pack(operand, &xs)),
            Argument::Buffer(pack(operand, &ys)),
            Argument::Buffer(vec![0; pairs.len() * bytes_of(result)]),
        ],
    );
    for (&(x, y), found) in pairs.iter().zip(unpack(result, &buffers[2])) {
        let expected = expected(x, y).map_or(0, |bits| canonical(result, bits));
        assert_eq!(
            canonical(result, found),
            expected,
            "{body}\nwith {x:#x} and {y:#x}: {found:#x}, not {expected:#x}\n{text}"
        );
    }
    source
}

/// [`check_binary`] for operations on `%x` alone.
pub fn check_unary(operand: &str, result: &str, body: &str, expected: impl Fn(u64) -> Option<u64>) {
    check_binary(operand, result, body, |x, y| (x == y).then(|| expected(x)).flatten());
}
