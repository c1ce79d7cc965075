//! Types in messages, as a C programmer writes them.

use super::{ArraySize, Qualifiers, Type, TypeKind, Types};
use crate::symbol::Interner;

const INT_NAMES: [&str; 14] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "__int128",
    "unsigned __int128",
];

const FLOAT_NAMES: [&str; 10] = [
    "_Float16",
    "__bf16",
    "float",
    "_Float32",
    "_Float32x",
    "double",
    "_Float64",
    "_Float64x",
    "long double",
    "_Float128",
];

fn qualifier_words(qualifiers: Qualifiers) -> String {
    [
        (Qualifiers::CONST, "const"),
        (Qualifiers::VOLATILE, "volatile"),
        (Qualifiers::RESTRICT, "restrict"),
        (Qualifiers::ATOMIC, "_Atomic"),
    ]
    .iter()
    .filter(|(q, _)| qualifiers.contains(*q))
    .map(|&(_, word)| word)
    .collect::<Vec<_>>()
    .join(" ")
}

impl Types {
    /// `ty` as C writes it: `int (*)[10]`, `struct node *`.
    pub fn display(&self, ty: Type, symbols: &Interner) -> String {
        self.declaration(ty, String::new(), symbols)
    }

    /// A declaration of `name` with type `ty`.
    pub fn declaration(&self, ty: Type, name: String, symbols: &Interner) -> String {
        let qualifiers = qualifier_words(ty.qualifiers());
        let base = |word: String| {
            let mut parts = Vec::new();
            for part in [qualifiers.clone(), word, name.clone()] {
                if !part.is_empty() {
                    parts.push(part);
                }
            }
            parts.join(" ")
        };
        let tagged = |word: &str, tag: Option<crate::symbol::Symbol>| match tag {
            Some(tag) => format!("{word} {}", symbols.text_of(tag)),
            None => format!("{word} <unnamed>"),
        };
        match self.kind(ty) {
            TypeKind::Error => base("<error>".to_owned()),
            TypeKind::Void => base("void".to_owned()),
            TypeKind::Int(kind) => base(INT_NAMES[*kind as usize].to_owned()),
            TypeKind::Float(kind) => base(FLOAT_NAMES[*kind as usize].to_owned()),
            TypeKind::Complex(part) => base(format!("_Complex {}", self.display(*part, symbols))),
            TypeKind::Nullptr => base("nullptr_t".to_owned()),
            TypeKind::Record(id) => {
                let record = self.record(*id);
                base(tagged(if record.is_union { "union" } else { "struct" }, record.tag))
            }
            TypeKind::Enum(id) => base(tagged("enum", self.enumeration(*id).tag)),
            TypeKind::Vector { element, count } => {
                base(format!("vector({count}) {}", self.display(*element, symbols)))
            }
            TypeKind::Pointer(to) => {
                let space = if qualifiers.is_empty() || name.is_empty() { "" } else { " " };
                let pointer = format!("*{qualifiers}{space}{name}");
                let grouped =
                    matches!(self.kind(*to), TypeKind::Array { .. } | TypeKind::Function(_));
                let inner = if grouped { format!("({pointer})") } else { pointer };
                self.declaration(*to, inner, symbols)
            }
            TypeKind::Array { element, size } => {
                let count = match size {
                    ArraySize::Constant(count) => count.to_string(),
                    ArraySize::Unknown => String::new(),
                    ArraySize::Variable(_) => "<variable>".to_owned(),
                    ArraySize::Star => "*".to_owned(),
                };
                self.declaration(*element, format!("{name}[{count}]"), symbols)
            }
            TypeKind::Function(function) => {
                let mut parameters: Vec<_> =
                    function.parameters.iter().map(|&p| self.display(p, symbols)).collect();
                if function.variadic {
                    parameters.push("...".to_owned());
                } else if parameters.is_empty() && function.prototype {
                    parameters.push("void".to_owned());
                }
                let inner = format!("{name}({})", parameters.join(", "));
                self.declaration(function.result, inner, symbols)
            }
        }
    }
}
