//! Products of warp groups, by matrices in shared memory.
//!
//! Each warp of a group computes its 16 rows of the 64 by itself, when it issues the instruction:
//! what the group has to wait for has happened then. Matrices in shared memory are made of pieces of
//! 8 by 16 bytes whose places a descriptor gives (PTX ISA §9.7.15.5.1, "Shared Memory Matrix Layout").

use crate::fault::AccessKind;
use crate::host_memory;
use crate::isa::Type;
use crate::program::{Inst, MemorySpace, Role, Shape, WarpGroupMultiply};

use super::lanes::{LANES, Registers};
use super::matrix::{element, encoded, integer, number, per_register, place};
use super::memory::{View, Violation};

/// Where a matrix lies in shared memory.
#[derive(Clone, Copy)]
struct Descriptor {
    start: u64,
    leading: u64,
    stride: u64,
    /// Bytes over which 16-byte pieces change places: 16 for none, 32, 64 or 128.
    swizzle: u64,
}

impl Descriptor {
    fn of(bits: u64) -> Descriptor {
        let field = |shift: u32| (bits >> shift & 0x3fff) << 4;
        let swizzle = [16, 128, 64, 32][(bits >> 62) as usize & 3];
        Descriptor { start: field(0), leading: field(16), stride: field(32), swizzle }
    }

    /// The address of byte `at` of the 16-byte pieces along k of row `row`; where `transposed`, `at`
    /// is that of the pieces along the rows, and `row` an index along k.
    fn address(self, row: u64, at: u64, transposed: bool) -> u64 {
        let Descriptor { start, leading, stride, swizzle } = self;
        let (piece, byte) = (at / 16, at % 16);
        let (in_eight, eights) = (row % 8, row / 8);
        let width = swizzle / 16;
        let offset = match (transposed, swizzle) {
            (false, 16) => in_eight * 16 + eights * stride + piece * leading,
            (false, _) => in_eight * swizzle + eights * stride + piece * 16,
            (true, 16) => in_eight * 16 + eights * leading + piece * stride,
            (true, _) => {
                in_eight * swizzle + eights * stride + piece / width * leading + piece % width * 16
            }
        };
        let address = start + offset + byte;
        // The number of the piece is combined with that of the row of 128 bytes.
        address ^ (address >> 3 & (swizzle - 16))
    }
}

/// Element (row, k) of a factor in shared memory.
fn fetch(
    view: &View<'_>,
    lane: usize,
    descriptor: Descriptor,
    ty: Type,
    (row, k): (usize, usize),
    transposed: bool,
) -> Result<u64, Violation> {
    let bytes = u64::from(ty.bits() / 8);
    let (slow, fast) = if transposed { (k, row) } else { (row, k) };
    let address = descriptor.address(slow as u64, fast as u64 * bytes, transposed);
    let pointer = view.cell(lane, MemorySpace::Shared, address, bytes as u32, AccessKind::Read)?;
    // SAFETY: `cell` has checked so many bytes, and their alignment.
    Ok(unsafe { host_memory::load_bits(pointer, bytes as u32) })
}

/// Runs the part of a warp.
pub(super) fn execute(
    view: &View<'_>,
    registers: &mut Registers,
    inst: &Inst,
    multiply: WarpGroupMultiply,
    rows: &[u32],
    (warp, mask): (u32, u32),
) -> Result<(), Violation> {
    let WarpGroupMultiply { types, negated, transposed, a_registers, .. } = multiply;
    let [d_type, a_type, b_type] = types;
    let (n, k) = (usize::from(multiply.n), usize::from(multiply.k));
    let lead = mask.trailing_zeros() as usize & 31;
    let (d_rows, a_rows) = rows.split_at(rows.len() - usize::from(a_registers));
    let shape = Shape { m: 16, n: multiply.n, k: multiply.k };
    let mut a = vec![0u64; 16 * k];
    if a_registers == 0 {
        let descriptor = Descriptor::of(registers.wide(inst.src[0])[lead]);
        for (index, out) in a.iter_mut().enumerate() {
            let at = (index / k + 16 * (warp as usize % 4), index % k);
            *out = fetch(view, lead, descriptor, a_type, at, transposed[0])?;
        }
    } else {
        for lane in 0..LANES {
            for i in 0..a_rows.len() * per_register(a_type) {
                let (row, column) = place(shape, Role::A, a_type, lane, i);
                if let Some(out) = a.get_mut(row * k + column) {
                    *out = element(registers, a_rows, a_type, lane, i);
                }
            }
        }
    }
    let descriptor = Descriptor::of(registers.wide(inst.src[1])[lead]);
    let mut b = vec![0u64; n * k];
    for (index, out) in b.iter_mut().enumerate() {
        *out = fetch(view, lead, descriptor, b_type, (index / k, index % k), transposed[1])?;
    }
    let adds = registers.predicate(inst.src[2]);
    let sign = |negated: bool| if negated { -1.0 } else { 1.0 };
    let numbers = |of: &[u64], ty: Type, negated: bool| -> Vec<f64> {
        of.iter().map(|&bits| sign(negated) * number(ty, bits)).collect()
    };
    let whole = d_type == Type::S32;
    let (fa, fb) = match whole {
        true => (Vec::new(), Vec::new()),
        false => (numbers(&a, a_type, negated[0]), numbers(&b, b_type, negated[1])),
    };
    let pack = per_register(d_type);
    let mut out = vec![[0u32; LANES]; d_rows.len()];
    for (lane, r) in (0..LANES).flat_map(|lane| (0..d_rows.len()).map(move |r| (lane, r))) {
        for part in 0..pack {
            let i = r * pack + part;
            // Columns come in eights, each laid out as those of `mma`.
            let row = lane / 4 + 8 * (i / 2 % 2);
            let column = i / 4 * 8 + 2 * (lane % 4) + i % 2;
            let old = element(registers, d_rows, d_type, lane, i);
            let keeps = adds >> lane & 1 != 0;
            let (ra, rb) = (row * k..(row + 1) * k, column * k..(column + 1) * k);
            let value = if whole {
                let pairs = a[ra].iter().zip(&b[rb]);
                let products = pairs.map(|(&a, &b)| integer(a_type, a) * integer(b_type, b));
                let sum = products.sum::<i64>() + if keeps { integer(d_type, old) } else { 0 };
                match multiply.satfinite {
                    true => sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32,
                    false => sum as u32,
                }
            } else {
                let sum: f64 = fa[ra].iter().zip(&fb[rb]).map(|(a, b)| a * b).sum();
                encoded(d_type, sum + if keeps { number(d_type, old) } else { 0.0 }) as u32
            };
            out[r][lane] |= value << (part as u32 * (32 / pack as u32) % 32);
        }
    }
    for (values, &row) in out.iter().zip(d_rows) {
        super::lanes::store(registers, row, mask, values);
    }
    Ok(())
}
