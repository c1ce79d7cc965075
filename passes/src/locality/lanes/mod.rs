//! Rows of a nest, whose inner loops several threads share: what such a nest is, what spreading costs
//! in sectors, and the numbers of a plan.

pub mod columns;
pub mod row_nest;
mod sectors;
pub mod spread_plan;
