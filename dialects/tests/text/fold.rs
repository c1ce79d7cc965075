//! Folding: constants to constants, and identities.

use crate::harness::{canonical, in_function, upstream};

/// Canonicalises `%r = ...` in a function and returns what defines the operand of the one user.
fn result_of(arguments: &str, lines: &str, ty: &str) -> String {
    let text = in_function(arguments, &format!("{lines}\n\"test.use\"(%r) : ({ty}) -> ()"));
    let text = canonical(&text);
    let used = text.split("\"test.use\"(").nth(1).and_then(|rest| rest.split(')').next());
    let used = used.expect("the user is there");
    let definition = text.lines().find_map(|line| line.trim().strip_prefix(&format!("{used} = ")));
    definition.unwrap_or(used).to_owned()
}

fn constant(lines: &str, ty: &str) -> String {
    result_of("", lines, ty).replace("arith.constant ", "")
}

#[test]
fn two_integers() {
    let cases = [
        ("addi", "127", "1", "i8", "-128 : i8"),
        ("subi", "-128", "1", "i8", "127 : i8"),
        ("muli", "16", "16", "i8", "0 : i8"),
        ("addi", "9223372036854775807", "1", "index", "-9223372036854775808 : index"),
        ("divsi", "-7", "2", "i32", "-3 : i32"),
        ("divui", "-7", "2", "i8", "124 : i8"),
        ("ceildivsi", "-7", "2", "i32", "-3 : i32"),
        ("ceildivsi", "7", "2", "i32", "4 : i32"),
        ("ceildivui", "-1", "2", "i8", "-128 : i8"),
        ("floordivsi", "-7", "2", "i32", "-4 : i32"),
        ("remsi", "-7", "2", "i32", "-1 : i32"),
        ("remui", "-7", "2", "i8", "1 : i8"),
        ("andi", "12", "10", "i32", "8 : i32"),
        ("ori", "12", "10", "i32", "14 : i32"),
        ("xori", "12", "10", "i32", "6 : i32"),
        ("shli", "1", "7", "i8", "-128 : i8"),
        ("shrui", "-1", "7", "i8", "1 : i8"),
        ("shrsi", "-128", "7", "i8", "-1 : i8"),
        ("maxsi", "-1", "1", "i8", "1 : i8"),
        ("maxui", "-1", "1", "i8", "-1 : i8"),
        ("minsi", "-1", "1", "i8", "-1 : i8"),
        ("minui", "-1", "1", "i8", "1 : i8"),
        (
            "divsi",
            "-85070591730234615865843651857942052864",
            "3",
            "i127",
            "-28356863910078205288614550619314017621 : i127",
        ),
    ];
    for (op, a, b, ty, expected) in cases {
        let lines = format!(
            "%a = arith.constant {a} : {ty}\n%b = arith.constant {b} : {ty}\n%r = arith.{op} %a, %b : {ty}"
        );
        assert_eq!(constant(&lines, ty), expected, "{op} {a}, {b}");
    }
}

#[test]
fn the_undefined_stays() {
    for (op, a, b) in [
        ("divsi", 1, 0),
        ("divui", 1, 0),
        ("remsi", 1, 0),
        ("remui", 1, 0),
        ("divsi", -128, -1),
        ("ceildivsi", -128, -1),
        ("floordivsi", -128, -1),
        ("shli", 1, 8),
        ("shrui", 1, 8),
        ("shrsi", 1, -1),
    ] {
        let lines = format!(
            "%a = arith.constant {a} : i8\n%b = arith.constant {b} : i8\n%r = arith.{op} %a, %b : i8"
        );
        assert!(constant(&lines, "i8").starts_with(&format!("arith.{op} ")), "{op} {a}, {b}");
    }
}

