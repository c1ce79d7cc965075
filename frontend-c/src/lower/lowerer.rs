//! The state of lowering one function.

use std::cell::RefCell;

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::{arith, memref, offload, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::{
    Block, Builder, InsertPoint, Location, LocationKind, Op, OpBuild, Region, Type as IrType, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Options;
use super::place::{Buffer, BufferId, Pointer};
use super::scalar::Scalar;
use super::scatter::Assigned;
use crate::directive::{Family, ReductionOp, VarRef};
use crate::source::Span;
use crate::tree::{DeclId, ExprId, TranslationUnit};

/// Why lowering stopped.
#[derive(Debug)]
pub(super) enum Failure {
    /// The program asks for what cannot be done.
    Refused(Box<Diagnostic>),
    /// It follows from what was refused already.
    Reported,
    /// The variable is accessed with several types: lowering starts anew with its buffer as bytes.
    AsBytes(DeclId),
    /// The pointer may point into several buffers: lowering starts anew with its address.
    AsAddress(DeclId),
    /// The array is accessed in rows and otherwise: lowering starts anew without its rows.
    AsLinear(DeclId),
}

/// A result of lowering.
pub(super) type Lowering<T> = Result<T, Failure>;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A scalar that does not change.
    Value(Value),
    /// A scalar in a buffer of rank 0. A shared one is the same for all iterations.
    Slot { memref: Value, shared: bool },
    /// An array or structure.
    Object(Pointer),
    /// A pointer that does not change.
    Pointer(Pointer),
    /// A pointer variable; bound to a buffer by its first assignment.
    PointerVariable { buffer: Option<BufferId>, slots: Vec<Value>, home: Block },
    /// The address that a pointer variable holds, in a buffer of rank 0.
    Address(Value),
    /// A structure of which only scalar members are read.
    Members(FxHashMap<Vec<u32>, Binding>),
}

/// Where `break`, `continue` and `return` lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Jumps {
    /// Flag that `break` sets.
    pub break_flag: Option<Value>,
    /// Flag that `continue` sets.
    pub continue_flag: Option<Value>,
    /// Which directive's loop this is the body of, so that `break` is refused there.
    pub in_directive_loop: bool,
}

/// A function being lowered: the construct's own body, a function of the module, or an expanded
/// call.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The function; the construct's body has none.
    pub function: Option<DeclId>,
    /// Flag that `return` sets, where it does not end the function.
    pub return_flag: Option<Value>,
    /// Where `return` leaves its value.
    pub result: Option<super::call::ReturnSlot>,
    /// Where it is called.
    pub call: Location,
}

