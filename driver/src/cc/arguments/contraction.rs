//! `-ffp-contract`.

/// When a product and the sum it goes into may become one `fma`, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contraction {
    /// Wherever they meet; GCC's default.
    Fast,
    /// Within an expression of the source, as C11 §6.5 ¶8 allows. As in GCC before 14, nothing
    /// fuses then.
    On,
    /// Never; the default of ISO C modes (`-std=c11`).
    Off,
}

impl Contraction {
    /// The mode of a name.
    pub(super) fn parse(name: &str) -> Option<Contraction> {
        match name {
            "fast" => Some(Contraction::Fast),
            "on" => Some(Contraction::On),
            "off" => Some(Contraction::Off),
            _ => None,
        }
    }

    /// Whether anything fuses.
    pub fn fuses(self) -> bool {
        self == Contraction::Fast
    }
}
