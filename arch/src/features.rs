//! Instructions and modifiers that not every device or PTX version has.

use crate::{Arch, PtxVersion};

/// Something that must be asked for before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// `ld.global.nc`, scalar and up to 16 bytes wide.
    ReadOnlyLoad,
    /// `ld.global.nc.v8.f32` and other 32-byte accesses.
    WideVectorLoad,
    /// `L1::no_allocate`, `L2::128B` and the like on loads.
    CacheHints,
    /// `cp.async`.
    CpAsync,
    /// `cp.async.bulk`.
    CpAsyncBulk,
    /// `red.async`.
    RedAsync,
    /// `red.global.add.v2.f32`.
    VectorReduction,
    /// `redux.sync` on 32-bit integers.
    Redux,
    /// `match.sync`.
    MatchSync,
    /// `activemask`.
    ActiveMask,
    /// `mma.sync` on tf32 and bf16.
    MmaTf32,
    /// `wgmma`.
    Wgmma,
    /// `fma.rn.f32x2`, `add.rn.f32x2`, `mul.rn.f32x2`.
    PackedF32,
    /// `griddepcontrol`.
    GridDependencyControl,
    /// `atom.add.f64`.
    AtomicAddF64,
    /// `atom.add.noftz.f16x2`.
    AtomicAddF16x2,
    /// `atom.add.noftz.bf16x2`.
    AtomicAddBf16x2,
    /// `atom.cas.b128`, `atom.exch.b128`.
    Atomic128,
    /// `fma.rn.bf16`.
    Bf16Arithmetic,
    /// `tanh.approx.f32`.
    TanhApprox,
    /// `mbarrier`.
    Mbarrier,
    /// Thread-block clusters.
    Clusters,
    /// `elect.sync`.
    Elect,
    /// `min.f32` and `max.f32` with `.NaN`.
    MinMaxNan,
    /// `createpolicy` and `L2::cache_hint`.
    CachePolicy,
}

/// The lowest compute capability and PTX version of `feature`.
const fn needs(feature: Feature) -> (u32, PtxVersion) {
    use Feature::*;
    const fn v(major: u8, minor: u8) -> PtxVersion {
        PtxVersion::new(major, minor)
    }
    match feature {
        ReadOnlyLoad => (70, v(6, 0)),
        WideVectorLoad => (100, v(8, 8)),
        CacheHints => (80, v(7, 4)),
        CpAsync => (80, v(7, 0)),
        CpAsyncBulk => (90, v(8, 0)),
        RedAsync | VectorReduction => (90, v(8, 1)),
        Redux => (80, v(7, 0)),
        MatchSync => (70, v(6, 0)),
        ActiveMask => (70, v(6, 2)),
        MmaTf32 => (80, v(7, 0)),
        Wgmma => (90, v(8, 0)),
        PackedF32 => (100, v(8, 6)),
        GridDependencyControl | Clusters => (90, v(7, 8)),
        AtomicAddF64 => (70, v(6, 0)),
        AtomicAddF16x2 => (70, v(6, 2)),
        AtomicAddBf16x2 => (90, v(7, 8)),
        Atomic128 => (90, v(8, 3)),
        Bf16Arithmetic | Mbarrier | MinMaxNan => (80, v(7, 0)),
        TanhApprox => (75, v(7, 0)),
        Elect => (90, v(8, 0)),
        CachePolicy => (80, v(7, 4)),
    }
}

impl Arch {
    /// Whether the device has `feature`.
    pub fn has(&self, feature: Feature) -> bool {
        let (number, _) = needs(feature);
        match feature {
            // Not carried forward to later generations.
            Feature::Wgmma => self.number == 90 && self.specific,
            _ => number <= self.number,
        }
    }

    /// The PTX `.version` a module for this device needs when it uses `feature`; `None` where the
    /// device does not have it.
    pub fn ptx_version(&self, feature: Feature) -> Option<PtxVersion> {
        self.has(feature).then(|| needs(feature).1.max(self.min_ptx))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_by_device() {
        let arch = |name| Arch::by_name(name).unwrap_or_else(|| panic!("{name}"));
        assert!(!arch("sm_75").has(Feature::CpAsync));
        assert!(arch("sm_80").has(Feature::CpAsync));
        assert!(!arch("sm_90").has(Feature::Wgmma));
        assert!(arch("sm_90a").has(Feature::Wgmma));
        assert!(!arch("sm_100a").has(Feature::Wgmma));
        assert!(!arch("sm_90").has(Feature::PackedF32) && arch("sm_120").has(Feature::PackedF32));
        assert_eq!(arch("sm_80").ptx_version(Feature::CacheHints), Some(PtxVersion::new(7, 4)));
        assert_eq!(arch("sm_120").ptx_version(Feature::CpAsync), Some(PtxVersion::new(8, 7)));
        assert_eq!(arch("sm_70").ptx_version(Feature::CpAsync), None);
    }
}
