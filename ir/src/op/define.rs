//! The `op!` macro.

/// Declares an operation: its [`OpDef`](crate::OpDef), and a typed view with accessors and a
/// builder. Sections may be left out but keep this order:
///
/// ```ignore
/// gpuc_ir::op! {
///     /// Adds two integers modulo 2^n.
///     AddI = "arith.addi" {
///         operands { lhs: One SIGNLESS_INTEGER_LIKE, rhs: One SIGNLESS_INTEGER_LIKE }
///         results { result: One SIGNLESS_INTEGER_LIKE }
///         attrs { overflowFlags: Default(no_overflow) OVERFLOW_FLAGS }
///         regions { body: SizedOne }
///         successors { dest: One }
///         traits PURE, COMMUTATIVE, SAME_OPERANDS_AND_RESULT_TYPE
///         parents "func.func"
///         types { result = same(lhs) "result has the type of the operands" }
///         format "$lhs `,` $rhs attr-dict `:` type($result)"
///         hooks { fold: Some(fold_addi), verify: Some(verify_addi) }
///     }
/// }
/// ```
///
/// Operands and results take an [`Arity`](crate::op::Arity) and a constraint, attributes a
/// [`Presence`](crate::op::Presence) and a constraint, regions a
/// [`RegionKind`](crate::op::RegionKind). For every operand, result, attribute and region the view
/// has an accessor of its name: `lhs(ir) -> Value`, `Option<Value>` or a list, by arity;
/// `overflowFlags(ir) -> Option<Attr>`; `body(ir) -> Region`. `AddI::new(ctx, lhs, rhs)` starts an
/// [`OpBuild`](crate::OpBuild) with the operands in place.
#[macro_export]
macro_rules! op {
    (
        $(#[doc = $doc:literal])*
        $view:ident = $name:literal {
            $(operands { $($operand:ident : $oarity:ident $oconstraint:expr),* $(,)? })?
            $(results { $($result:ident : $rarity:ident $rconstraint:expr),* $(,)? })?
            $(attrs { $($attr:ident : $presence:ident $(($default:expr))? $aconstraint:ident),* $(,)? })?
            $(regions { $($region:ident : $rkind:ident),* $(,)? })?
            $(successors { $($successor:ident : $sarity:ident),* $(,)? })?
            $(traits $($trait:ident),* $(,)?)?
            $(parents $($parent:literal),*)?
            $(types { $($target:ident = $derive:ident($source:ident) $rule:literal),* $(,)? })?
            $(format $format:literal)?
            $(hooks { $($hook:ident : $hookval:expr),* $(,)? })?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $view(pub $crate::Op);

        impl $crate::OpView for $view {
            fn def() -> &'static $crate::OpDef {
                static DEF: $crate::OpDef = $crate::OpDef {
                    name: $name,
                    docs: concat!($($doc, "\n"),*),
                    operands: &[$($($crate::op::ValueSpec {
                        name: stringify!($operand),
                        arity: $crate::op::Arity::$oarity,
                        constraint: &$oconstraint,
                    }),*)?],
                    results: &[$($($crate::op::ValueSpec {
                        name: stringify!($result),
                        arity: $crate::op::Arity::$rarity,
                        constraint: &$rconstraint,
                    }),*)?],
                    attrs: &[$($($crate::op::AttrSpec {
                        name: stringify!($attr),
                        presence: $crate::op::Presence::$presence $(($default))?,
                        constraint: &$aconstraint,
                    }),*)?],
                    regions: &[$($($crate::op::RegionSpec {
                        name: stringify!($region),
                        kind: $crate::op::RegionKind::$rkind,
                    }),*)?],
                    successors: &[$($($crate::op::SuccessorSpec {
                        name: stringify!($successor),
                        arity: $crate::op::Arity::$sarity,
                    }),*)?],
                    traits: $crate::op::Traits::NONE $($(.with($crate::op::Traits::$trait))*)?,
                    parents: &[$($($parent),*)?],
                    type_rules: &[$($($crate::op::TypeRule {
                        target: stringify!($target),
                        source: stringify!($source),
                        derive: $derive,
                        summary: $rule,
                    }),*)?],
                    format: concat!("" $(, $format)?),
                    hooks: $crate::op::OpHooks {
                        $($($hook: $hookval,)*)?
                        ..$crate::op::OpHooks::NONE
                    },
                    compiled_format: $crate::text::FormatCache::new(),
                };
                &DEF
            }

            fn cast(ir: &$crate::Ir, op: $crate::Op) -> Option<Self> {
                let def = ir.def(op)?;
                std::ptr::eq(def, <Self as $crate::OpView>::def()).then_some($view(op))
            }

            fn op(self) -> $crate::Op {
                self.0
            }
        }

        #[allow(non_snake_case, dead_code, unused_variables, clippy::new_ret_no_self, clippy::too_many_arguments)]
        impl $view {
            /// Full name of the operation.
            pub const NAME: &'static str = $name;

            /// Starts building one, operands in place; attributes, result types that do not follow
            /// from the operands, regions and successors are added on the [`OpBuild`]($crate::OpBuild).
            pub fn new(ir: &mut $crate::Ir $($(, $operand: $crate::op!(@operand_type $oarity))*)?) -> $crate::OpBuild {
                let build = $crate::OpBuild::new(ir, <Self as $crate::OpView>::def());
                $($(let build = $crate::op!(@add_operand $oarity build $operand);)*)?
                build
            }

            $crate::op!(@operands 0usize; $($($operand $oarity,)*)?);
            $crate::op!(@results 0usize; $($($result $rarity,)*)?);
            $crate::op!(@regions 0usize; $($($region $rkind,)*)?);

            $($(
                /// The attribute of that name, if it is there.
                pub fn $attr(self, ir: &$crate::Ir) -> Option<$crate::Attr> {
                    ir.attr(self.0, stringify!($attr))
                }
            )*)?
        }
    };

    (@operand_type One) => { $crate::Value };
    (@operand_type Optional) => { Option<$crate::Value> };
    (@operand_type Variadic) => { &[$crate::Value] };
    (@add_operand One $build:ident $operand:ident) => { $build.operand_group(&[$operand]) };
    (@add_operand Optional $build:ident $operand:ident) => { $build.operand_group($operand.as_slice()) };
    (@add_operand Variadic $build:ident $operand:ident) => { $build.operand_group($operand) };

    (@operands $index:expr; ) => {};
    (@operands $index:expr; $operand:ident One, $($rest:tt)*) => {
        /// The operand of that name.
        pub fn $operand(self, ir: &$crate::Ir) -> $crate::Value {
            ir.operand(self.0, $crate::op::operand_range(ir, self.0, <Self as $crate::OpView>::def(), $index).start)
        }
        $crate::op!(@operands $index + 1; $($rest)*);
    };
    (@operands $index:expr; $operand:ident Optional, $($rest:tt)*) => {
        /// The operand of that name, if it is there.
        pub fn $operand(self, ir: &$crate::Ir) -> Option<$crate::Value> {
            $crate::op::operand_group(ir, self.0, <Self as $crate::OpView>::def(), $index).first().copied()
        }
        $crate::op!(@operands $index + 1; $($rest)*);
    };
    (@operands $index:expr; $operand:ident Variadic, $($rest:tt)*) => {
        /// The operands of that name.
        pub fn $operand(self, ir: &$crate::Ir) -> $crate::op::Values {
            $crate::op::operand_group(ir, self.0, <Self as $crate::OpView>::def(), $index)
        }
        $crate::op!(@operands $index + 1; $($rest)*);
    };

    (@results $index:expr; ) => {};
    (@results $index:expr; $result:ident One, $($rest:tt)*) => {
        /// The result of that name.
        pub fn $result(self, ir: &$crate::Ir) -> $crate::Value {
            $crate::op::result_group(ir, self.0, <Self as $crate::OpView>::def(), $index)[0]
        }
        $crate::op!(@results $index + 1; $($rest)*);
    };
    (@results $index:expr; $result:ident Optional, $($rest:tt)*) => {
        /// The result of that name, if it is there.
        pub fn $result(self, ir: &$crate::Ir) -> Option<$crate::Value> {
            $crate::op::result_group(ir, self.0, <Self as $crate::OpView>::def(), $index).first().copied()
        }
        $crate::op!(@results $index + 1; $($rest)*);
    };
    (@results $index:expr; $result:ident Variadic, $($rest:tt)*) => {
        /// The results of that name.
        pub fn $result(self, ir: &$crate::Ir) -> &[$crate::Value] {
            $crate::op::result_group(ir, self.0, <Self as $crate::OpView>::def(), $index)
        }
        $crate::op!(@results $index + 1; $($rest)*);
    };

    (@regions $index:expr; ) => {};
    (@regions $index:expr; $region:ident Variadic, $($rest:tt)*) => {
        /// The regions of that name.
        pub fn $region(self, ir: &$crate::Ir) -> &[$crate::Region] {
            &ir.regions(self.0)[$index..]
        }
    };
    (@regions $index:expr; $region:ident $kind:ident, $($rest:tt)*) => {
        /// The region of that name.
        pub fn $region(self, ir: &$crate::Ir) -> $crate::Region {
            ir.region(self.0, $index)
        }
        $crate::op!(@regions $index + 1; $($rest)*);
    };
}
