//! Operations with regions: how many, of how many blocks, with which scopes and ends.

use gpuc_ir::op::{RegionBranch, RegionEdge, RegionPoint, types};
use gpuc_ir::text::{Argument, Delimiter, OpParser, OpPrinter, ParseResult, PrintRegion};
use gpuc_ir::{Ir, Op, OpState, Value, op};
use types::ANY;

op! {
    /// Two regions of any kind.
    TwoRegionOp = "test.two_region_op" {
        regions { first: Any, second: Any }
    }
}

op! {
    /// A region of two blocks and one of one block.
    SizedRegionOp = "test.sized_region_op" {
        regions { my_region: Any, second: Any }
        hooks { verify: Some(verify_sized) }
    }
}

fn verify_sized(ir: &Ir, op: Op) -> Result<(), String> {
    for (index, (name, blocks)) in [(" ('my_region')", 2), ("", 1)].into_iter().enumerate() {
        if ir.blocks(ir.region(op, index)).len() != blocks {
            return Err(format!(
                "region #{index}{name} failed to verify constraint: region with {blocks} blocks"
            ));
        }
    }
    Ok(())
}

op! {
    /// One region of any kind, in which constants of what it holds are made.
    OneRegionOp = "test.one_region_op" {
        regions { region: Any }
        traits CONSTANTS_STAY
    }
}

op! {
    /// A block that needs no end.
    SingleNoTerminatorOp = "test.single_no_terminator_op" {
        regions { my_region: SizedOne }
        traits SINGLE_BLOCK, NO_TERMINATOR, GRAPH_REGION
        format "attr-dict `:` $my_region"
    }
}

op! {
    /// A block that needs no end, in a syntax of its own.
    SingleNoTerminatorCustomAsmOp = "test.single_no_terminator_custom_asm_op" {
        regions { my_region: SizedOne }
        traits SINGLE_BLOCK, NO_TERMINATOR
        hooks { parse: Some(parse_region), print: Some(print_region) }
    }
}

op! {
    /// Blocks that need no end.
    VariadicNoTerminatorOp = "test.variadic_no_terminator_op" {
        regions { my_regions: Variadic }
        traits SINGLE_BLOCK, NO_TERMINATOR
        format "attr-dict `:` $my_regions"
    }
}

op! {
    /// What is defined at the top of its region is a symbol of affine expressions.
    AffineScopeOp = "test.affine_scope" {
        regions { region: SizedOne }
        traits AFFINE_SCOPE
        hooks { parse: Some(parse_region), print: Some(print_region) }
    }
}

op! {
    /// A region in which order means nothing.
    GraphRegionOp = "test.graph_region" {
        regions { region: Any }
        traits GRAPH_REGION, NO_TERMINATOR
        hooks { parse: Some(parse_region), print: Some(print_region) }
    }
}

fn parse_region(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    state.regions.push(p.parse_region(&[])?);
    p.parse_attr_dict(state)
}

fn print_region(p: &mut OpPrinter<'_, '_>, op: Op) {
    p.write(" ");
    let region = p.ir.region(op, 0);
    p.region(region, PrintRegion::NO_ARGS);
    p.attr_dict(op, &[]);
}

op! {
    /// A loop that names its variables.
    PolyForOp = "test.polyfor" {
        regions { region: SizedOne }
        traits NO_TERMINATOR
        hooks {
            parse: Some(parse_polyfor),
            print: Some(print_polyfor),
            argument_name: Some(polyfor_name),
        }
    }
}

fn polyfor_name(ir: &Ir, op: Op, _region: usize, index: usize) -> Option<String> {
    let names = ir.attr(op, "arg_names").and_then(|attr| ir.ctx.array_value(attr))?;
    names.get(index).and_then(|&name| ir.ctx.string_value(name)).map(str::to_owned)
}

fn parse_polyfor(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let names = p.parse_argument_list(Delimiter::None, false)?;
    let index = p.ir.ctx.index();
    let arguments: Vec<_> = names.into_iter().map(|name| Argument::new(name.name, index)).collect();
    state.regions.push(p.parse_region(&arguments)?);
    Ok(())
}