#[test]
fn floats() {
    let cases = [
        ("arith.addf", "1.0e-1", "2.0e-1", "f32", "3.000000e-01 : f32"),
        ("arith.addf", "1.0e-1", "2.0e-1", "f64", "0.30000000000000004 : f64"),
        ("arith.mulf", "1.0e+38", "1.0e+1", "f32", "0x7F800000 : f32"),
        ("arith.divf", "0.0", "0.0", "f32", "0x7FC00000 : f32"),
        ("arith.divf", "1.0", "-0.0", "f32", "0xFF800000 : f32"),
        ("arith.remf", "-7.5", "2.0", "f32", "-1.500000e+00 : f32"),
        ("arith.maximumf", "-0.0", "0.0", "f32", "0.000000e+00 : f32"),
        ("arith.minimumf", "0.0", "-0.0", "f32", "-0.000000e+00 : f32"),
        ("arith.maximumf", "1.0", "0x7FC00000", "f32", "0x7FC00000 : f32"),
        ("arith.maxnumf", "1.0", "0x7FC00000", "f32", "1.000000e+00 : f32"),
        ("arith.minnumf", "0x7FC00000", "1.0", "f32", "1.000000e+00 : f32"),
        ("math.powf", "2.0", "0.5", "f32", "1.41421354 : f32"),
        ("math.copysign", "2.0", "-0.0", "f64", "-2.000000e+00 : f64"),
        ("math.atan2", "0.0", "-1.0", "f64", "3.1415926535897931 : f64"),
    ];
    for (op, a, b, ty, expected) in cases {
        let lines = format!(
            "%a = arith.constant {a} : {ty}\n%b = arith.constant {b} : {ty}\n%r = {op} %a, %b : {ty}"
        );
        assert_eq!(constant(&lines, ty), expected, "{op} {a}, {b}");
        if let Some(result) = upstream(&in_function("", &lines)) {
            result.expect("upstream reads it");
        }
    }
    let unary = [
        ("math.sqrt", "2.0", "f32", "1.41421354 : f32"),
        ("math.sqrt", "-1.0", "f32", "math.sqrt"),
        ("math.log", "-1.0", "f64", "math.log"),
        ("math.exp2", "10.0", "f64", "1.024000e+03 : f64"),
        ("math.roundeven", "2.5", "f32", "2.000000e+00 : f32"),
        ("math.round", "2.5", "f32", "3.000000e+00 : f32"),
        ("math.floor", "-0.5", "f32", "-1.000000e+00 : f32"),
        ("math.ceil", "-0.5", "f32", "-0.000000e+00 : f32"),
        ("math.absf", "-0.0", "f32", "0.000000e+00 : f32"),
        ("arith.negf", "0.0", "f32", "-0.000000e+00 : f32"),
    ];
    for (op, a, ty, expected) in unary {
        let lines = format!("%a = arith.constant {a} : {ty}\n%r = {op} %a : {ty}");
        assert!(constant(&lines, ty).starts_with(expected), "{op} {a}: {}", constant(&lines, ty));
    }
}

