//! Complex numbers (C11 §6.2.5 ¶13): pairs of floating values, and in memory arrays of two.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::{arith, math};
use gpuc_ir::Value;

use super::lowerer::{Lowerer, Lowering};
use super::place::{Form, Pointer};
use super::scalar::Scalar;
use crate::source::Span;
use crate::tree::{BinaryOp, CastKind, DeclId, ExprId, ExprKind, IncDec, StmtKind, UnaryOp};
use crate::types::Type;

/// Real and imaginary part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Complex {
    pub re: Value,
    pub im: Value,
}

impl Lowerer<'_> {
    /// Whether an expression is complex.
    pub(super) fn is_complex(&self, expr: ExprId) -> bool {
        self.is_complex_type(self.ty(expr))
    }

    /// Whether a type is complex.
    pub(super) fn is_complex_type(&self, ty: Type) -> bool {
        self.unit.types.as_complex(ty).is_some()
    }

    /// The scalar of the parts of a complex type, or of a real one.
    fn part(&self, ty: Type, span: Span) -> Lowering<Scalar> {
        self.scalar(self.unit.types.as_complex(ty).unwrap_or(ty), span)
    }

    /// The real or imaginary part of the complex object at a pointer.
    pub(super) fn part_of(&mut self, object: &Pointer, scalar: Scalar, imaginary: bool) -> Pointer {
        let form = self.buffers[object.buffer].form.clone();
        let mut part = object.clone();
        match form {
            Form::Elements { inner, .. } if !inner.is_empty() => {
                let index = self.index(i64::from(imaginary));
                part.position.push(index);
            }
            Form::Bytes => {
                let size = if imaginary { scalar.size() as i64 } else { 0 };
                let offset = self.index(size);
                part = self.move_bytes(object, offset);
            }
            _ => {
                let index = self.index(i64::from(imaginary));
                if let Some(&last) = part.position.last() {
                    let moved = self.add_index(last, index);
                    part.position.pop();
                    part.position.push(moved);
                }
            }
        }
        part
    }

    /// Reads the complex object at a pointer.
    pub(super) fn load_complex(
        &mut self,
        object: &Pointer,
        ty: Type,
        span: Span,
    ) -> Lowering<Complex> {
        self.check_position(object, ty, span)?;
        let scalar = self.part(ty, span)?;
        let parts = [false, true].map(|imaginary| self.part_of(object, scalar, imaginary));
        let re = self.load(&parts[0], scalar, span)?;
        Ok(Complex { re, im: self.load(&parts[1], scalar, span)? })
    }

    /// Writes it.
    pub(super) fn store_complex(
        &mut self,
        value: Complex,
        object: &Pointer,
        ty: Type,
        span: Span,
    ) -> Lowering<()> {
        self.check_position(object, ty, span)?;
        let scalar = self.part(ty, span)?;
        for (part, imaginary) in [(value.re, false), (value.im, true)] {
            let at = self.part_of(object, scalar, imaginary);
            self.store(part, &at, scalar, span)?;
        }
        Ok(())
    }

    fn float(&mut self, value: f64, scalar: Scalar) -> Value {
        let ty = scalar.register(&mut self.b.ctx);
        arith::constant_float(&mut self.b, value, ty)
    }

    /// A complex value in parts of another type.
    fn convert_complex(&mut self, value: Complex, from: Scalar, to: Scalar) -> Complex {
        Complex { re: self.convert(value.re, from, to), im: self.convert(value.im, from, to) }
    }

    /// The value of a complex expression; of a real one, with an imaginary part of 0.
    pub(super) fn complex_value(&mut self, expr: ExprId) -> Lowering<Complex> {
        let span = self.span(expr);
        let ty = self.ty(expr);
        let scalar = self.part(ty, span)?;
        self.locate(span);
        if !self.is_complex(expr) {
            let re = self.rvalue(expr)?;
            let ty = scalar.register(&mut self.b.ctx);
            let im = match scalar.is_float() {
                true => self.float(0.0, scalar),
                false => arith::constant_int(&mut self.b, 0, ty),
            };
            return Ok(Complex { re, im });
        }
        match self.unit.exprs[expr].kind.clone() {
            ExprKind::Paren(inner) => self.complex_value(inner),
            ExprKind::Imaginary(value) => {
                let [re, im] = [0.0, value].map(|part| match scalar.is_float() {
                    true => self.float(part, scalar),
                    // `2i` is a complex integer (GNU).
                    false => {
                        let ty = scalar.register(&mut self.b.ctx);
                        arith::constant_int(&mut self.b, part as i128, ty)
                    }
                });
                Ok(Complex { re, im })
            }
            ExprKind::Complex(re, im) => Ok(Complex { re: self.rvalue(re)?, im: self.rvalue(im)? }),
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                let object = self.object(operand)?;
                self.load_complex(&object, ty, span)
            }
            ExprKind::Cast { kind: CastKind::Same, operand, .. } if self.is_complex(operand) => {
                self.complex_value(operand)
            }
            ExprKind::Cast {
                kind: CastKind::RealToComplex | CastKind::Complex | CastKind::Same,
                operand,
                ..
            } => {
                let from = self.part(self.ty(operand), span)?;
                let value = self.complex_value(operand)?;
                self.locate(span);
                Ok(self.convert_complex(value, from, scalar))
            }
            ExprKind::Unary(UnaryOp::Plus, operand) => self.complex_value(operand),
            ExprKind::Unary(op @ (UnaryOp::Minus | UnaryOp::Complement), operand) => {
                let Complex { re, im } = self.complex_value(operand)?;
                self.locate(span);
                let re = if op == UnaryOp::Minus { self.negate(re, scalar) } else { re };
                Ok(Complex { re, im: self.negate(im, scalar) })
            }
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.complex_value(a)?, self.complex_value(b)?);
                self.locate(span);
                self.complex_arithmetic(op, scalar, left, right, span)
            }
            ExprKind::Comma(first, second) => {
                self.effects(first)?;
                self.complex_value(second)
            }
            ExprKind::Assign { target, value } => {
                let value = self.complex_value(value)?;
                let object = self.object(target)?;
                self.locate(span);
                self.store_complex(value, &object, ty, span)?;
                Ok(value)
            }
            ExprKind::CompoundAssign { op, target, value, computed } => {
                let wide = self.part(computed, span)?;
                let object = self.object(target)?;
                let right = self.complex_value(value)?;
                let from = self.part(self.ty(value), span)?;
                let right = self.convert_complex(right, from, wide);
                let old = self.load_complex(&object, ty, span)?;
                let old = self.convert_complex(old, scalar, wide);
                self.locate(span);
                let new = self.complex_arithmetic(op, wide, old, right, span)?;
                let new = self.convert_complex(new, wide, scalar);
                self.store_complex(new, &object, ty, span)?;
                Ok(new)
            }
            ExprKind::IncDec(op, target) => {
                let object = self.object(target)?;
                let old = self.load_complex(&object, ty, span)?;
                let up = matches!(op, IncDec::PreIncrement | IncDec::PostIncrement);
                let one = self.float(if up { 1.0 } else { -1.0 }, scalar);
                let re = self.arithmetic(BinaryOp::Add, scalar, old.re, one, span)?;
                let new = Complex { re, ..old };
                self.store_complex(new, &object, ty, span)?;
                let post = matches!(op, IncDec::PostIncrement | IncDec::PostDecrement);
                Ok(if post { old } else { new })
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                let condition = self.condition(condition)?;
                let chosen = self.local_object(None, ty, span)?;
                self.either(
                    condition,
                    |l| {
                        let value = l.complex_value(then)?;
                        l.store_complex(value, &chosen, ty, span)
                    },
                    |l| {
                        let value = l.complex_value(otherwise)?;
                        l.store_complex(value, &chosen, ty, span)
                    },
                )?;
                self.load_complex(&chosen, ty, span)
            }
            ExprKind::StatementExpr(body) => {
                let StmtKind::Compound(stmts) = &self.unit.stmts[body].kind else {
                    return self.untraced(span);
                };
                let Some((&last, before)) = stmts.split_last() else { return self.untraced(span) };
                let StmtKind::Expr(value) = self.unit.stmts[last].kind else {
                    return self.untraced(span);
                };
                self.statements(before)?;
                self.complex_value(value)
            }
            ExprKind::Call { callee, arguments } => self.complex_call(expr, callee, &arguments),
            ExprKind::Member { .. } | ExprKind::Index { .. } | ExprKind::Name(_) => {
                let object = self.object(expr)?;
                self.load_complex(&object, ty, span)
            }
            _ => self.error(span, "this complex expression is not supported in device code"),
        }
    }

    /// `left op right` (C11 Annex G.5, for finite operands).
    fn complex_arithmetic(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Complex,
        right: Complex,
        span: Span,
    ) -> Lowering<Complex> {
        use BinaryOp::{Add, Div, Mul, Sub};
        let (Complex { re: a, im: b }, Complex { re: c, im: d }) = (left, right);
        match op {
            Add | Sub => Ok(Complex {
                re: self.arithmetic(op, scalar, a, c, span)?,
                im: self.arithmetic(op, scalar, b, d, span)?,
            }),
            Mul => {
                let ac = self.arithmetic(Mul, scalar, a, c, span)?;
                let bd = self.arithmetic(Mul, scalar, b, d, span)?;
                let ad = self.arithmetic(Mul, scalar, a, d, span)?;
                let bc = self.arithmetic(Mul, scalar, b, c, span)?;
                Ok(Complex {
                    re: self.arithmetic(Sub, scalar, ac, bd, span)?,
                    im: self.arithmetic(Add, scalar, ad, bc, span)?,
                })
            }
            Div if scalar.is_float() => self.quotient(scalar, left, right, span),
            _ => {
                let message = format!("`{}` does not apply to complex types", op.spelling());
                self.error(span, message)
            }
        }
    }

    /// `left / right` without overflow in between (Smith, "Algorithm 116: Complex division", CACM 1962).
    fn quotient(
        &mut self,
        scalar: Scalar,
        left: Complex,
        right: Complex,
        span: Span,
    ) -> Lowering<Complex> {
        use BinaryOp::{Add, Div, Less, Mul, Sub};
        let (Complex { re: a, im: b }, Complex { re: c, im: d }) = (left, right);
        let sizes = [c, d].map(|value| {
            let op = math::AbsFOp::new(&mut self.b, value);
            self.value(op)
        });
        let swapped = self.comparison(Less, scalar, sizes[0], sizes[1]);
        let mut select = |yes: Value, no: Value| {
            let op = arith::SelectOp::new(&mut self.b, swapped, yes, no);
            self.value(op)
        };
        let (large, small) = (select(d, c), select(c, d));
        let (times, plus) = (select(a, b), select(b, a));
        let (minuend, factor) = (select(b, b), select(a, a));
        let ratio = self.arithmetic(Div, scalar, small, large, span)?;
        let scaled = self.arithmetic(Mul, scalar, small, ratio, span)?;
        let divisor = self.arithmetic(Add, scalar, large, scaled, span)?;
        let product = self.arithmetic(Mul, scalar, times, ratio, span)?;
        let re = self.arithmetic(Add, scalar, product, plus, span)?;
        // Swapped, b r - a; else b - a r.
        let br = self.arithmetic(Mul, scalar, minuend, ratio, span)?;
        let ar = self.arithmetic(Mul, scalar, factor, ratio, span)?;
        let op = arith::SelectOp::new(&mut self.b, swapped, br, b);
        let first = self.value(op);
        let op = arith::SelectOp::new(&mut self.b, swapped, a, ar);
        let second = self.value(op);
        let im = self.arithmetic(Sub, scalar, first, second, span)?;
        Ok(Complex {
            re: self.arithmetic(Div, scalar, re, divisor, span)?,
            im: self.arithmetic(Div, scalar, im, divisor, span)?,
        })
    }

    /// The real part of `old op value`, and its type.
    pub(super) fn with_complex(
        &mut self,
        op: BinaryOp,
        old: Value,
        scalar: Scalar,
        value: ExprId,
        computed: Type,
        span: Span,
    ) -> Lowering<(Value, Scalar)> {
        let wide = self.part(computed, span)?;
        let right = self.complex_value(value)?;
        let from = self.part(self.ty(value), span)?;
        let right = self.convert_complex(right, from, wide);
        let left = Complex { re: self.convert(old, scalar, wide), im: self.float(0.0, wide) };
        Ok((self.complex_arithmetic(op, wide, left, right, span)?.re, wide))
    }

    /// Whether a complex expression is not zero, or two are (un)equal.
    pub(super) fn complex_comparison(
        &mut self,
        op: BinaryOp,
        scalar_of: ExprId,
        left: Complex,
        right: Complex,
    ) -> Lowering<Value> {
        let scalar = self.part(self.ty(scalar_of), self.span(scalar_of))?;
        let re = self.comparison(op, scalar, left.re, right.re);
        let im = self.comparison(op, scalar, left.im, right.im);
        let op = match op {
            BinaryOp::Equal => arith::AndIOp::new(&mut self.b, re, im),
            _ => arith::OrIOp::new(&mut self.b, re, im),
        };
        Ok(self.value(op))
    }

    /// Whether a complex expression is not zero.
    pub(super) fn complex_truth(&mut self, expr: ExprId) -> Lowering<Value> {
        let scalar = self.part(self.ty(expr), self.span(expr))?;
        let value = self.complex_value(expr)?;
        let zero = self.float(0.0, scalar);
        let zero = Complex { re: zero, im: zero };
        self.complex_comparison(BinaryOp::NotEqual, expr, value, zero)
    }

    /// A call that gives a complex number.
    fn complex_call(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        arguments: &[ExprId],
    ) -> Lowering<Complex> {
        let (ty, span) = (self.ty(expr), self.span(expr));
        let scalar = self.part(ty, span)?;
        let name = super::walk::callee(self.unit, callee)
            .filter(|&(decl, body)| body.is_none() && !self.is_of_other_file(decl))
            .map(|(decl, _)| self.unit.name(decl).to_owned());
        let Some(name) = name else {
            let object = self.call_record(expr, callee, arguments)?;
            return self.load_complex(&object, ty, span);
        };
        let base = name.strip_prefix("__builtin_").unwrap_or(&name);
        let stem = match scalar {
            Scalar::F32 => base.strip_suffix('f').unwrap_or(base),
            _ => base,
        };
        let &[argument] = arguments else { return self.no_function(base, span) };
        let value = self.complex_value(argument)?;
        self.locate(span);
        match stem {
            "conj" => Ok(Complex { im: self.negate(value.im, scalar), ..value }),
            "cexp" => {
                let op = math::ExpOp::new(&mut self.b, value.re);
                let size = self.value(op);
                self.polar(size, value.im, scalar, span)
            }
            "clog" => {
                let size = self.magnitude(value, scalar);
                let op = math::LogOp::new(&mut self.b, size);
                let re = self.value(op);
                let op = math::Atan2Op::new(&mut self.b, value.im, value.re);
                Ok(Complex { re, im: self.value(op) })
            }
            _ => self.no_function(base, span),
        }
    }

    fn no_function<T>(&self, base: &str, span: Span) -> Lowering<T> {
        self.refuse(
            span,
            Diagnostic::error(format!("`{base}` cannot be called in device code"))
                .code(codes::NOT_SUPPORTED)
                .help(
                    "define the function in this file, so that it can be compiled for the device",
                ),
        )
    }

    /// The number of a size and an angle.
    fn polar(
        &mut self,
        size: Value,
        angle: Value,
        scalar: Scalar,
        span: Span,
    ) -> Lowering<Complex> {
        let op = math::CosOp::new(&mut self.b, angle);
        let cos = self.value(op);
        let op = math::SinOp::new(&mut self.b, angle);
        let sin = self.value(op);
        Ok(Complex {
            re: self.arithmetic(BinaryOp::Mul, scalar, size, cos, span)?,
            im: self.arithmetic(BinaryOp::Mul, scalar, size, sin, span)?,
        })
    }

    /// `hypot` of the parts.
    fn magnitude(&mut self, value: Complex, scalar: Scalar) -> Value {
        self.call_float_library("hypot", scalar, &[value.re, value.im])
    }

    /// A function of the C library that gives a part, a size or an angle of a complex number; `None` for
    /// others.
    pub(super) fn complex_function(
        &mut self,
        base: &str,
        ty: Type,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<Option<Value>> {
        let &[argument] = arguments else { return Ok(None) };
        let Some(scalar) = Scalar::of(self.unit, ty).filter(|scalar| scalar.is_float()) else {
            return Ok(None);
        };
        let stem = match scalar {
            Scalar::F32 => base.strip_suffix('f').unwrap_or(base),
            _ => base,
        };
        if !self.is_complex(argument) || !matches!(stem, "creal" | "cimag" | "cabs" | "carg") {
            return Ok(None);
        }
        let value = self.complex_value(argument)?;
        self.locate(span);
        Ok(Some(match stem {
            "creal" => value.re,
            "cimag" => value.im,
            "cabs" => self.magnitude(value, scalar),
            _ => {
                let op = math::Atan2Op::new(&mut self.b, value.im, value.re);
                self.value(op)
            }
        }))
    }

    /// `__real__` or `__imag__` of an expression.
    pub(super) fn part_value(&mut self, operand: ExprId, imaginary: bool) -> Lowering<Value> {
        let value = self.complex_value(operand)?;
        Ok(if imaginary { value.im } else { value.re })
    }

    /// Whether a variable is complex, and the construct's own rather than mapped.
    pub(super) fn is_own_complex(&self, decl: DeclId) -> bool {
        self.is_complex_type(self.unit.decls[decl].ty) && !self.scalars.shared.contains(&decl)
    }
}