fn print_polyfor(p: &mut OpPrinter<'_, '_>, op: Op) {
    let body = p.ir.body(op, 0);
    let arguments = p.ir.arguments(body).to_vec();
    p.write(" ");
    p.list(arguments, |p, argument| p.operand(argument));
    p.write(" ");
    let region = p.ir.region(op, 0);
    p.region(region, PrintRegion::NO_ARGS);
}

op! {
    /// Runs its region, perhaps.
    AnyCondOp = "test.any_cond" {
        results { results: Variadic ANY }
        regions { region: Any }
        traits RECURSIVE_EFFECTS
        hooks { region_branch: Some(ONCE) }
    }
}

/// The region runs once; what it hands on is not known.
const ONCE: RegionBranch = RegionBranch {
    edges: |_, _, from| {
        let to = match from {
            RegionPoint::Parent => RegionPoint::Region(0),
            RegionPoint::Region(_) => RegionPoint::Parent,
        };
        vec![RegionEdge { to, values: Default::default(), receivers: Default::default() }]
    },
};

op! {
    /// Runs the first or the second region, and the third with what came out of that.
    RegionIfOp = "test.region_if" {
        operands { operands: Variadic ANY }
        results { results: Variadic ANY }
        regions { thenRegion: Any, elseRegion: Any, joinRegion: Any }
        traits SINGLE_BLOCK, RECURSIVE_EFFECTS
        hooks {
            parse: Some(parse_region_if),
            print: Some(print_region_if),
            region_branch: Some(THEN_ELSE_JOIN),
        }
    }
}

op! {
    /// Ends the regions of `test.region_if`.
    RegionIfYieldOp = "test.region_if_yield" {
        operands { results: Variadic ANY }
        traits PURE, TERMINATOR, RETURN_LIKE
        format "$results `:` type($results) attr-dict"
    }
}

const THEN_ELSE_JOIN: RegionBranch = RegionBranch {
    edges: |ir, op, from| {
        let arguments = |region: usize| {
            let entry = ir.entry_block(ir.region(op, region));
            entry.map_or(&[][..], |block| ir.arguments(block)).iter().copied().collect()
        };
        let yielded = |region: usize| {
            let end = ir.entry_block(ir.region(op, region)).and_then(|block| ir.last_op(block));
            end.map(|end| ir.operands(end).collect()).unwrap_or_default()
        };
        match from {
            RegionPoint::Parent => [0, 1]
                .map(|region| RegionEdge {
                    to: RegionPoint::Region(region),
                    values: ir.operands(op).collect(),
                    receivers: arguments(region),
                })
                .into(),
            RegionPoint::Region(2) => vec![RegionEdge {
                to: RegionPoint::Parent,
                values: yielded(2),
                receivers: ir.results(op).iter().copied().collect(),
            }],
            RegionPoint::Region(region) => vec![RegionEdge {
                to: RegionPoint::Region(2),
                values: yielded(region),
                receivers: arguments(2),
            }],
        }
    },
};

const REGION_WORDS: [&str; 3] = ["then", "else", "join"];

fn parse_region_if(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let at = p.here();
    let operands = p.parse_operand_list(Delimiter::None)?;
    let types = p.parse_colon_type_list()?;
    p.resolve_all(&operands, &types, at, &mut state.operands)?;
    state.results = p.parse_optional_arrow_type_list()?.into();
    for word in REGION_WORDS {
        p.keyword(word)?;
        state.regions.push(p.parse_region(&[])?);
    }
    p.parse_attr_dict(state)
}

fn print_region_if(p: &mut OpPrinter<'_, '_>, op: Op) {
    let operands: Vec<Value> = p.ir.operands(op).collect();
    let results: Vec<_> = p.ir.result_types(op).collect();
    p.write(" ");
    p.operands(operands.iter().copied());
    p.write(": ");
    p.types_of(operands);
    p.optional_arrow_types(&results);
    for (index, word) in REGION_WORDS.into_iter().enumerate() {
        p.write(" ");
        p.write(word);
        p.write(" ");
        let region = p.ir.region(op, index);
        p.region(region, PrintRegion::ALL);
    }
    p.attr_dict(op, &[]);
}
