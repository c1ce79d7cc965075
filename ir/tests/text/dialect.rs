//! A small dialect with one operation for each thing a format can say.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::attrs::{I64, I64_ARRAY, STRING, SYMBOL, SYMBOL_NAME, UNIT};
use gpuc_ir::op::types::{ANY, INDEX, same};
use gpuc_ir::op::{AttrConstraint, AttrSyntax, CustomDirective, EnumSpec, EnumStorage, OpView};
use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult};
use gpuc_ir::{Attr, Builder, Context, Op, OpState, op};

static COLOURS: EnumSpec = EnumSpec {
    dialect: "toy",
    mnemonic: "colour",
    cases: &[("red", 1), ("green", 2)],
    bits: false,
    storage: EnumStorage::Integer(64),
};

static COLOUR: AttrConstraint = AttrConstraint {
    summary: "colour",
    holds: |ctx, attr| COLOURS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&COLOURS),
};

static FLAGS: EnumSpec = EnumSpec {
    dialect: "toy",
    mnemonic: "flags",
    cases: &[("none", 0), ("a", 1), ("b", 2)],
    bits: true,
    storage: EnumStorage::Angled,
};

static FLAG: AttrConstraint = AttrConstraint {
    summary: "flags",
    holds: |ctx, attr| FLAGS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&FLAGS),
};

fn no_flags(ctx: &mut Context) -> Attr {
    FLAGS.attr(ctx, 0)
}

op! {
    /// Isolated, with names of its own.
    Func = "toy.func" {
        attrs { sym_name: Required SYMBOL_NAME }
        regions { body: Any }
        traits ISOLATED_FROM_ABOVE, SYMBOL
        format "$sym_name attr-dict-with-keyword $body"
        hooks { default_dialect: Some("toy") }
    }
}

op! {
    /// A value of any type.
    Make = "toy.make" {
        results { out: Variadic ANY }
        format "attr-dict (`:` type($out)^)?"
        hooks { result_name: Some(|_, _, index| (index != 1).then(|| format!("m{index}"))) }
    }
}

op! {
    /// Two of a type.
    Add = "toy.add" {
        operands { lhs: One ANY, rhs: One ANY }
        results { out: One ANY }
        attrs { flags: Default(no_flags) FLAG }
        traits SAME_OPERANDS_AND_RESULT_TYPE
        format "$lhs `,` $rhs (`flags` `` $flags^)? attr-dict `:` type($out)"
    }
}

op! {
    /// Groups, an enumeration, a typed number, an array.
    Pick = "toy.pick" {
        operands { from: One ANY, at: Variadic INDEX, alternative: Optional ANY }
        results { out: One ANY }
        attrs { colour: Required COLOUR, step: Optional I64, sizes: Required I64_ARRAY, quick: Optional UNIT }
        traits ATTR_SIZED_OPERANDS
        types { out = same(from) "same type" }
        format "$colour $from `[` $at `]` (`step` $step^)? (`quick` $quick^)? (`else` $alternative^ `:` type($alternative)) : (`strict`)? `sizes` $sizes attr-dict `:` type($from)"
    }
}

op! {
    /// A unit attribute by its own name, a string, a symbol.
    Note = "toy.note" {
        attrs { loud: Optional UNIT, text: Required STRING, about: Optional SYMBOL }
        format "($loud^)? $text (`about` $about^)? attr-dict"
    }
}

op! {
    /// A function type.
    Call = "toy.call" {
        operands { inputs: Variadic ANY }
        results { outputs: Variadic ANY }
        attrs { callee: Required SYMBOL }
        format "$callee `(` $inputs `)` attr-dict `:` functional-type(operands, results)"
    }
}

fn parse_pair(p: &mut OpParser<'_, '_>, _: &mut OpState) -> ParseResult<()> {
    let operands = p.parse_operand_list(Delimiter::Angle)?;
    p.set_operands("values", &operands);
    Ok(())
}

fn print_pair(p: &mut OpPrinter<'_, '_>, op: Op) {
    p.write("<");
    p.operands(p.ir.operands(op));
    p.write(">");
}

op! {
    /// A custom directive and clauses in any order.
    Odd = "toy.odd" {
        operands { values: Variadic INDEX }
        attrs { width: Optional I64, name: Optional STRING }
        format "custom<Pair>($values) oilist( `width` `(` $width `)` | `name` `(` $name `)` ) attr-dict"
        hooks { custom: &[CustomDirective { name: "Pair", parse: parse_pair, print: print_pair }] }
    }
}

op! {
    /// Two regions and an implied end.
    Either = "toy.either" {
        regions { first: SizedOne, second: Any }
        format "$first (`or` $second^)? attr-dict"
        hooks { implicit_terminator: Some(|b: &mut Builder<'_>| Stop::new(b).build(b)) }
    }
}

op! {
    /// Branches.
    Jump = "toy.jump" {
        successors { to: Variadic }
        traits TERMINATOR
        format "$to attr-dict"
    }
}

op! {
    /// Ends.
    Stop = "toy.stop" {
        traits TERMINATOR
        format "attr-dict"
    }
}

pub static TOY: DialectDef = DialectDef {
    name: "toy",
    summary: "For tests.",
    ops: &[
        Func::def,
        Make::def,
        Add::def,
        Pick::def,
        Note::def,
        Call::def,
        Odd::def,
        Either::def,
        Jump::def,
        Stop::def,
    ],
    materialize: None,
};
