//! The tree as text (`--emit=ast`).

use std::fmt::Write;

use super::{
    CastKind, DeclId, DeclKind, ExprId, ExprKind, InitElement, Initializer, ItemKind, StmtId,
    StmtKind, TranslationUnit,
};
use crate::types::Type;

/// The tree of what the user's own files hold: one node a line, indented by depth, with types.
/// Declarations of system headers are left out.
pub fn dump(unit: &TranslationUnit) -> String {
    let mut dump = Dump { unit, out: String::new(), depth: 0 };
    for item in &unit.items {
        if unit.source.is_system(item.span.start) {
            continue;
        }
        match &item.kind {
            ItemKind::Declaration(decls) => decls.iter().for_each(|&decl| dump.decl(decl)),
            ItemKind::Function(decl) => dump.function(*decl),
            ItemKind::Directive(id) => {
                let text = unit.directives[*id].display(unit);
                dump.line(&text);
            }
            ItemKind::Other => {}
        }
    }
    dump.out
}

/// What is deeper than this, as the first terms of a very long sum, is left out.
const DEEPEST: usize = 500;

struct Dump<'a> {
    unit: &'a TranslationUnit,
    out: String,
    depth: usize,
}

impl Dump<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn inside(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.line("...");
            self.depth -= 1;
            return;
        }
        write(self);
        self.depth -= 1;
    }

    fn show(&self, ty: Type) -> String {
        self.unit.display(ty)
    }

    fn signature(&self, decl: DeclId) -> String {
        let entity = &self.unit.decls[decl];
        let name = self.unit.name(decl).to_owned();
        self.unit.types.declaration(entity.ty, name, &self.unit.symbols)
    }

    fn decl(&mut self, decl: DeclId) {
        let entity = &self.unit.decls[decl];
        let word = match &entity.kind {
            DeclKind::Variable(variable) if variable.declared_only => "extern",
            DeclKind::Variable(_) => "variable",
            DeclKind::Parameter { .. } => "parameter",
            DeclKind::Function(_) => "declare",
            DeclKind::Typedef => "typedef",
            DeclKind::EnumConstant(_) => "constant",
            DeclKind::Label(_) => "label",
        };
        let signature = self.signature(decl);
        self.line(&format!("{word} {signature}"));
        if let DeclKind::Variable(variable) = &self.unit.decls[decl].kind
            && let Some(init) = &variable.init
        {
            self.inside(|dump| dump.init(init));
        }
    }

    fn init(&mut self, init: &Initializer) {
        match init {
            Initializer::Value(expr) => self.expr(*expr),
            Initializer::List(elements) => {
                elements.iter().for_each(|element| self.element(element))
            }
        }
    }

    fn element(&mut self, element: &InitElement) {
        let mut text = format!("at {} {}", element.offset, self.show(element.ty));
        if let Some(bits) = element.bits {
            let _ = write!(text, " bits {}+{}", bits.offset, bits.width);
        }
        if let Some((copies, stride)) = element.repeat {
            let _ = write!(text, " and {copies} more every {stride}");
        }
        self.line(&text);
        self.inside(|dump| dump.expr(element.value));
    }

    fn function(&mut self, decl: DeclId) {
        let signature = self.signature(decl);
        self.line(&format!("function {signature}"));
        let Some(function) = self.unit.function(decl) else { return };
        self.inside(|dump| {
            for &parameter in &function.parameters {
                dump.decl(parameter);
            }
            if let Some(body) = function.body {
                dump.stmt(body);
            }
        });
    }

    fn stmt(&mut self, id: StmtId) {
        let mut header = String::new();
        let (mut exprs, mut stmts): (Vec<ExprId>, Vec<StmtId>) = (Vec::new(), Vec::new());
        match &self.unit.stmts[id].kind {
            StmtKind::Empty => header.push_str("empty"),
            StmtKind::Expr(expr) => return self.expr(*expr),
            StmtKind::Declaration(decls) => return decls.iter().for_each(|&decl| self.decl(decl)),
            StmtKind::Compound(inner) => {
                header.push_str("block");
                stmts.clone_from(inner);
            }
            StmtKind::If { condition, then, otherwise } => {
                header.push_str("if");
                exprs.push(*condition);
                stmts.push(*then);
                stmts.extend(otherwise);
            }
            StmtKind::While { condition, body } => {
                header.push_str("while");
                exprs.push(*condition);
                stmts.push(*body);
            }
            StmtKind::DoWhile { body, condition } => {
                header.push_str("do-while");
                exprs.push(*condition);
                stmts.push(*body);
            }
            StmtKind::For { init, condition, step, body } => {
                self.line("for");
                return self.inside(|dump| {
                    match init {
                        Some(init) => dump.stmt(*init),
                        None => dump.line("no start"),
                    }
                    for part in [condition, step] {
                        match part {
                            Some(expr) => dump.expr(*expr),
                            None => dump.line("nothing"),
                        }
                    }
                    dump.stmt(*body);
                });
            }
            StmtKind::Switch { value, body, .. } => {
                header.push_str("switch");
                exprs.push(*value);
                stmts.push(*body);
            }
            StmtKind::Case { low, high, body } => {
                let _ = write!(header, "case {low}");
                if high != low {
                    let _ = write!(header, " to {high}");
                }
                stmts.push(*body);
            }
            StmtKind::Default(body) => {
                header.push_str("default");
                stmts.push(*body);
            }
            StmtKind::Label { label, body } => {
                let _ = write!(header, "label {}", self.unit.name(*label));
                stmts.push(*body);
            }
            StmtKind::Goto(label) => {
                let _ = write!(header, "goto {}", self.unit.name(*label));
            }
            StmtKind::GotoComputed(expr) => {
                header.push_str("goto");
                exprs.push(*expr);
            }
            StmtKind::Break => header.push_str("break"),
            StmtKind::Continue => header.push_str("continue"),
            StmtKind::Return(value) => {
                header.push_str("return");
                exprs.extend(value);
            }
            StmtKind::Asm => header.push_str("asm"),
            StmtKind::Directive { directive, body } => {
                header = self.unit.directives[*directive].display(self.unit);
                stmts.extend(body);
            }
        }
        self.line(&header);
        self.inside(|dump| {
            exprs.iter().for_each(|&expr| dump.expr(expr));
            stmts.iter().for_each(|&stmt| dump.stmt(stmt));
        });
    }

    fn expr(&mut self, id: ExprId) {
        let expr = &self.unit.exprs[id];
        let what = match &expr.kind {
            ExprKind::Error => "error".to_owned(),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Float(value) => format!("{value:?}"),
            ExprKind::Imaginary(value) => format!("{value:?}i"),
            ExprKind::String(literal) => {
                let text: String =
                    literal.units.iter().filter_map(|&u| char::from_u32(u)).collect();
                format!("string {text:?}")
            }
            ExprKind::Name(decl) => self.unit.name(*decl).to_owned(),
            ExprKind::Paren(_) => "paren".to_owned(),
            ExprKind::Unary(op, _) => format!("unary {}", op.spelling()),
            ExprKind::IncDec(op, _) => format!("{op:?}"),
            ExprKind::Binary(op, ..) => format!("binary {}", op.spelling()),
            ExprKind::Assign { .. } => "assign".to_owned(),
            ExprKind::CompoundAssign { op, computed, .. } => {
                format!("assign {}= in {}", op.spelling(), self.show(*computed))
            }
            ExprKind::Conditional { .. } => "choose".to_owned(),
            ExprKind::Comma(..) => "comma".to_owned(),
            ExprKind::Call { .. } => "call".to_owned(),
            ExprKind::Member { access, .. } => {
                let field = &self.unit.types.record(access.record).fields[access.field as usize];
                format!("member {}", field.name.map_or("<anonymous>", |name| self.unit.text(name)))
            }
            ExprKind::Index { .. } => "index".to_owned(),
            ExprKind::Cast { kind, implicit, .. } => cast_words(*kind, *implicit),
            ExprKind::CompoundLiteral(_) => "literal".to_owned(),
            ExprKind::SizeofVariable(ty) => format!("sizeof {}", self.show(*ty)),
            ExprKind::StatementExpr(_) => "statement expression".to_owned(),
            ExprKind::LabelAddress(label) => format!("address of label {}", self.unit.name(*label)),
            ExprKind::VaArg(_) => "va_arg".to_owned(),
            ExprKind::Complex(..) => "complex".to_owned(),
            ExprKind::OffsetofVariable { .. } => "offsetof".to_owned(),
        };
        let ty = self.show(expr.ty);
        self.line(&format!("{what} : {ty}"));
        self.inside(|dump| match &expr.kind {
            ExprKind::CompoundLiteral(init) => dump.init(init),
            ExprKind::StatementExpr(body) => dump.stmt(*body),
            // The name of a called function says as much without its conversion.
            ExprKind::Call { callee, arguments } => {
                match dump.unit.named(*callee) {
                    Some(decl) => dump.line(dump.unit.name(decl)),
                    None => dump.expr(*callee),
                }
                arguments.iter().for_each(|&argument| dump.expr(argument));
            }
            kind => kind.for_each_operand(|operand| dump.expr(operand)),
        });
    }
}

fn cast_words(kind: CastKind, implicit: bool) -> String {
    let words = match kind {
        CastKind::Load => "load",
        CastKind::ArrayToPointer => "array to pointer",
        CastKind::FunctionToPointer => "function to pointer",
        CastKind::Integer => "integer",
        CastKind::IntegerToFloating => "integer to floating",
        CastKind::FloatingToInteger => "floating to integer",
        CastKind::Floating => "floating",
        CastKind::ToBool => "to bool",
        CastKind::PointerToInteger => "pointer to integer",
        CastKind::IntegerToPointer => "integer to pointer",
        CastKind::Pointer => "pointer",
        CastKind::NullToPointer => "null to pointer",
        CastKind::RealToComplex => "real to complex",
        CastKind::ComplexToReal => "complex to real",
        CastKind::Complex => "complex",
        CastKind::Bits => "bits",
        CastKind::ToUnion => "to union",
        CastKind::ToVoid => "to void",
        CastKind::Same => "same",
    };
    if implicit { words.to_owned() } else { format!("cast {words}") }
}
