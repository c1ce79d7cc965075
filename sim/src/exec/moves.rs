//! Moves, packing and predicate logic.

use crate::program::{Clock, Code, Inst, IntBinary, MemorySpace, NO_ROW, Op, window};

use super::lanes::{LANES, Registers, map1, store};

/// Runs a move; `clock` is the warp's instruction count, which stands for time.
#[inline(always)]
pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32, code: &Code, clock: u64) {
    match inst.op {
        Op::Move32 => map1(registers, inst, mask, |a: u32| a),
        Op::Move64 => map1(registers, inst, mask, |a: u64| a),
        Op::AddImmediate => map1(registers, inst, mask, |a: u64| a.wrapping_add_signed(inst.imm)),
        Op::MovePred => {
            let value = registers.predicate(inst.src[0]);
            registers.set_predicate(inst.dst, mask, value);
        }
        Op::PredNot => {
            let value = !registers.predicate(inst.src[0]);
            registers.set_predicate(inst.dst, mask, value);
        }
        Op::PredBinary(op) => {
            let (a, b) = (registers.predicate(inst.src[0]), registers.predicate(inst.src[1]));
            let value = match op {
                IntBinary::And => a & b,
                IntBinary::Or => a | b,
                _ => a ^ b,
            };
            registers.set_predicate(inst.dst, mask, value);
        }
        Op::ReadClock(clock_part) => match clock_part {
            Clock::Low => store(registers, inst.dst, mask, &[clock as u32; LANES]),
            Clock::High => store(registers, inst.dst, mask, &[(clock >> 32) as u32; LANES]),
            Clock::Full => store(registers, inst.dst, mask, &[clock; LANES]),
        },
        _ => irregular(registers, inst, mask, code),
    }
}

fn irregular(registers: &mut Registers, inst: &Inst, mask: u32, code: &Code) {
    match inst.op {
        Op::Pack { list, part_bits } => {
            let part_mask = u64::MAX >> (64 - u32::from(part_bits));
            let mut out = [0u64; LANES];
            let rows = &code.lists[list.start as usize..][..list.count as usize];
            for (i, &row) in rows.iter().enumerate() {
                let part = registers.narrow(row);
                for lane in 0..LANES {
                    out[lane] |=
                        (u64::from(part[lane]) & part_mask) << (i as u32 * u32::from(part_bits));
                }
            }
            if inst.imm == 64 {
                store(registers, inst.dst, mask, &out);
            } else {
                store(registers, inst.dst, mask, &out.map(|value| value as u32));
            }
        }
        Op::Unpack { list, part_bits } => {
            let whole: [u64; LANES] = if inst.imm == 64 {
                *registers.wide(inst.src[0])
            } else {
                registers.narrow(inst.src[0]).map(u64::from)
            };
            let part_mask = u64::MAX >> (64 - u32::from(part_bits));
            for i in 0..u32::from(list.count) {
                let row = code.lists[(list.start + i) as usize];
                if row != NO_ROW {
                    let shift = i * u32::from(part_bits);
                    let part = whole.map(|value| (value >> shift & part_mask) as u32);
                    store(registers, row, mask, &part);
                }
            }
        }
        Op::IsSpace(space) => {
            let base = match space {
                MemorySpace::Shared => window::SHARED,
                MemorySpace::Local => window::LOCAL,
                MemorySpace::Param => window::PARAM,
                _ => 0,
            };
            let mut out = 0;
            for (lane, &address) in registers.wide(inst.src[0]).iter().enumerate() {
                let inside = if base == 0 {
                    address < window::SHARED
                } else {
                    address.wrapping_sub(base) < window::SIZE
                };
                out |= u32::from(inside) << lane;
            }
            registers.set_predicate(inst.dst, mask, out);
        }
        _ => {}
    }
}