#[test]
fn casts_and_bits() {
    let cases = [
        ("arith.extui", "-1", "i8", "i32", "255 : i32"),
        ("arith.extsi", "-1", "i8", "i32", "-1 : i32"),
        ("arith.extsi", "true", "i1", "i32", "-1 : i32"),
        ("arith.extui", "true", "i1", "i32", "1 : i32"),
        ("arith.trunci", "257", "i32", "i8", "1 : i8"),
        ("arith.uitofp", "-1", "i8", "f32", "2.550000e+02 : f32"),
        ("arith.sitofp", "16777217", "i32", "f32", "0x4B800000 : f32"),
        ("arith.fptosi", "-1.9", "f32", "i8", "-1 : i8"),
        ("arith.fptosi", "128.0", "f32", "i8", "arith.fptosi"),
        ("arith.fptoui", "255.5", "f32", "i8", "-1 : i8"),
        ("arith.fptoui", "-1.0", "f32", "i8", "arith.fptoui"),
        ("arith.fptosi", "0x7FC00000", "f32", "i8", "arith.fptosi"),
        ("arith.truncf", "1.0e-1", "f64", "f32", "1.000000e-01 : f32"),
        ("arith.truncf", "65520.0", "f32", "f16", "0x7C00 : f16"),
        ("arith.extf", "0x3C00", "f16", "f32", "1.000000e+00 : f32"),
        ("arith.bitcast", "1.0", "f32", "i32", "1065353216 : i32"),
        ("arith.bitcast", "1", "i16", "f16", "5.960460e-08 : f16"),
        ("arith.index_cast", "-1", "i8", "index", "-1 : index"),
        ("arith.index_castui", "-1", "i8", "index", "255 : index"),
    ];
    for (op, value, from, to, expected) in cases {
        let value = if from == "i1" { value.to_owned() } else { format!("{value} : {from}") };
        let lines = format!("%a = arith.constant {value}\n%r = {op} %a : {from} to {to}");
        assert!(
            constant(&lines, to).starts_with(expected),
            "{op} {value}: {}",
            constant(&lines, to)
        );
    }
    for (op, value, expected) in
        [("ctlz", 1, 7), ("cttz", 0, 8), ("ctpop", -1, 8), ("absi", -128, -128)]
    {
        let lines = format!("%a = arith.constant {value} : i8\n%r = math.{op} %a : i8");
        assert_eq!(constant(&lines, "i8"), format!("{expected} : i8"), "{op} {value}");
    }
    let vectors = [
        ("arith.addi", "[1, 2, 3, 4]", "1", "[2, 3, 4, 5]"),
        ("arith.muli", "[1, 2, 3, 4]", "0", "0"),
        ("arith.subi", "7", "[6, 6, 6, 6]", "1"),
    ];
    for (op, a, b, expected) in vectors {
        let lines = format!(
            "%a = arith.constant dense<{a}> : vector<4xi32>\n%b = arith.constant dense<{b}> : vector<4xi32>\n%r = {op} %a, %b : vector<4xi32>"
        );
        assert_eq!(constant(&lines, "vector<4xi32>"), format!("dense<{expected}> : vector<4xi32>"));
    }
}

