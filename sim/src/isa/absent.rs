//! What PTX has and the table has not.

/// An instruction, or some of its forms, that cannot be run.
pub(crate) struct Absent {
    /// The mnemonic, with the modifiers of the forms meant.
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
}

macro_rules! absent {
    ($($name:literal: $what:literal,)*) => {
        &[$(Absent { name: $name, what: $what },)*]
    };
}

pub(crate) static ABSENT: &[Absent] = absent! {
    "clusterlaunchcontrol": "work stealing between clusters",
    "cp.async.bulk.tensor": "copies by tensor maps",
    "mma.m8n8k4.f16": "half precision by quarter warps (Volta)",
    "mma.kind::*": "block-scaled and mixed narrow products",
    "mma.sp": "sparse products",
    "multimem": "accesses to several devices",
    "tcgen05": "the fifth generation of matrix units",
    "tensormap": "changes of tensor maps",
    "wgmma.mma_async.sp": "sparse products of warp groups",
    "wgmma...b1": "products of bits of warp groups",
};

/// What stands behind a mnemonic of which no form is supported.
pub(crate) fn absent(mnemonic: &str) -> Option<&'static Absent> {
    ABSENT.iter().find(|absent| absent.name == mnemonic)
}
