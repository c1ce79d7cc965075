//! Calls: arguments against parameters, and the calls that the compiler itself understands.

use super::{Checker, FunctionType, Type, TypeKind};
use crate::source::Span;
use crate::tree::{ExprId, ExprKind};

impl Checker {
    /// `callee(arguments)`.
    pub(crate) fn call(&mut self, callee: ExprId, arguments: Vec<ExprId>, span: Span) -> ExprId {
        if let Some(name) = self.unit.named(callee).and_then(|decl| self.unit.decls[decl].name)
            && let Some(result) = self.builtin_call(name, callee, &arguments, span)
        {
            return result;
        }
        let pointer = self.rvalue(callee);
        let ty = self.ty(pointer);
        if ty.is_error() {
            return self.error_expr(span);
        }
        let function = self.unit.types.pointee(ty).and_then(|to| self.unit.types.as_function(to));
        let Some(function) = function.cloned() else {
            let (span, shown) = (self.span(callee), self.show(ty));
            return self.refuse(span, format!("`{shown}` is not a function and cannot be called"));
        };
        self.check_count(callee, &function, arguments.len(), span);
        let arguments: Box<[ExprId]> = arguments
            .into_iter()
            .enumerate()
            .map(|(index, argument)| match function.parameters.get(index) {
                Some(&parameter) => self.convert_assigned(argument, parameter, "an argument"),
                None => self.promote_argument(argument),
            })
            .collect();
        let result = function.result;
        self.value(ExprKind::Call { callee: pointer, arguments }, result, span)
    }

    fn check_count(&mut self, callee: ExprId, function: &FunctionType, count: usize, span: Span) {
        let wanted = function.parameters.len();
        if !function.prototype || count == wanted || function.variadic && count > wanted {
            return;
        }
        let name = match self.unit.named(callee) {
            Some(decl) => format!("`{}`", self.unit.name(decl)),
            None => "this function".to_owned(),
        };
        let least = if function.variadic { "at least " } else { "" };
        let s = if wanted == 1 { "" } else { "s" };
        self.error(span, format!("{name} takes {least}{wanted} argument{s}, not {count}"));
    }

    /// A call whose result type follows from its arguments.
    pub(crate) fn call_yielding(
        &mut self,
        callee: ExprId,
        arguments: &[ExprId],
        result: Type,
        span: Span,
    ) -> ExprId {
        let callee = self.rvalue(callee);
        let arguments: Box<[ExprId]> = arguments.iter().map(|&a| self.rvalue(a)).collect();
        self.value(ExprKind::Call { callee, arguments }, result, span)
    }

    /// What the pointer `expr` points to, for the atomic builtins.
    pub(crate) fn pointee_of(&mut self, expr: ExprId) -> Option<Type> {
        let value = self.rvalue(expr);
        match *self.unit.types.kind(self.ty(value)) {
            TypeKind::Pointer(to) => Some(to.unqualified()),
            _ => None,
        }
    }
}