/// Lowers statements and expressions of one function of the IR.
pub(super) struct Lowerer<'a> {
    pub(super) unit: &'a TranslationUnit,
    pub(super) b: Builder<'a>,
    pub(super) options: Options,
    pub(super) module: Op,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) bindings: FxHashMap<DeclId, Binding>,
    pub(super) buffers: Vec<Buffer>,
    /// Variables to be kept as bytes.
    pub(super) as_bytes: FxHashSet<DeclId>,
    /// Pointer variables of which only the address is known.
    pub(super) as_address: FxHashSet<DeclId>,
    /// Arrays of run-time extents that are accessed otherwise than by all subscripts.
    pub(super) as_linear: FxHashSet<DeclId>,
    /// Buffers that are accessed in rows.
    pub(super) row_views: Vec<super::rows::RowView>,
    /// Variables that are assigned to, or whose address is taken.
    pub(super) mutated: FxHashSet<DeclId>,
    /// Variables whose address is taken.
    pub(super) addressed: FxHashSet<DeclId>,
    /// Variables declared ahead, whose declaration is still to come.
    pub(super) hoisted: FxHashSet<DeclId>,
    /// Run-time extents whose values at their declarations are known.
    pub(super) extents: FxHashMap<ExprId, Value>,
    /// What the compute construct says of scalars.
    pub(super) scalars: super::role::ConstructScalars,
    /// Whether a loop around is declared independent.
    pub(super) in_independent_loop: bool,
    /// Reductions of the enclosing loops.
    pub(super) reductions: Vec<(DeclId, ReductionOp)>,
    /// The dimension of gangs that the enclosing loops are divided among.
    pub(super) gangs: Option<i128>,
    /// Of gangs, workers and lanes, those that the enclosing loops are divided among.
    pub(super) taken: [bool; 3],
    /// The numbers of the gang, worker and lane, and how many there are, where loops around know them.
    pub(super) numbers: [Option<(Value, Value)>; 3],
    /// The block of the region: what stands there is executed once by each gang.
    pub(super) region_block: Option<Block>,
    /// How many lanes a gang may have, where the program says so.
    pub(super) lane_limit: Option<Value>,
    /// Expressions of clauses whose values the host has.
    pub(super) host_values: FxHashMap<ExprId, Value>,
    /// Arrays that the enclosing loops reduce.
    pub(super) reduced_arrays: Vec<super::array_reduction::ArrayReduction>,
    /// Those of them whose elements get each value at once, as there are too many for an iteration to have its own.
    pub(super) updated_arrays: Vec<DeclId>,
    pub(super) assigned: RefCell<Assigned>,
    /// Members that data clauses name, and what they are bound to.
    pub(super) paths: Vec<(VarRef, Option<Binding>)>,
    pub(super) frames: Vec<Frame>,
    pub(super) jumps: Vec<Jumps>,
    /// The C function that the compute construct stands in.
    pub(super) function: Option<DeclId>,
    /// The compute construct being lowered.
    pub(super) construct: Option<offload::Construct>,
    /// Private functions made so far, and whether they may be called (else expanded).
    pub(super) functions: super::function::Callables,
    /// Who words what is said of it.
    pub(super) family: Family,
    /// Functions of the unit that regions call.
    pub(super) called: FxHashSet<DeclId>,
    /// Variables that are on the device as long as the program runs.
    pub(super) declared: FxHashSet<DeclId>,
    /// Variables of the program that functions which stay calls find by an address.
    pub(super) reached: Vec<super::Reached>,
    /// What directives say of functions.
    pub(super) routines: super::routine::Routines,
    /// The block that constants of type `index` are put into, and those that are there.
    entry: Option<Block>,
    /// Whether what is lowered stays a function: pointers that come from outside may be a thread's own, and loops
    /// of directives are executed by whoever calls it.
    pub(super) separate: bool,
    /// Whether the address of something local was given away in this construct.
    pub(super) gives_addresses: bool,
    /// Functions that call themselves, as far as was asked.
    pub(super) recursive: FxHashMap<DeclId, bool>,
    /// The module's variables for strings, by their bytes.
    pub(super) strings: FxHashMap<gpuc_ir::Attr, String>,
    subscripts: FxHashMap<i64, Value>,
    /// Where the operation before comes from.
    pub(super) located: super::location::Located,
}

impl<'a> Lowerer<'a> {
    /// A lowerer that inserts with `b` into `module`.
    pub(super) fn new(
        unit: &'a TranslationUnit,
        b: Builder<'a>,
        options: Options,
        module: Op,
    ) -> Self {
        Lowerer {
            unit,
            b,
            options,
            module,
            diagnostics: Vec::new(),
            bindings: FxHashMap::default(),
            buffers: Vec::new(),
            as_bytes: FxHashSet::default(),
            as_address: FxHashSet::default(),
            as_linear: FxHashSet::default(),
            row_views: Vec::new(),
            mutated: FxHashSet::default(),
            addressed: FxHashSet::default(),
            hoisted: FxHashSet::default(),
            extents: FxHashMap::default(),
            scalars: super::role::ConstructScalars::default(),
            in_independent_loop: false,
            reductions: Vec::new(),
            gangs: None,
            taken: [false; 3],
            numbers: [None; 3],
            region_block: None,
            lane_limit: None,
            host_values: FxHashMap::default(),
            reduced_arrays: Vec::new(),
            updated_arrays: Vec::new(),
            assigned: RefCell::default(),
            paths: Vec::new(),
            frames: Vec::new(),
            jumps: Vec::new(),
            function: None,
            construct: None,
            family: Family::default(),
            functions: FxHashMap::default(),
            called: FxHashSet::default(),
            declared: FxHashSet::default(),
            reached: Vec::new(),
            routines: super::routine::Routines::of(unit),
            entry: None,
            separate: false,
            gives_addresses: false,
            recursive: FxHashMap::default(),
            strings: FxHashMap::default(),
            subscripts: FxHashMap::default(),
            located: super::location::Located::default(),
        }
    }

