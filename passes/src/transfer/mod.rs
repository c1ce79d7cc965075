//! What moves between host and device.

pub mod estimate_work;
pub mod find_sections;
pub mod remark_small_regions;
mod section;
mod uses;
