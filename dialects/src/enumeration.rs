//! Enumerations of our own dialects.

/// Declares enumerations of a dialect, each stored as `#dialect<mnemonic keyword>`: a Rust enum, its
/// attributes, and the constraint on them.
macro_rules! enumerations {
    ($dialect:literal; $(
        $(#[doc = $doc:literal])*
        $kind:ident, $spec:ident, $constraint:ident, $mnemonic:literal, $summary:literal {
            $($(#[doc = $case_doc:literal])* $case:ident = $keyword:literal),* $(,)?
        }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum $kind { $($(#[doc = $case_doc])* $case),* }

        impl $kind {
            /// Every case.
            pub const ALL: &[$kind] = &[$($kind::$case),*];

            /// The word for it in texts.
            pub fn keyword(self) -> &'static str {
                match self { $($kind::$case => $keyword),* }
            }

            /// The attribute that says it.
            pub fn attr(self, ctx: &mut gpuc_ir::Context) -> gpuc_ir::Attr {
                $spec.attr(ctx, self as i64)
            }

            /// The case that an attribute says.
            pub fn of(ctx: &gpuc_ir::Context, attr: gpuc_ir::Attr) -> Option<$kind> {
                $spec.number(ctx, attr).and_then(|n| Self::ALL.get(n as usize).copied())
            }
        }

        /// The enumeration's cases.
        pub static $spec: gpuc_ir::op::EnumSpec = gpuc_ir::op::EnumSpec {
            dialect: $dialect,
            mnemonic: $mnemonic,
            cases: &[$(($keyword, $kind::$case as i64)),*],
            bits: false,
            storage: gpuc_ir::op::EnumStorage::Spaced,
        };

        /// Attributes that say a case.
        pub static $constraint: gpuc_ir::op::AttrConstraint = gpuc_ir::op::AttrConstraint {
            summary: $summary,
            holds: |ctx, attr| $spec.number(ctx, attr).is_some(),
            syntax: gpuc_ir::op::AttrSyntax::Enum(&$spec),
        };
    )*};
}

pub(crate) use enumerations;
