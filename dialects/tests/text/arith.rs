//! `arith` and `math`: syntax and refusals.

use gpuc_dialects::{arith, builtin};
use gpuc_ir::verify::verify;
use gpuc_ir::{Builder, Location, Type};

use crate::harness::{in_function, new_ir, refused, round_trip};

const ARGUMENTS: &str = "%arg0: i32, %arg1: f32, %arg2: i1, %arg3: index, %arg4: vector<4xi32>, \
                         %arg5: vector<4xf32>, %arg6: vector<4xi1>, %arg7: i64, %arg8: f64";

#[test]
fn integers() {
    let binary = [
        "addi",
        "subi",
        "muli",
        "divui",
        "divsi",
        "ceildivui",
        "ceildivsi",
        "floordivsi",
        "remui",
        "remsi",
        "andi",
        "ori",
        "xori",
        "shli",
        "shrui",
        "shrsi",
        "maxsi",
        "maxui",
        "minsi",
        "minui",
    ];
    let mut body = String::new();
    for (i, op) in binary.iter().enumerate() {
        let (ty, operand) =
            [("i32", "%arg0"), ("index", "%arg3"), ("vector<4xi32>", "%arg4")][i % 3];
        body += &format!("%{i} = arith.{op} {operand}, {operand} : {ty}\n");
    }
    let others = [
        "arith.addi %arg0, %arg0 overflow<nsw, nuw> {tag} : i32",
        "arith.shli %arg0, %arg0 overflow<nuw> : i32",
        "math.absi %arg0 : i32",
        "math.ctlz %arg4 : vector<4xi32>",
        "math.cttz %arg3 : index",
        "math.ctpop %arg0 : i32",
        "math.ipowi %arg0, %arg0 : i32",
    ];
    for (i, op) in others.iter().enumerate() {
        body += &format!("%{} = {op}\n", binary.len() + i);
    }
    body += "%sum, %overflow = arith.addui_extended %arg0, %arg0 : i32, i1
        %low, %high = arith.mulsi_extended %arg4, %arg4 : vector<4xi32>
        %low_0, %high_1 = arith.mului_extended %arg3, %arg3 : index";
    round_trip(&in_function(ARGUMENTS, &body));
}

#[test]
fn floats() {
    let binary = [
        "arith.addf",
        "arith.subf",
        "arith.mulf",
        "arith.divf",
        "arith.remf",
        "arith.maximumf",
        "arith.minimumf",
        "arith.maxnumf",
        "arith.minnumf",
        "math.atan2",
        "math.copysign",
        "math.powf",
    ];
    let unary = "absf acos acosh asin asinh atan atanh cbrt ceil cos cosh sin sinh erf exp exp2 expm1 floor \
        log log10 log1p log2 rsqrt sqrt tan tanh roundeven round trunc";
    let flags = ["", " fastmath<fast>", " fastmath<nnan,contract>", " fastmath<reassoc>"];
    let mut body = String::new();
    let mut next = 0;
    let mut line = |op: &str, operands: &str, ty: &str| {
        body += &format!("%{next} = {op} {operands}{} : {ty}\n", flags[next % 4]);
        next += 1;
    };
    for op in binary {
        line(op, "%arg5, %arg5", "vector<4xf32>");
    }
    for op in unary.split_whitespace() {
        line(&format!("math.{op}"), "%arg1", "f32");
    }
    line("arith.negf", "%arg8", "f64");
    line("math.fma", "%arg1, %arg1, %arg1", "f32");
    line("math.fpowi", "%arg1, %arg3", "f32, index");
    round_trip(&in_function(ARGUMENTS, &body));
}

#[test]
fn casts_comparisons_constants() {
    round_trip(&in_function(
        ARGUMENTS,
        "%0 = arith.extui %arg0 : i32 to i64
        %1 = arith.extsi %arg6 : vector<4xi1> to vector<4xi8>
        %2 = arith.trunci %arg7 : i64 to i1
        %3 = arith.extf %arg1 fastmath<fast> : f32 to f64
        %4 = arith.truncf %arg8 : f64 to bf16
        %5 = arith.truncf %arg8 downward fastmath<nnan> : f64 to f16
        %6 = arith.uitofp %arg0 : i32 to f64
        %7 = arith.sitofp %arg4 : vector<4xi32> to vector<4xf16>
        %8 = arith.fptoui %arg1 : f32 to i8
        %9 = arith.fptosi %arg1 : f32 to i64
        %10 = arith.index_cast %arg3 : index to i32
        %11 = arith.index_castui %arg0 : i32 to index
        %12 = arith.bitcast %arg5 : vector<4xf32> to vector<4xi32>
        %13 = arith.cmpi ult, %arg4, %arg4 : vector<4xi32>
        %14 = arith.cmpf une, %arg1, %arg1 fastmath<ninf> : f32
        %15 = arith.select %arg2, %arg4, %arg4 : vector<4xi32>
        %16 = arith.select %arg6, %arg4, %arg4 {tag = 1 : i32} : vector<4xi1>, vector<4xi32>
        %c-7 = arith.constant -7 : index
        %c1_i32 = arith.constant 1 : i32
        %c1_i32_0 = arith.constant {tag} 1 : i32
        %true = arith.constant true
        %false = arith.constant false
        %cst = arith.constant 1.500000e-01 : f64
        %cst_1 = arith.constant dense<[1, -2, 3, 4]> : vector<4xi32>
        %cst_2 = arith.constant dense<0x7FC00000> : vector<4xf32>",
    ));
}

