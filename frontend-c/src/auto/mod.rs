//! `--auto`: nests of plain C that could run on the device, and what the host must do between them.
//!
//! The driver asks for [`functions`], tries their loops from the outside in (`driver/src/auto.rs`), and puts
//! a directive of its own at each nest that it offloads ([`insert`]). [`residency`] then says where, in the
//! program around, data that nests have left on the device must come back.
//!
//! | file | holds |
//! |---|---|
//! | [`candidates`] | which loops may be tried, and why others may not |
//! | [`effects`] | what memory statements of the host look at and change |
//! | [`calls`] | which functions know of nests, and which do not |
//! | [`residency`] | where the host asks for its data |
//! | [`sections`] | which parts of it |
//! | [`excess`] | what directives move, and planned transfers would not |
//! | [`tasks`] | the graph of tasks and what moves between them, for people |
//! | [`drawing`] | that graph as text and as a picture |

pub mod calls;
pub mod candidates;
pub mod drawing;
pub mod effects;
pub mod excess;
pub mod residency;
pub mod sections;
pub mod tasks;

pub use candidates::{Refusal, functions, insert, remove, statements_inside, try_first};
