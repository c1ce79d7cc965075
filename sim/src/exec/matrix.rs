//! Matrix products of a warp, and loads and stores of matrices.
//!
//! Floating-point sums are formed in double precision and rounded once; the hardware truncates
//! somewhere between, which PTX leaves open (§9.7.14.5). Double precision is a chain of fused
//! multiply-adds.

use crate::fault::AccessKind;
use crate::host_memory::{self, Element};
use crate::isa::Type;
use crate::program::{
    Code, Inst, List, Matrix, Multiply, NO_ROW, Op, Products, Role, Rounding, Shape, Tile,
};

use super::lanes::{LANES, Registers, store};
use super::memory::{View, Violation};
use super::narrow::decode8;
use super::soft_float::{BF16, Exact, F16, F32};
use super::warpgroup;

pub(super) fn execute(
    view: &View<'_>,
    registers: &mut Registers,
    inst: &Inst,
    (warp, mask): (u32, u32),
    code: &Code,
) -> Result<(), Violation> {
    let rows = |list: List| &code.lists[list.start as usize..][..list.count as usize];
    match inst.op {
        Op::Multiply(multiply, list) => product(registers, multiply, rows(list), mask),
        Op::WarpGroupMultiply(multiply, list) => {
            let rows = rows(list);
            warpgroup::execute(view, registers, inst, multiply, rows, (warp, mask))?;
        }
        Op::TransposeTile => transpose_tile(registers, inst, mask),
        Op::LoadMatrix(matrix, list) => load(view, registers, inst, matrix, rows(list), mask)?,
        Op::StoreMatrix(matrix, list) => save(view, registers, inst, matrix, rows(list), mask)?,
        Op::LoadTiles(tile, list) => load_tiles(view, registers, inst, tile, rows(list), mask)?,
        Op::StoreTiles(tile, list) => store_tiles(view, registers, inst, tile, rows(list), mask)?,
        _ => {}
    }
    Ok(())
}

/// Lane l has two elements of row l / 4, from column 2 (l % 4) on.
fn transpose_tile(registers: &mut Registers, inst: &Inst, mask: u32) {
    let tile = *registers.narrow(inst.src[0]);
    let element =
        |row: usize, column: usize| tile[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff;
    let out: [u32; LANES] = std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, 2 * (lane % 4));
        element(column, row) | element(column + 1, row) << 16
    });
    store(registers, inst.dst, mask, &out);
}

/// Elements of a type in a register.
pub(super) fn per_register(ty: Type) -> usize {
    (32 / ty.bits().min(32)) as usize
}

/// Row and column of the `i`-th element of a lane in the layout of `mma.sync`; groups of four lanes
/// have a row (for B a column) of their own.
pub(super) fn place(shape: Shape, role: Role, ty: Type, lane: usize, i: usize) -> (usize, usize) {
    let (group, thread) = (lane / 4, lane % 4);
    let pack = per_register(ty);
    let (register, part) = (i / pack, i % pack);
    match role {
        Role::A if shape.m == 16 => {
            (group + 8 * (register % 2), (register / 2 * 4 + thread) * pack + part)
        }
        Role::A => (group, (register * 4 + thread) * pack + part),
        Role::B => ((register * 4 + thread) * pack + part, group),
        Role::C => (group + 8 * (i / 2), 2 * thread + i % 2),
    }
}

/// The same where a matrix lies row after row over the lanes; what there is room for twice is twice
/// there.
fn place_opaque(
    shape: Shape,
    role: Role,
    per_lane: usize,
    lane: usize,
    i: usize,
) -> (usize, usize) {
    let (rows, columns) = shape.extents(role);
    let index = (lane * per_lane + i) % (rows * columns);
    (index / columns, index % columns)
}

/// The bits of an element of a lane.
pub(super) fn element(registers: &Registers, rows: &[u32], ty: Type, lane: usize, i: usize) -> u64 {
    if ty.bits() == 64 {
        return registers.wide(rows[i])[lane];
    }
    let pack = per_register(ty);
    let bits = ty.bits();
    let word = registers.narrow(rows[i / pack])[lane];
    u64::from(word >> ((i % pack) as u32 * bits)) & (u64::MAX >> (64 - bits))
}

pub(super) fn integer(ty: Type, bits: u64) -> i64 {
    let shift = 64 - ty.bits();
    if ty.is_signed() { ((bits << shift) as i64) >> shift } else { bits as i64 }
}

pub(super) fn number(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F64 => f64::from_bits(bits),
        Type::F16 => F16.decode(bits),
        Type::Bf16 => BF16.decode(bits),
        // The matrix units do not look at the low bits.
        Type::Tf32 => F32.decode(bits & 0xffff_e000),
        Type::E4m3 | Type::E5m2 => decode8(ty, bits as u8),
        _ => F32.decode(bits),
    }
}

