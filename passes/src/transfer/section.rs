//! The elements of a buffer that a region touches, as values that the host computes before the launch.

use gpuc_dialects::memref::{self, element_bytes};
use gpuc_dialects::{arith, ptr};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Region, Value, ValueMap};
use gpuc_presburger::{
    Affine, BasicSet, Constraint, Piece, PiecewiseQuasiAffine, QuasiAffine as QuasiAffineValue,
    Set, Var,
};

use crate::analysis::access::Access;
use crate::analysis::cases::Cases;
use crate::analysis::domain::{Domain, is_unchanging};
use crate::analysis::loops::{CountedLoop, nest};
use crate::analysis::nest::guard::{Guard, are_all_guards, guards};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::quasi_affine::QuasiAffine;
use crate::analysis::slice::{build_polynomial, slice_from_arguments};

/// Beyond every element of memory, and so that distances between the two are numbers.
const FAR: i64 = 1 << 61;

/// Why a section cannot be computed before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// A subscript is no sum of loop variables and of values that the host has.
    Subscript,
    /// What the loops run to depends on what the region computes or reads.
    Bounds,
    /// Whether anything is touched depends on that.
    Condition,
}

/// The box that an access touches: for each dimension its least and greatest subscript, with where
/// these hold; and how far apart elements of the dimension are.
pub struct Touched {
    domain: Domain,
    sides: Vec<Side>,
    /// Elements that are touched from the last subscript on.
    length: i64,
    bytes: i64,
    /// Whether both ends are touched for sure: no condition round the access, and no step of a loop, is left
    /// out.
    exact: bool,
    /// For the first and the last element, functions of the parameters that have a value where the ends of
    /// all dimensions are touched at once; nothing where they always are.
    corners: Vec<Vec<PiecewiseQuasiAffine>>,
}

/// One of the numbers that add up to the place of an element.
struct Side {
    least: PiecewiseQuasiAffine,
    greatest: PiecewiseQuasiAffine,
    /// What it counts, in elements: the distance of neighbours in a dimension, or what a loop variable
    /// is multiplied by.
    stride: Polynomial,
}

