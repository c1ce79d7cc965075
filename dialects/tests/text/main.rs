//! The dialects as text: round trips in both forms, refusals, canonicalisation, with the upstream
//! tool as judge where it is installed.

mod arith;
mod control_flow;
mod data;
mod fold;
mod functions;
mod harness;
mod registry;
mod scf;
