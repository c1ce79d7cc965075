//! What moves between host and device.

pub mod estimate_work;
pub mod find_sections;
mod section;