impl Touched {
    /// What an access in a region touches.
    pub fn find(ir: &Ir, region: Op, access: &Access) -> Result<Touched, Unknown> {
        let scope = ir.region(region, 0);
        let mut loops = nest(ir, access.op, region);
        let plain = loops.iter().all(|dim| dim.step == Some(1) && dim.known);
        // The last round of a loop with a step is before its bound: near enough.
        loops.iter_mut().for_each(|dim| dim.step = Some(1));
        let guards = guards(ir, access.op, region);
        let cases = add_cases(ir, scope, access, &guards, &mut loops)?;
        let exact = plain
            && are_all_guards(ir, access.op, region)
            && cases.iter().all(|choice| choice.exact);
        let mut domain = Domain::of_scope(scope);
        domain.add_nest(ir, &loops);
        let memory = access.memory();
        let extents = inner_extents(ir, memory);
        // A column that only the device knows is one of its row.
        let is_known = |value: &Value| {
            loops.iter().any(|dim| dim.variable == *value) || is_unchanging(ir, *value, scope)
        };
        let within = |(dimension, form): (usize, Option<QuasiAffine>)| {
            let extent = dimension.checked_sub(1).and_then(|inner| extents.get(inner)).cloned();
            match form.filter(|form| extent.is_none() || form.values().iter().all(is_known)) {
                Some(form) => Some(Number::Form(form)),
                None => extent.map(Number::Within),
            }
        };
        let places: Option<Vec<Number>> = access.place().enumerate().map(within).collect();
        let places = places.ok_or(Unknown::Subscript)?;
        for place in &places {
            match place {
                Number::Form(form) => domain.add_params_of(ir, &loops, form),
                Number::Within(extent) => domain.add_params(ir, &loops, extent),
                Number::Loop(_) => {}
            }
        }
        let of_cases = cases.iter().flat_map(|choice| choice.each.iter().flatten());
        for guard in guards.iter().chain(of_cases) {
            domain.add_params_of(ir, &loops, &guard.form);
        }
        let strides = strides(ir, memory).ok_or(Unknown::Subscript)?;
        let bytes = element_bytes(&ir.ctx, ir.ty(memory)).ok_or(Unknown::Subscript)?;
        let mut numbers: Vec<(Number, Polynomial)> = Vec::new();
        for (place, stride) in places.into_iter().zip(strides) {
            let Number::Form(form) = place else {
                numbers.push((place, stride));
                continue;
            };
            let (form, products) = take_products(&form, &loops).ok_or(Unknown::Subscript)?;
            for (variable, factor) in products {
                let stride = stride.times(&factor).ok_or(Unknown::Subscript)?;
                numbers.push((Number::Loop(variable), stride));
            }
            numbers.push((Number::Form(form), stride));
        }
        let sides = (|| {
            let mut set = BasicSet::universe(domain.set_space(loops.len() + numbers.len()));
            let exact = domain.constrain(&mut set, &loops)?;
            // A condition on what only the device knows leaves all iterations in.
            let mut understood = true;
            for guard in &guards {
                understood &= add_guard(&mut set, &domain, &loops, guard)?;
            }
            for (k, (number, _)) in numbers.iter().enumerate() {
                let form = match number {
                    Number::Loop(variable) => Some(Affine::dim(*variable)),
                    Number::Form(form) => domain.quasi_affine(&mut set, &loops, form)?,
                    Number::Within(extent) => {
                        let Some(extent) = domain.affine(&loops, extent) else {
                            return Ok(Err(Unknown::Subscript));
                        };
                        let column = Affine::dim(loops.len() + k);
                        set.add(&Constraint::ge(column.clone(), 0))?;
                        set.add(&Constraint::lt(column, extent))?;
                        understood = false;
                        continue;
                    }
                };
                let Some(form) = form else { return Ok(Err(Unknown::Subscript)) };
                set.add(&Constraint::eq(Affine::dim(loops.len() + k), form))?;
            }
            if !exact {
                return Ok(Err(Unknown::Bounds));
            }
            let mut pieces = vec![set];
            for choice in &cases {
                let mut next = Vec::new();
                for (piece, case) in pieces
                    .iter()
                    .flat_map(|piece| choice.each.iter().map(move |case| (piece, case)))
                {
                    let mut piece = piece.clone();
                    for guard in case {
                        let is_known = add_guard(&mut piece, &domain, &loops, guard)?;
                        understood &= is_known;
                        // What the value is must be known; a condition need not.
                        if !is_known && guard.form.values().contains(&choice.value) {
                            return Ok(Err(Unknown::Subscript));
                        }
                    }
                    if !piece.is_empty()? {
                        next.push(piece);
                    }
                }
                pieces = next;
                if pieces.len() > MOST_PIECES {
                    return Ok(Err(Unknown::Subscript));
                }
            }
            let set = Set::new(domain.set_space(loops.len() + numbers.len()), pieces)?;
            let side = |(k, (_, stride)): (usize, (Number, Polynomial))| {
                let dim = loops.len() + k;
                let (least, greatest) = (set.dim_min(dim)?, set.dim_max(dim)?);
                Ok(Side { least: least.coalesced(), greatest: greatest.coalesced(), stride })
            };
            let free = guards.is_empty() && cases.is_empty();
            let coupled = numbers.len() > 1 && are_coupled(&loops, &numbers, free);
            let sides: gpuc_presburger::Result<Vec<Side>> =
                numbers.into_iter().enumerate().map(side).collect();
            let sides = sides?;
            let corners = match coupled {
                true => corners(&set, loops.len(), &sides)?,
                false => Some(Vec::new()),
            };
            Ok(Ok((sides, corners, understood)))
        })();
        let (sides, corners, understood) = match sides {
            Ok(sides) => sides?,
            Err::<_, gpuc_presburger::Error>(_) => return Err(Unknown::Bounds),
        };
        let bytes = i64::try_from(bytes).map_err(|_| Unknown::Subscript)?;
        let exact = exact && understood && corners.is_some();
        let corners = corners.unwrap_or_default();
        Ok(Touched { corners, domain, sides, length: access.extent(), bytes, exact })
    }

