//! What of the host's memory has a copy on the device, and the data clauses that change it
//! (OpenACC 3.3 §2.6 and §2.7).
//!
//! [`PresentTable`] is the bookkeeping, [`DataEnvironment`] carries out clauses on it and on a device,
//! `message` words what is wrong with the program.

mod environment;
mod message;
mod newer;
pub mod on_host;
pub mod resident;
mod table;
#[cfg(test)]
mod tests;
mod unions;

pub use environment::DataEnvironment;
pub use table::{Entry, Presence, PresentTable, Stays};
