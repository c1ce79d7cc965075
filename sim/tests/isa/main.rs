//! The instruction set, a file a family: each instruction with its types and modifiers in a small
//! PTX kernel of its own, against answers computed here without the simulator's arithmetic.

#[path = "../device/mod.rs"]
mod device;

mod carry;
mod collective;
mod conversion;
mod division;
mod extremum;
mod harness;
mod measured;
mod narrow;
mod packed;
mod video;
mod wide;