    /// Builds the first and the last element touched, [`FAR`] and `-FAR` where there is none; for those that
    /// are `certain`, also where it is not certain that both are touched.
    pub fn build(
        &self,
        b: &mut Builder<'_>,
        function: Op,
        map: &mut ValueMap,
        certain: bool,
    ) -> Result<(Value, Value), Unknown> {
        let mut emit = Emit { b, function, map, domain: &self.domain };
        let [none_low, none_high] = [FAR, -FAR].map(|far| arith::constant_index(emit.b, far));
        let mut low = arith::constant_index(emit.b, 0);
        let mut high = arith::constant_index(emit.b, self.length - 1);
        let mut touched: Option<Value> = None;
        for corner in self.corners.iter().filter(|_| certain) {
            let mut reached = arith::constant_bool(emit.b, false);
            for function in corner {
                let (is_there, _) = emit.piecewise(function)?;
                reached = arith::OrIOp::new(emit.b, reached, is_there).value(emit.b);
            }
            touched = Some(match touched {
                Some(known) => arith::AndIOp::new(emit.b, known, reached).value(emit.b),
                None => reached,
            });
        }
        for side in &self.sides {
            let (is_there, first) = emit.piecewise(&side.least)?;
            let (_, last) = emit.piecewise(&side.greatest)?;
            let stride = emit.polynomial(&side.stride)?;
            // Corners are looked for where rows follow each other upwards.
            if certain && !self.corners.is_empty() {
                let none = arith::constant_index(emit.b, 0);
                let rises = arith::CmpIPredicate::Sge.attr(&mut emit.b.ctx);
                let rises =
                    arith::CmpIOp::new(emit.b, stride, none).attr(emit.b, "predicate", rises);
                let rises = rises.value(emit.b);
                touched =
                    touched.map(|known| arith::AndIOp::new(emit.b, known, rises).value(emit.b));
            }
            let [x, y] =
                [first, last].map(|at| arith::MulIOp::new(emit.b, at, stride).value(emit.b));
            let near = arith::MinSIOp::new(emit.b, x, y).value(emit.b);
            let far = arith::MaxSIOp::new(emit.b, x, y).value(emit.b);
            low = arith::AddIOp::new(emit.b, low, near).value(emit.b);
            high = arith::AddIOp::new(emit.b, high, far).value(emit.b);
            touched = Some(match touched {
                Some(known) => arith::AndIOp::new(emit.b, known, is_there).value(emit.b),
                None => is_there,
            });
        }
        if let Some(touched) = touched {
            low = arith::SelectOp::new(emit.b, touched, low, none_low).value(emit.b);
            high = arith::SelectOp::new(emit.b, touched, high, none_high).value(emit.b);
        }
        Ok((low, high))
    }

    /// Whether the first and the last element are always touched, where any is.
    pub fn is_certain(&self) -> bool {
        self.exact && self.corners.is_empty()
    }

    /// Whether the host can tell where the first and the last element are touched.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }
}

/// More cases together than that are not told apart.
const MOST_PIECES: usize = 64;

/// Puts values that subscripts and conditions are made of, and that are one of several forms, behind the
/// variables of the loops, as if they were some without bounds; what they can be.
fn add_cases(
    ir: &Ir,
    scope: Region,
    access: &Access,
    guards: &[Guard],
    loops: &mut Vec<CountedLoop>,
) -> Result<Vec<Cases>, Unknown> {
    let mut open: Vec<Value> =
        access.subscripts.iter().flatten().flat_map(QuasiAffine::values).collect();
    open.extend(guards.iter().flat_map(|guard| guard.form.values()));
    let mut found: Vec<Cases> = Vec::new();
    while let Some(value) = open.pop() {
        let is_known = loops.iter().any(|dim| dim.variable == value);
        if is_known || is_unchanging(ir, value, scope) {
            continue;
        }
        let Some(cases) = Cases::of(ir, value) else { continue };
        if found.len() == MOST_CHOICES {
            return Err(Unknown::Subscript);
        }
        open.extend(cases.each.iter().flatten().flat_map(|guard| guard.form.values()));
        loops.push(CountedLoop::unbounded(access.op, value));
        found.push(cases);
    }
    Ok(found)
}

/// So many values that are one of several forms are looked behind.
const MOST_CHOICES: usize = 6;

/// Adds a condition to a set; whether it is one of known numbers.
fn add_guard(
    set: &mut BasicSet,
    domain: &Domain,
    loops: &[CountedLoop],
    guard: &Guard,
) -> gpuc_presburger::Result<bool> {
    let Some(form) = domain.quasi_affine(set, loops, &guard.form)? else { return Ok(false) };
    set.add(&match guard.is_equality {
        true => Constraint::eq(form, 0),
        false => Constraint::ge(form, 0),
    })?;
    Ok(true)
}

/// The distances of neighbours in each dimension of a buffer that is an argument, or a view of all of
/// one.
pub fn strides(ir: &Ir, buffer: Value) -> Option<Vec<Polynomial>> {
    let Some(op) = ir.defining_op(buffer) else {
        let shape = ir.ctx.shape(ir.ty(buffer))?;
        let mut strides = vec![1; shape.len()];
        for d in (1..shape.len()).rev() {
            strides[d - 1] = i64::checked_mul(strides[d], shape[d]).filter(|&s| s >= 0)?;
        }
        return Some(strides.into_iter().map(Polynomial::constant).collect());
    };
    if memref::CastOp::is(ir, op) {
        return strides(ir, ir.operand(op, 0));
    }
    let view = memref::ReinterpretCastOp::cast(ir, op)?;
    let offsets = ir.ctx.dense_array(view.static_offsets(ir)?)?;
    let is_argument = ir.defining_op(view.source(ir)).is_none();
    if offsets != [0] || !is_argument {
        return None;
    }
    let values = view.strides(ir);
    let mut values = values.iter();
    let of = |&stride: &i64| match stride {
        DYNAMIC => values.next().map(|&value| Polynomial::value(value)),
        stride => Some(Polynomial::constant(stride)),
    };
    ir.ctx.dense_array(view.static_strides(ir)?)?.iter().map(of).collect()
}

