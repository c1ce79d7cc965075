//! Variables of the file in functions that stay calls.
//!
//! Kernels are given the device's copies of variables as arguments; who calls such a function knows nothing of the
//! variables that it uses. So an address stands in a variable of the image, one for each of them, which the runtime
//! fills in ahead of launches. They are there as long as the program runs, as `declare` (OpenACC 3.3 §2.13) and
//! `declare target` (OpenMP 5.2 §7.8) say.

use gpuc_dialects::{memref, offload};
use gpuc_ir::{AttrKind, InsertPoint, TypeKind, Value};

use super::Reached;
use super::lowerer::{Lowerer, Lowering};
use super::place::{Lvalue, Pointer};
use super::scalar::Scalar;
use crate::tree::DeclId;

/// What stands between the name of a variable and the number of its file in the names of these addresses.
const AT: &str = "$at";

/// A number that the texts of two files do not share (Fowler, Noll and Vo's hash FNV-1a).
fn number_of(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Lowerer<'_> {
    /// The device's copy of a variable that is there as long as the program runs.
    pub(super) fn reached(&mut self, decl: DeclId) -> Lowering<Lvalue> {
        let pointer = self.reached_object(decl);
        Ok(Lvalue::Memory(pointer))
    }

    fn reached_object(&mut self, decl: DeclId) -> Pointer {
        let i64 = Scalar::ADDRESS.register(&mut self.b.ctx);
        let ty = self.b.ctx.memref(&[1], i64);
        let symbol = self.address_symbol(decl, ty);
        let name = self.b.ctx.symbol_attr(&symbol);
        let op = memref::GetGlobalOp::new(&mut self.b).attr(&mut self.b, "name", name).result(ty);
        let slot = self.value(op);
        let zero: Value = self.index(0);
        let load = memref::LoadOp::new(&mut self.b, slot, &[zero]).result(i64);
        let address = self.value(load);
        self.pointee_of(address, self.unit.decls[decl].ty)
    }

    /// The symbol of the image's variable with the address of a variable.
    fn address_symbol(&mut self, decl: DeclId, memref: gpuc_ir::Type) -> String {
        if let Some(known) = self.reached.iter().find(|known| known.variable == decl) {
            return known.symbol.clone();
        }
        let number = number_of(self.unit.source.written());
        let symbol = format!("{}{AT}{number:016x}", self.unit.name(decl));
        self.reached.push(Reached { symbol: symbol.clone(), variable: decl });
        let saved = self.b.point();
        let block = self.b.body(self.module, 0);
        self.b.set_point(InsertPoint::Start(block));
        let ctx = &mut self.b.ctx;
        let element = ctx.int(64);
        let kind = TypeKind::Tensor { shape: [1].into(), element, encoding: None };
        let tensor = ctx.intern_type(kind);
        let init = AttrKind::DenseElements { ty: tensor, values: vec![0].into() };
        let init = ctx.intern_attr(init);
        let (name, linkage) = (ctx.string_attr(&symbol), ctx.string_attr("visible"));
        let ty = ctx.type_attr(memref);
        let op = memref::GlobalOp::new(&mut self.b)
            .attr(&mut self.b, "sym_name", name)
            .attr(&mut self.b, "type", ty)
            .attr(&mut self.b, "initial_value", init)
            .attr(&mut self.b, offload::LINKAGE_ATTR, linkage);
        self.build(op);
        self.b.set_point(saved);
        symbol
    }
}
