//! Compatible and composite types (C11 §6.2.7).

use super::{ArraySize, FunctionType, Type, TypeKind, Types};

impl Types {
    /// Whether two types are compatible, qualifiers included.
    pub fn compatible(&self, a: Type, b: Type) -> bool {
        if a == b || a.is_error() || b.is_error() {
            return true;
        }
        a.qualifiers() == b.qualifiers() && self.compatible_kinds(a, b)
    }

    /// Whether two types are compatible but for their own qualifiers.
    pub fn compatible_unqualified(&self, a: Type, b: Type) -> bool {
        self.compatible(a.unqualified(), b.unqualified())
    }

    fn compatible_kinds(&self, a: Type, b: Type) -> bool {
        match (self.kind(a), self.kind(b)) {
            (TypeKind::Pointer(a), TypeKind::Pointer(b)) => self.compatible(*a, *b),
            (TypeKind::Array { element: a, size: m }, TypeKind::Array { element: b, size: n }) => {
                let sizes = match (m, n) {
                    (ArraySize::Constant(m), ArraySize::Constant(n)) => m == n,
                    _ => true,
                };
                sizes && self.compatible(*a, *b)
            }
            (TypeKind::Function(a), TypeKind::Function(b)) => {
                self.compatible(a.result, b.result)
                    && (!a.prototype
                        || !b.prototype
                        || a.variadic == b.variadic
                            && a.parameters.len() == b.parameters.len()
                            && a.parameters
                                .iter()
                                .zip(&b.parameters)
                                .all(|(&a, &b)| self.compatible_unqualified(a, b)))
            }
            (TypeKind::Enum(id), TypeKind::Int(kind))
            | (TypeKind::Int(kind), TypeKind::Enum(id)) => {
                self.enumeration(*id).underlying == Some(*kind)
            }
            (a, b) => a == b,
        }
    }

    /// The type that knows what either of two compatible types knows.
    pub fn composite(&mut self, a: Type, b: Type) -> Type {
        if a == b {
            return a;
        }
        let qualifiers = a.qualifiers();
        let ty = match (self.kind(a).clone(), self.kind(b).clone()) {
            (TypeKind::Pointer(a), TypeKind::Pointer(b)) => {
                let to = self.composite(a, b);
                self.pointer_to(to)
            }
            (TypeKind::Array { element: x, size: m }, TypeKind::Array { element: y, size: n }) => {
                let element = self.composite(x, y);
                let size = match (m, n) {
                    (ArraySize::Constant(_), _) => m,
                    (_, ArraySize::Constant(_)) => n,
                    (ArraySize::Variable(_), _) => m,
                    (_, ArraySize::Variable(_)) => n,
                    _ => m,
                };
                self.array_of(element, size)
            }
            (TypeKind::Function(x), TypeKind::Function(y)) => {
                let result = self.composite(x.result, y.result);
                let parameters = match (x.prototype, y.prototype) {
                    (true, true) if x.parameters.len() == y.parameters.len() => x
                        .parameters
                        .iter()
                        .zip(&y.parameters)
                        .map(|(&a, &b)| self.composite(a, b))
                        .collect(),
                    (true, _) => x.parameters,
                    (false, _) => y.parameters,
                };
                let prototype = x.prototype || y.prototype;
                let variadic = if x.prototype { x.variadic } else { y.variadic };
                self.function(FunctionType { result, parameters, variadic, prototype })
            }
            _ => a,
        };
        ty.with(qualifiers)
    }
}