/// The extents of all dimensions but the first of a buffer that [`strides`] knows; nothing where one is not known.
pub fn inner_extents(ir: &Ir, buffer: Value) -> Vec<Polynomial> {
    let Some(op) = ir.defining_op(buffer) else {
        let shape = ir.ctx.shape(ir.ty(buffer)).unwrap_or_default();
        return shape.iter().skip(1).map(|&extent| Polynomial::constant(extent)).collect();
    };
    let Some(view) = memref::ReinterpretCastOp::cast(ir, op) else { return Vec::new() };
    let [_, said, _] = view.static_parts(ir);
    let mut values = view.sizes(ir).into_iter();
    let of = |extent: i64| match extent {
        DYNAMIC => values.next().map(Polynomial::value),
        extent => Some(Polynomial::constant(extent)),
    };
    said.into_iter().map(of).skip(1).collect::<Option<_>>().unwrap_or_default()
}

/// Whether what one dimension can be may depend on another.
fn are_coupled(loops: &[CountedLoop], numbers: &[(Number, Polynomial)], free: bool) -> bool {
    let is_variable = |value: &Value| loops.iter().any(|dim| dim.variable == *value);
    let bounded_by_others = loops.iter().any(|dim| {
        let plain = dim.lower.iter().chain(&dim.upper).flat_map(Polynomial::values);
        let divided = dim.divided_lower.iter().chain(&dim.divided_upper);
        plain.chain(divided.flat_map(QuasiAffine::values)).any(|value| is_variable(&value))
    });
    let shared = loops.iter().enumerate().any(|(at, dim)| {
        let uses = |number: &Number| match number {
            Number::Loop(variable) => *variable == at,
            Number::Form(form) => form.values().contains(&dim.variable),
            Number::Within(_) => false,
        };
        numbers.iter().filter(|(number, _)| uses(number)).count() > 1
    });
    !free || bounded_by_others || shared
}

/// More pieces than that are not combined.
const MOST_CORNERS: usize = 8;

/// For the least and the greatest values of all numbers together, functions that have a value where some point of
/// the set has them; `None` where there are too many cases.
fn corners(
    set: &Set,
    first: usize,
    sides: &[Side],
) -> gpuc_presburger::Result<Option<Vec<Vec<PiecewiseQuasiAffine>>>> {
    let mut both = Vec::new();
    for end in [|side: &Side| &side.least, |side: &Side| &side.greatest]
        as [fn(&Side) -> &PiecewiseQuasiAffine; 2]
    {
        let mut cases = vec![set.clone()];
        for (k, side) in sides.iter().enumerate() {
            let mut next = Vec::new();
            for (case, piece) in cases
                .iter()
                .flat_map(|case| end(side).pieces().iter().map(move |piece| (case, piece)))
            {
                let Some(value) = piece.values.first().and_then(|value| value.as_affine()) else {
                    return Ok(None);
                };
                if piece.domain.locals() > 0 {
                    return Ok(None);
                }
                let mut case =
                    case.constrain(&Constraint::eq(Affine::dim(first + k), value.clone()))?;
                for constraint in piece.domain.constraints() {
                    case = case.constrain(&constraint)?;
                }
                if !case.is_empty()? {
                    next.push(case);
                }
            }
            cases = next;
            if cases.len() > MOST_CORNERS {
                return Ok(None);
            }
        }
        let functions: gpuc_presburger::Result<Vec<_>> =
            cases.iter().map(|case| Ok(case.dim_max(first)?.coalesced())).collect();
        both.push(functions?);
    }
    Ok(Some(both))
}

/// What the place of an element is made of.
enum Number {
    /// The variable of the loop of that number.
    Loop(usize),
    /// A sum of loop variables and of values from outside.
    Form(QuasiAffine),
    /// Any number from 0 to below an extent.
    Within(Polynomial),
}