#[test]
fn refusals() {
    let line = |line: &str| in_function(ARGUMENTS, line);
    let cases = [
        (
            "%0 = arith.addi %arg1, %arg1 : f32",
            "'arith.addi' op operand #0 must be signless-integer-like, but got 'f32'",
        ),
        (
            "%0 = arith.addf %arg0, %arg0 : i32",
            "'arith.addf' op operand #0 must be floating-point-like, but got 'i32'",
        ),
        (
            "%0 = \"arith.addi\"(%arg0, %arg3) : (i32, index) -> i32",
            "'arith.addi' op requires the same type for all operands and results",
        ),
        (
            "%0 = arith.extui %arg0 : i32 to i16",
            "'arith.extui' op operand type 'i32' and result type 'i16' are cast incompatible",
        ),
        (
            "%0 = arith.trunci %arg0 : i32 to i32",
            "'arith.trunci' op operand type 'i32' and result type 'i32' are cast incompatible",
        ),
        (
            "%0 = arith.trunci %arg4 : vector<4xi32> to i16",
            "'arith.trunci' op requires the same shape for all operands and results",
        ),
        (
            "%0 = arith.truncf %arg1 : f32 to f64",
            "'arith.truncf' op operand type 'f32' and result type 'f64' are cast incompatible",
        ),
        (
            "%0 = arith.sitofp %arg0 : i32 to i64",
            "'arith.sitofp' op result #0 must be floating-point-like, but got 'i64'",
        ),
        (
            "%0 = arith.index_cast %arg0 : i32 to i64",
            "'arith.index_cast' op operand type 'i32' and result type 'i64' are cast incompatible",
        ),
        (
            "%0 = arith.index_cast %arg1 : f32 to index",
            "'arith.index_cast' op operand #0 must be signless-integer-like or memref of signless-integer, but got 'f32'",
        ),
        (
            "%0 = arith.bitcast %arg0 : i32 to f64",
            "'arith.bitcast' op operand type 'i32' and result type 'f64' are cast incompatible",
        ),
        (
            "%0 = \"arith.constant\"() <{value = 1 : i32}> : () -> i64",
            "'arith.constant' op failed to verify that all of {value, result} have same type",
        ),
        (
            "%0 = arith.constant 1 : si32",
            "'arith.constant' op integer return type must be signless",
        ),
        (
            "%0 = \"arith.cmpi\"(%arg0, %arg3) <{predicate = 1 : i64}> : (i32, index) -> i1",
            "'arith.cmpi' op requires all operands to have the same type",
        ),
        (
            "%0 = \"arith.cmpi\"(%arg4, %arg4) <{predicate = 1 : i64}> : (vector<4xi32>, vector<4xi32>) -> i1",
            "'arith.cmpi' op failed to verify that result type has i1 element type and same shape as operands",
        ),
        (
            "%0 = \"arith.select\"(%arg2, %arg0, %arg3) : (i1, i32, index) -> i32",
            "'arith.select' op failed to verify that all of {true_value, false_value, result} have same type",
        ),
        (
            "%0 = \"arith.select\"(%arg0, %arg0, %arg0) : (i32, i32, i32) -> i32",
            "'arith.select' op operand #0 must be bool-like, but got 'i32'",
        ),
        (
            "%0 = math.fpowi %arg5, %arg0 : vector<4xf32>, i32",
            "'math.fpowi' op requires the same shape for all operands and results",
        ),
        (
            "%0 = math.absi %arg1 : f32",
            "'math.absi' op operand #0 must be signless-integer-like, but got 'f32'",
        ),
    ];
    let cases = cases.map(|(text, message)| (line(text), message));
    refused(&cases.each_ref().map(|(text, message)| (text.as_str(), *message)));
}

/// The text of a module with an integer and a float constant of two types that a program makes, if
/// it is valid.
fn built(types: impl Fn(&mut gpuc_ir::Context) -> [Type; 2]) -> Result<String, String> {
    let mut ir = new_ir();
    let module = builtin::ModuleOp::create(&mut ir, Location::UNKNOWN);
    let block = ir.body(module.0, 0);
    let mut b = Builder::at_end(&mut ir, block, Location::UNKNOWN);
    let [integer, float] = types(&mut b.ctx);
    arith::constant_int(&mut b, 7, integer);
    arith::constant_float(&mut b, 0.5, float);
    verify(&mut ir, module.0).map_err(|errors| errors[0].message.clone())?;
    Ok(ir.to_text(module.0))
}

#[test]
fn constants_of_every_type_that_has_numbers_can_be_built() {
    let scalars = built(|ctx| [ctx.i32(), ctx.f32()]).expect("scalars are valid");
    let vectors = built(|ctx| {
        let (i32, f32) = (ctx.i32(), ctx.f32());
        [ctx.vector(&[4], i32), ctx.vector(&[4], f32)]
    });
    let vectors = vectors.expect("vectors are valid");
    for (text, constants) in [
        (scalars, ["7 : i32", "5.000000e-01 : f32"]),
        (vectors, ["dense<7> : vector<4xi32>", "dense<5.000000e-01> : vector<4xf32>"]),
    ] {
        for constant in constants {
            assert!(text.contains(&format!("arith.constant {constant}")), "{text}");
        }
        round_trip(&text);
    }
    assert_eq!(
        built(|ctx| [ctx.f32(), ctx.f32()]).unwrap_err(),
        "'arith.constant' op attribute 'value' holds an integer not valid for type 'f32'"
    );
    assert_eq!(
        built(|ctx| {
            let i32 = ctx.i32();
            [ctx.index(), ctx.vector(&[4], i32)]
        })
        .unwrap_err(),
        "'arith.constant' op attribute 'value' holds a floating point value not valid for \
         type 'vector<4xi32>'"
    );
}