pub(super) fn encoded(ty: Type, value: f64) -> u64 {
    let rounded = |format| Exact::of(value).round(format, Rounding::NearestEven);
    match ty {
        Type::F64 => value.to_bits(),
        Type::F16 => F16.encode(rounded(F16)),
        _ => F32.encode(rounded(F32)),
    }
}

fn product(registers: &mut Registers, multiply: Multiply, rows: &[u32], mask: u32) {
    let Multiply { shape, types, counts, .. } = multiply;
    let (mut lists, mut rest) = ([rows; 4], rows);
    for (list, count) in lists.iter_mut().zip(counts) {
        (*list, rest) = rest.split_at(count.into());
    }
    let [d_rows, a_rows, b_rows, c_rows] = lists;
    let [d_type, a_type, b_type, c_type] = types;
    let per_lane = |rows: &[u32], ty: Type| rows.len() * per_register(ty);
    let at = |role, rows: &[u32], ty, lane, i| {
        if multiply.opaque {
            place_opaque(shape, role, per_lane(rows, ty), lane, i)
        } else {
            place(shape, role, ty, lane, i)
        }
    };
    let collect = |registers: &Registers, role, rows: &[u32], ty: Type| {
        let (height, width) = shape.extents(role);
        let mut out = vec![0u64; height * width];
        for lane in 0..LANES {
            for i in 0..per_lane(rows, ty) {
                let (row, column) = at(role, rows, ty, lane, i);
                if let Some(cell) = out.get_mut(row * width + column) {
                    *cell = element(registers, rows, ty, lane, i);
                }
            }
        }
        out
    };
    let a = collect(registers, Role::A, a_rows, a_type);
    let b = collect(registers, Role::B, b_rows, b_type);
    let mut c = collect(registers, Role::C, c_rows, c_type);
    let (n, k) = (usize::from(shape.n), usize::from(shape.k));
    for (index, cell) in c.iter_mut().enumerate() {
        let (row, column) = (index / n, index % n);
        let pairs = (0..k).map(|l| (a[row * k + l], b[l * n + column]));
        *cell = if d_type == Type::S32 {
            let sum: i64 = pairs
                .map(|(a, b)| match multiply.products {
                    Products::Arithmetic => integer(a_type, a) * integer(b_type, b),
                    Products::Xor => (a ^ b) as i64,
                    Products::And => (a & b) as i64,
                })
                .sum::<i64>()
                + integer(c_type, *cell);
            let sum =
                if multiply.satfinite { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
            sum as u64 & 0xffff_ffff
        } else {
            let pairs = pairs.map(|(a, b)| (number(a_type, a), number(b_type, b)));
            let addend = number(c_type, *cell);
            let value = if d_type == Type::F64 {
                pairs.fold(addend, |sum, (a, b)| a.mul_add(b, sum))
            } else {
                // Sums of the factors' exact products; the addend last.
                pairs.map(|(a, b)| a * b).sum::<f64>() + addend
            };
            encoded(d_type, value)
        };
    }
    let pack = per_register(d_type);
    for (r, &row) in d_rows.iter().enumerate() {
        let value = |lane: usize| {
            (0..pack).fold(0u64, |word, part| {
                let (y, x) = at(Role::C, d_rows, d_type, lane, r * pack + part);
                let cell = c.get(y * n + x).copied().unwrap_or(0);
                word | cell << (part as u32 * d_type.bits().min(63))
            })
        };
        let values: [u64; LANES] = std::array::from_fn(value);
        if d_type.bits() == 64 {
            store(registers, row, mask, &values);
        } else {
            store(registers, row, mask, &values.map(|value| value as u32));
        }
    }
}

/// Where the element of a matrix lies: byte address and first bit in it. The first active lane's
/// address and stride count for all.
fn located(
    registers: &Registers,
    inst: &Inst,
    matrix: Matrix,
    lead: usize,
    (row, column): (usize, usize),
) -> (u64, u32) {
    let base = registers.address(inst.src[0], inst.imm, matrix.narrow_address, lead);
    let (rows, columns) = matrix.shape.extents(matrix.role);
    let (outer, inner, dense) =
        if matrix.column_major { (column, row, rows) } else { (row, column, columns) };
    let stride = if matrix.strided { registers.narrow(inst.src[1])[lead] as usize } else { dense };
    let bits = (outer as u64 * stride as u64 + inner as u64) * u64::from(matrix.ty.bits());
    (base.wrapping_add(bits / 8), (bits % 8) as u32)
}

fn load(
    view: &View<'_>,
    registers: &mut Registers,
    inst: &Inst,
    matrix: Matrix,
    rows: &[u32],
    mask: u32,
) -> Result<(), Violation> {
    let ty = matrix.ty;
    let pack = per_register(ty);
    let per_lane = rows.len() * pack;
    let lead = mask.trailing_zeros() as usize & 31;
    for (r, &row) in rows.iter().enumerate() {
        let mut values = [0u64; LANES];
        for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
            for part in 0..pack {
                let place =
                    place_opaque(matrix.shape, matrix.role, per_lane, lane, r * pack + part);
                let (address, bit) = located(registers, inst, matrix, lead, place);
                let bytes = ty.bits().div_ceil(8);
                let pointer = view.cell(lane, matrix.space, address, bytes, AccessKind::Read)?;
                // SAFETY: `cell` has checked so many bytes, and their alignment.
                let raw = unsafe { host_memory::load_bits(pointer, bytes) };
                let value = raw >> bit & (u64::MAX >> (64 - ty.bits()));
                values[lane] |= value << (part as u32 * ty.bits().min(63));
            }
        }
        if ty.bits() == 64 {
            store(registers, row, mask, &values);
        } else {
            store(registers, row, mask, &values.map(|value| value as u32));
        }
    }
    Ok(())
}