/// A subscript without the products of a loop variable and values from outside; and these, with the
/// numbers of the loops. `None` where variables are multiplied by each other.
fn take_products(
    form: &QuasiAffine,
    loops: &[CountedLoop],
) -> Option<(QuasiAffine, Vec<(usize, Polynomial)>)> {
    let mut rest = form.clone();
    let mut products = Vec::new();
    for (monomial, coefficient) in form.plain().terms() {
        let of_loop = |value: &Value| loops.iter().position(|dim| dim.variable == *value);
        let mut variables = monomial.iter().filter_map(of_loop);
        let Some(variable) = variables.next().filter(|_| monomial.len() > 1) else { continue };
        if variables.next().is_some() {
            return None;
        }
        let factor: Vec<Value> =
            monomial.iter().copied().filter(|value| of_loop(value).is_none()).collect();
        products.push((variable, Polynomial::term(&factor, coefficient)));
        rest = rest.plus(&Polynomial::term(monomial, coefficient).into(), -1)?;
    }
    Some((rest, products))
}

/// Builds values of the parameters of a domain.
struct Emit<'a, 'b, 'm> {
    b: &'a mut Builder<'b>,
    function: Op,
    map: &'m mut ValueMap,
    domain: &'a Domain,
}

impl Emit<'_, '_, '_> {
    fn polynomial(&mut self, form: &Polynomial) -> Result<Value, Unknown> {
        let function = self.function;
        let slice = |ir: &Ir, value| slice_from_arguments(ir, value, function);
        build_polynomial(self.b, form, slice, self.map).ok_or(Unknown::Bounds)
    }

    fn affine(&mut self, form: &Affine) -> Result<Value, Unknown> {
        let form = self.domain.polynomial(form).ok_or(Unknown::Bounds)?;
        self.polynomial(&form)
    }

    /// A value with quotients: half of a triangle ends at one.
    fn quasi_affine(&mut self, form: &QuasiAffineValue) -> Result<Value, Unknown> {
        let mut quotients: Vec<Value> = Vec::new();
        for (dividend, divisor) in form.divisions() {
            let dividend = self.sum(dividend, &quotients)?;
            let divisor = arith::constant_index(self.b, divisor);
            quotients.push(arith::FloorDivSIOp::new(self.b, dividend, divisor).value(self.b));
        }
        self.sum(form.sum(), &quotients)
    }

    /// A sum whose locals are `quotients`.
    fn sum(&mut self, form: &Affine, quotients: &[Value]) -> Result<Value, Unknown> {
        let mut plain = Affine::constant(form.constant_term());
        let mut more = Vec::new();
        for (var, factor) in form.terms() {
            match var {
                Var::Local(index) => more.push((quotients[index], factor)),
                var => plain = plain + Affine::from(var) * factor,
            }
        }
        let mut sum = self.affine(&plain)?;
        for (quotient, factor) in more {
            let factor = arith::constant_index(self.b, factor);
            let term = arith::MulIOp::new(self.b, quotient, factor).value(self.b);
            sum = arith::AddIOp::new(self.b, sum, term).value(self.b);
        }
        Ok(sum)
    }

    /// Whether a function of the parameters has a value, and which.
    fn piecewise(&mut self, function: &PiecewiseQuasiAffine) -> Result<(Value, Value), Unknown> {
        let mut is_there = arith::constant_bool(self.b, false);
        let mut result = arith::constant_index(self.b, 0);
        for Piece { domain, values } in function.pieces() {
            let [value] = &values[..] else { return Err(Unknown::Bounds) };
            let value = self.quasi_affine(value)?;
            let zero = arith::constant_index(self.b, 0);
            let mut here = arith::constant_bool(self.b, true);
            for constraint in domain.constraints() {
                let form = self.affine(constraint.expr())?;
                let how = match constraint.is_equality() {
                    true => arith::CmpIPredicate::Eq,
                    false => arith::CmpIPredicate::Sge,
                };
                let how = how.attr(&mut self.b.ctx);
                let holds = arith::CmpIOp::new(self.b, form, zero)
                    .attr(self.b, "predicate", how)
                    .value(self.b);
                here = arith::AndIOp::new(self.b, here, holds).value(self.b);
            }
            result = arith::SelectOp::new(self.b, here, value, result).value(self.b);
            is_there = arith::OrIOp::new(self.b, is_there, here).value(self.b);
        }
        Ok((is_there, result))
    }
}

/// Whether an operation gives a view of a buffer that accesses are traced through.
pub fn is_view(ir: &Ir, op: Op) -> bool {
    memref::ReinterpretCastOp::is(ir, op)
        || memref::CastOp::is(ir, op)
        || memref::ViewOp::is(ir, op)
        || ptr::FieldOp::is(ir, op)
        || memref::DimOp::is(ir, op)
}
