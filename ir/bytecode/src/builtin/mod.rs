//! Encodings of the builtin dialect's attributes, locations and types: a code, and what stands behind it. Where a table
//! of upstream's declarations has several codes for one thing, they differ in what is left out.
//!
//! What has no code here is its text, in both directions.

mod attributes;
mod types;

/// Codes of attributes and locations.
mod attribute {
    pub const ARRAY: u64 = 0;
    pub const DICTIONARY: u64 = 1;
    pub const STRING: u64 = 2;
    pub const TYPED_STRING: u64 = 3;
    pub const FLAT_SYMBOL: u64 = 4;
    pub const SYMBOL: u64 = 5;
    pub const TYPE: u64 = 6;
    pub const UNIT: u64 = 7;
    pub const INTEGER: u64 = 8;
    pub const FLOAT: u64 = 9;
    pub const CALL_SITE: u64 = 10;
    pub const FILE_LINE_COLUMN: u64 = 11;
    pub const FUSED: u64 = 12;
    pub const FUSED_WITH_METADATA: u64 = 13;
    pub const NAME: u64 = 14;
    pub const UNKNOWN: u64 = 15;
    pub const DENSE_RESOURCE: u64 = 16;
    pub const DENSE_ARRAY: u64 = 17;
    pub const DENSE_ELEMENTS: u64 = 18;
    /// Codes of attributes that the IR has not.
    pub const NOT_HERE: [(u64, &str); 3] =
        [(19, "dense elements that are strings"), (20, "sparse elements"), (21, "distinct")];
}

/// Codes of types.
mod ty {
    pub const INTEGER: u64 = 0;
    pub const INDEX: u64 = 1;
    pub const FUNCTION: u64 = 2;
    pub const BF16: u64 = 3;
    pub const F16: u64 = 4;
    pub const F32: u64 = 5;
    pub const F64: u64 = 6;
    pub const F80: u64 = 7;
    pub const F128: u64 = 8;
    pub const COMPLEX: u64 = 9;
    pub const MEMREF: u64 = 10;
    pub const MEMREF_IN_SPACE: u64 = 11;
    pub const NONE: u64 = 12;
    pub const TENSOR: u64 = 13;
    pub const ENCODED_TENSOR: u64 = 14;
    pub const TUPLE: u64 = 15;
    pub const UNRANKED_MEMREF: u64 = 16;
    pub const UNRANKED_MEMREF_IN_SPACE: u64 = 17;
    pub const UNRANKED_TENSOR: u64 = 18;
    pub const VECTOR: u64 = 19;
    pub const SCALABLE_VECTOR: u64 = 20;
}