    /// A located error.
    pub(super) fn refuse<T>(&self, span: Span, diagnostic: Diagnostic) -> Lowering<T> {
        let mut diagnostic = diagnostic.at(self.unit.place(span));
        diagnostic.code.get_or_insert(codes::DEVICE_CODE);
        for frame in self.frames.iter().rev() {
            let Some(function) = frame.function else { continue };
            if let Some(place) = self.b.ctx.place(frame.call) {
                let name = self.unit.name(function);
                diagnostic = diagnostic.related(place, format!("in the call of `{name}` here"));
            }
        }
        Err(Failure::Refused(Box::new(diagnostic)))
    }

    /// A located error that is just a sentence.
    pub(super) fn error<T>(&self, span: Span, message: impl Into<String>) -> Lowering<T> {
        self.refuse(span, Diagnostic::error(message))
    }

    /// The type of an expression.
    pub(super) fn ty(&self, expr: ExprId) -> crate::types::Type {
        self.unit.exprs[expr].ty
    }

    /// Whether lowering starts anew after a failure, with what it has told of a variable.
    pub(super) fn knows_better(&mut self, failure: &Failure) -> bool {
        match *failure {
            Failure::AsBytes(variable) => self.as_bytes.insert(variable),
            Failure::AsAddress(variable) => self.as_address.insert(variable),
            Failure::AsLinear(variable) => self.as_linear.insert(variable),
            Failure::Refused(_) | Failure::Reported => return false,
        };
        true
    }

    /// The text of an expression's place.
    pub(super) fn span(&self, expr: ExprId) -> Span {
        self.unit.exprs[expr].span
    }

    /// The scalar of a type, a pointer's being its address, or the reason why it is none.
    pub(super) fn scalar(&self, ty: crate::types::Type, span: Span) -> Lowering<Scalar> {
        match Scalar::in_memory(self.unit, ty) {
            Some(scalar) => Ok(scalar),
            None => self.refuse(span, super::scalar::refused_type(self.unit, ty)),
        }
    }

    /// Runs `body` with the insertion point at the end of `block`.
    pub(super) fn inside<R>(&mut self, block: Block, body: impl FnOnce(&mut Self) -> R) -> R {
        let saved = self.b.point();
        self.b.set_point(InsertPoint::End(block));
        let result = body(self);
        self.b.set_point(saved);
        result
    }

    /// A region of one block built by `body`, which receives the block's arguments.
    pub(super) fn region<R>(
        &mut self,
        arguments: &[IrType],
        body: impl FnOnce(&mut Self, &[Value]) -> R,
    ) -> (Region, R) {
        let region = self.b.create_region();
        let location = self.b.location;
        let block = self.b.append_new_block(region, arguments, location);
        let values = self.b.arguments(block).to_vec();
        let result = self.inside(block, |l| body(l, &values));
        (region, result)
    }

    /// Finishes an operation at the insertion point.
    pub(super) fn build(&mut self, op: OpBuild) -> Op {
        op.build(&mut self.b)
    }

    /// Finishes an operation with one result.
    pub(super) fn value(&mut self, op: OpBuild) -> Value {
        op.value(&mut self.b)
    }

    /// The block at whose end operations are inserted.
    pub(super) fn block(&self) -> Block {
        match self.b.point() {
            InsertPoint::End(block) | InsertPoint::Start(block) => block,
            InsertPoint::Before(op) | InsertPoint::After(op) => {
                self.b.parent_block(op).expect("operations are inserted into blocks")
            }
        }
    }