#[test]
fn identities() {
    const ARGUMENTS: &str = "%x: i32, %y: i32, %c: i1, %f: f32, %i: index";
    const CONSTANTS: &str = "%c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c3 = arith.constant 3 : i32
        %m1 = arith.constant -1 : i32
        %t = arith.constant true
        %false_ = arith.constant false
        %zero = arith.constant 0.0 : f32
        %nzero = arith.constant -0.0 : f32
        %one = arith.constant 1.0 : f32
        ";
    let cases = [
        ("%r = arith.addi %c0, %x : i32", "i32", "%arg0"),
        ("%a = arith.subi %x, %y : i32\n%r = arith.addi %y, %a : i32", "i32", "%arg0"),
        ("%r = arith.subi %x, %x : i32", "i32", "arith.constant 0 : i32"),
        ("%a = arith.addi %x, %c3 : i32\n%r = arith.subi %a, %c3 : i32", "i32", "%arg0"),
        (
            "%a = arith.addi %x, %c3 : i32\n%r = arith.addi %a, %c1 : i32",
            "i32",
            "arith.addi %arg0, %c4_i32 : i32",
        ),
        (
            "%a = arith.addi %x, %c3 overflow<nsw> : i32\n%r = arith.addi %a, %c1 overflow<nsw> : i32",
            "i32",
            "arith.addi %arg0, %c4_i32 overflow<nsw> : i32",
        ),
        (
            "%a = arith.subi %c3, %x : i32\n%r = arith.subi %c1, %a : i32",
            "i32",
            "arith.addi %arg0, %c-2_i32 : i32",
        ),
        (
            "%a = arith.muli %x, %c3 : i32\n%r = arith.muli %a, %c3 : i32",
            "i32",
            "arith.muli %arg0, %c9_i32 : i32",
        ),
        (
            "%a = arith.muli %x, %m1 : i32\n%r = arith.addi %y, %a : i32",
            "i32",
            "arith.subi %arg1, %arg0 : i32",
        ),
        ("%r = arith.divsi %x, %c1 : i32", "i32", "%arg0"),
        ("%r = arith.remsi %x, %c1 : i32", "i32", "arith.constant 0 : i32"),
        (
            "%a = arith.xori %x, %m1 : i32\n%r = arith.andi %a, %x : i32",
            "i32",
            "arith.constant 0 : i32",
        ),
        (
            "%a = arith.xori %x, %m1 : i32\n%r = arith.ori %a, %x : i32",
            "i32",
            "arith.constant -1 : i32",
        ),
        ("%a = arith.xori %x, %y : i32\n%r = arith.xori %a, %y : i32", "i32", "%arg0"),
        (
            "%a = arith.cmpi slt, %x, %y : i32\n%r = arith.xori %a, %t : i1",
            "i1",
            "arith.cmpi sge, %arg0, %arg1 : i32",
        ),
        ("%r = arith.cmpi ule, %x, %x : i32", "i1", "arith.constant true"),
        ("%r = arith.cmpi ult, %x, %c0 : i32", "i1", "arith.constant false"),
        ("%r = arith.cmpi slt, %c3, %x : i32", "i1", "arith.cmpi sgt, %arg0, %c3_i32 : i32"),
        ("%a = arith.extui %c : i1 to i32\n%r = arith.cmpi ne, %a, %c0 : i32", "i1", "%arg2"),
        ("%a = arith.negf %f : f32\n%r = arith.negf %a : f32", "f32", "%arg3"),
        ("%a = math.floor %f : f32\n%r = math.floor %a : f32", "f32", "math.floor %arg3 : f32"),
        ("%a = math.absi %x : i32\n%r = math.absi %a : i32", "i32", "math.absi %arg0 : i32"),
        ("%a = math.exp %f : f32\n%r = math.exp %a : f32", "f32", "math.exp %0 : f32"),
        ("%r = arith.andi %x, %x : i32", "i32", "%arg0"),
        ("%r = arith.addf %f, %nzero : f32", "f32", "%arg3"),
        ("%r = arith.addf %f, %zero : f32", "f32", "arith.addf %arg3, %cst : f32"),
        ("%r = arith.subf %f, %zero : f32", "f32", "%arg3"),
        ("%r = arith.mulf %f, %one : f32", "f32", "%arg3"),
        ("%r = arith.mulf %f, %zero : f32", "f32", "arith.mulf %arg3, %cst : f32"),
        (
            "%a = arith.negf %f : f32\n%r = arith.mulf %a, %a : f32",
            "f32",
            "arith.mulf %arg3, %arg3 : f32",
        ),
        ("%r = arith.cmpf oeq, %f, %f : f32", "i1", "arith.cmpf oeq, %arg3, %arg3 : f32"),
        ("%r = arith.select %c, %x, %x : i32", "i32", "%arg0"),
        ("%r = arith.select %c, %t, %false_ : i1", "i1", "%arg2"),
        (
            "%a = arith.xori %c, %t : i1\n%r = arith.select %a, %x, %y : i32",
            "i32",
            "arith.select %arg2, %arg1, %arg0 : i32",
        ),
        ("%r = arith.select %c, %c1, %c0 : i32", "i32", "arith.extui %arg2 : i1 to i32"),
        ("%a = arith.cmpi eq, %x, %y : i32\n%r = arith.select %a, %x, %y : i32", "i32", "%arg1"),
        ("%a = arith.extsi %x : i32 to i64\n%r = arith.trunci %a : i64 to i32", "i32", "%arg0"),
        (
            "%a = arith.extsi %x : i32 to i64\n%r = arith.trunci %a : i64 to i16",
            "i16",
            "arith.trunci %arg0 : i32 to i16",
        ),
        (
            "%a = arith.extui %x : i32 to i64\n%r = arith.extsi %a : i64 to i128",
            "i128",
            "arith.extui %arg0 : i32 to i128",
        ),
        (
            "%a = arith.index_cast %x : i32 to index\n%r = arith.index_cast %a : index to i32",
            "i32",
            "%arg0",
        ),
        (
            "%a = arith.index_cast %i : index to i32\n%r = arith.index_cast %a : i32 to index",
            "index",
            "arith.index_cast %0 : i32 to index",
        ),
        ("%a = arith.bitcast %f : f32 to i32\n%r = arith.bitcast %a : i32 to f32", "f32", "%arg3"),
    ];
    for (lines, ty, expected) in cases {
        assert_eq!(result_of(ARGUMENTS, &format!("{CONSTANTS}{lines}"), ty), expected, "{lines}");
    }
}
