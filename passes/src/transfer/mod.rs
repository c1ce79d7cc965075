//! What moves between host and device.

pub mod find_sections;
mod section;