    /// `scf.if` without results and without another side.
    pub(super) fn branch(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self) -> Lowering<()>,
    ) -> Lowering<()> {
        let location = self.b.location;
        let (region, done) = self.side(then);
        self.b.location = location;
        let op = scf::IfOp::new(&mut self.b, condition).region(region);
        self.build(op);
        done
    }

    /// `scf.if` without results.
    pub(super) fn either(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self) -> Lowering<()>,
        otherwise: impl FnOnce(&mut Self) -> Lowering<()>,
    ) -> Lowering<()> {
        let location = self.b.location;
        let (yes, first) = self.side(then);
        self.b.location = location;
        let (no, second) = self.side(otherwise);
        self.b.location = location;
        let op = scf::IfOp::new(&mut self.b, condition).region(yes).region(no);
        self.build(op);
        first.and(second)
    }

    /// One side of an `scf.if` without results.
    fn side(&mut self, body: impl FnOnce(&mut Self) -> Lowering<()>) -> (Region, Lowering<()>) {
        self.region(&[], |l, _| {
            let done = body(l);
            l.yields(&[]);
            done
        })
    }

    /// `scf.if` with one result.
    pub(super) fn choose(
        &mut self,
        condition: Value,
        ty: IrType,
        then: impl FnOnce(&mut Self) -> Lowering<Value>,
        otherwise: impl FnOnce(&mut Self) -> Lowering<Value>,
    ) -> Lowering<Value> {
        let location = self.b.location;
        let (then_region, yes) = self.region(&[], |l, _| {
            let value = then(l)?;
            l.yields(&[value]);
            Ok(())
        });
        self.b.location = location;
        let (else_region, no) = self.region(&[], |l, _| {
            let value = otherwise(l)?;
            l.yields(&[value]);
            Ok(())
        });
        self.b.location = location;
        // Built even where a side was refused, so that no region is left without an owner.
        let op = scf::IfOp::new(&mut self.b, condition)
            .result_group(&[ty])
            .region(then_region)
            .region(else_region);
        let value = self.value(op);
        yes.and(no)?;
        Ok(value)
    }

    /// `scf.yield`.
    pub(super) fn yields(&mut self, values: &[Value]) {
        let op = scf::YieldOp::new(&mut self.b, values);
        self.build(op);
    }

    /// A constant of type `index`, made once for all of the function or region being built.
    pub(super) fn index(&mut self, value: i64) -> Value {
        if let Some(&known) = self.subscripts.get(&value) {
            return known;
        }
        let Some(entry) = self.entry else { return arith::constant_index(&mut self.b, value) };
        let saved = self.b.point();
        self.b.set_point(InsertPoint::Start(entry));
        let constant = arith::constant_index(&mut self.b, value);
        self.b.set_point(saved);
        self.subscripts.insert(value, constant);
        constant
    }

    /// Runs `body` with the block being built as the place of constants.
    pub(super) fn with_constants<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let block = self.block();
        let entry = self.entry.replace(block);
        let subscripts = std::mem::take(&mut self.subscripts);
        let result = body(self);
        self.entry = entry;
        self.subscripts = subscripts;
        result
    }

    /// Runs `body` at another place, in front of constants that are there.
    pub(super) fn at<R>(&mut self, point: InsertPoint, body: impl FnOnce(&mut Self) -> R) -> R {
        let (entry, subscripts) = (self.entry.take(), std::mem::take(&mut self.subscripts));
        let (saved, location) = (self.b.point(), self.b.location);
        self.b.set_point(point);
        let result = body(self);
        self.b.set_point(saved);
        self.b.location = location;
        (self.entry, self.subscripts) = (entry, subscripts);
        result
    }

    /// A local variable of the block being built.
    pub(super) fn alloca(&mut self, element: IrType) -> Value {
        let ty = self.b.ctx.memref(&[], element);
        let op = memref::AllocaOp::new(&mut self.b, &[], &[]).result(ty);
        self.value(op)
    }

    /// Says in a value's location which variable of the program it is. A value that has a name keeps it, and
    /// constants are nobody's.
    pub(super) fn name(&mut self, value: Value, decl: DeclId) {
        let child = self.b.value_location(value);
        let constant = |op: Op| self.b.has_trait(op, Traits::CONSTANT_LIKE);
        let named = matches!(self.b.ctx.location_kind(child), LocationKind::Name { .. });
        if named || self.b.defining_op(value).is_some_and(constant) {
            return;
        }
        let name = self.b.ctx.ident(self.unit.name(decl));
        let location = self.b.ctx.add_location(LocationKind::Name { name, child });
        self.b.set_value_location(value, location);
    }

    /// Says in a value's location how the program writes it.
    pub(super) fn name_as(&mut self, value: Value, span: Span) {
        let child = self.b.value_location(value);
        let name = self.b.ctx.ident(&super::clause_items::text(self.unit, span));
        let location = self.b.ctx.add_location(LocationKind::Name { name, child });
        self.b.set_value_location(value, location);
    }

    /// A local flag with its first value.
    pub(super) fn flag(&mut self, value: bool) -> Value {
        let i1 = self.b.ctx.i1();
        let flag = self.alloca(i1);
        self.set_flag(flag, value);
        flag
    }

    /// Stores into a flag.
    pub(super) fn set_flag(&mut self, flag: Value, value: bool) {
        let value = arith::constant_bool(&mut self.b, value);
        let op = memref::StoreOp::new(&mut self.b, value, flag, &[]);
        self.build(op);
    }

    /// Reads a slot of rank 0 as it is in memory.
    pub(super) fn read_slot(&mut self, slot: Value) -> Value {
        let op = memref::LoadOp::new(&mut self.b, slot, &[]);
        self.value(op)
    }
}