fn save(
    view: &View<'_>,
    registers: &Registers,
    inst: &Inst,
    matrix: Matrix,
    rows: &[u32],
    mask: u32,
) -> Result<(), Violation> {
    let ty = matrix.ty;
    let per_lane = rows.len() * per_register(ty);
    let lead = mask.trailing_zeros() as usize & 31;
    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
        for i in 0..per_lane {
            let place = place_opaque(matrix.shape, matrix.role, per_lane, lane, i);
            let (address, _) = located(registers, inst, matrix, lead, place);
            let bytes = ty.bits() / 8;
            let pointer = view.cell(lane, matrix.space, address, bytes, AccessKind::Write)?;
            let value = element(registers, rows, ty, lane, i);
            // SAFETY: as in `load`.
            unsafe { host_memory::store_bits(pointer, bytes, value) };
        }
    }
    Ok(())
}

/// The places of the 16-bit elements that a lane holds of a tile: two of a row, or of a column.
fn tile_places(transposed: bool, lane: usize) -> [(usize, usize); 2] {
    [0, 1].map(|i| {
        let (y, x) = (lane / 4, 2 * (lane % 4) + i);
        if transposed { (x, y) } else { (y, x) }
    })
}

/// The host's places of the rows of a tile, given by eight lanes.
fn tile_rows(
    view: &View<'_>,
    registers: &Registers,
    inst: &Inst,
    tile: Tile,
    number: usize,
    access: AccessKind,
) -> Result<[*mut u16; 8], Violation> {
    let mut out = [std::ptr::null_mut(); 8];
    for (row, out) in out.iter_mut().enumerate() {
        let lane = 8 * number + row;
        let address = registers.address(inst.src[0], inst.imm, tile.narrow_address, lane);
        *out = view.cell(lane, tile.space, address, 16, access)?.cast();
    }
    Ok(out)
}

fn load_tiles(
    view: &View<'_>,
    registers: &mut Registers,
    inst: &Inst,
    tile: Tile,
    rows: &[u32],
    mask: u32,
) -> Result<(), Violation> {
    let mut loaded = Vec::new();
    for number in 0..rows.len().min(4) {
        let pointers = tile_rows(view, registers, inst, tile, number, AccessKind::Read)?;
        loaded.push(std::array::from_fn::<u32, LANES, _>(|lane| {
            let [low, high] = tile_places(tile.transposed, lane).map(|(y, x)| {
                // SAFETY: each row has been checked for its eight elements, and is aligned to 16.
                u32::from(unsafe { u16::load(pointers[y].add(x)) })
            });
            high << 16 | low
        }));
    }
    // Addresses may be in a register that is written.
    for (&row, values) in rows.iter().zip(&loaded).filter(|pair| *pair.0 != NO_ROW) {
        store(registers, row, mask, values);
    }
    Ok(())
}

fn store_tiles(
    view: &View<'_>,
    registers: &Registers,
    inst: &Inst,
    tile: Tile,
    rows: &[u32],
    mask: u32,
) -> Result<(), Violation> {
    for (number, &row) in rows.iter().enumerate().take(4) {
        let pointers = tile_rows(view, registers, inst, tile, number, AccessKind::Write)?;
        let values = registers.narrow(row);
        for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
            for (i, (y, x)) in tile_places(tile.transposed, lane).into_iter().enumerate() {
                // SAFETY: as in `load_tiles`.
                unsafe { u16::store(pointers[y].add(x), (values[lane] >> (16 * i)) as u16) };
            }
        }
    }
    Ok(())
}
