//! Printing what was read gives the same text.

use gpuc_ir::op::OpDef;
use gpuc_ir::text::{PrintOptions, check_format, parse_attr, parse_module, parse_type};

use super::{dialect, ir};

/// Reads and prints `text`, in the pretty form and through the generic one; both give `expected`.
fn check(text: &str, expected: &str) {
    let mut graph = ir();
    let op = match parse_module(&mut graph, text, "t.mlir") {
        Ok(op) => op,
        Err(diagnostics) => panic!("{}\n{text}", diagnostics[0]),
    };
    let pretty = graph.to_text(op);
    assert_eq!(pretty, expected);
    for options in [
        PrintOptions { generic: true, ..PrintOptions::default() },
        PrintOptions { inline_maps: true, ..PrintOptions::default() },
        PrintOptions { locations: true, ..PrintOptions::default() },
    ] {
        let through = graph.to_text_with(op, options);
        let mut again = ir();
        match parse_module(&mut again, &through, "again.mlir") {
            Ok(op) => assert_eq!(again.to_text(op), expected, "through\n{through}"),
            Err(diagnostics) => panic!("{}\n{through}", diagnostics[0]),
        }
    }
}

/// Text that is already as printed.
fn same(body: &str) {
    let indented: String = body.lines().map(|line| format!("    {line}\n")).collect();
    let text =
        format!("\"builtin.module\"() ({{\n  toy.func @f {{\n{indented}  }}\n}}) : () -> ()\n");
    check(&text, &text);
}

#[test]
fn formats_of_the_toy_dialect_compile() {
    for def in dialect::TOY.ops {
        let def: &'static OpDef = def();
        assert_eq!(check_format(def), Ok(()));
    }
}

#[test]
fn formats() {
    same("%m0 = make : i32\n%0 = add %m0, %m0 : i32\n%1 = add %0, %m0 flags<a,b> {x} : i32\nstop");
    same("%0:3 = \"t.x\"() : () -> (i32, f32, f32)\n\"t.y\"(%0#2) : (f32) -> ()");
    same(
        "%m0:2, %m2 = make : i32, f32, index\n\"t.use\"(%m0#1, %m2, %m0#0) : (f32, index, i32) -> ()",
    );
    same(
        "%m0 = make : index\n%0 = pick red %m0[%m0, %m0] step 4 quick else %m0 : index sizes [1, -2] : index",
    );
    same("%m0 = make : index\n%0 = pick green %m0[] strict sizes [] {other = 1 : i8} : index");
    same("note loud \"x\" about @a::@b\nnote \"y\"");
    same(
        "%m0 = make : i32\n%0:2 = call @g(%m0, %m0) : (i32, i32) -> (i32, f32)\ncall @g() : () -> ()",
    );
    same("%m0 = make : index\nodd <%m0, %m0> width(4) name(\"n\")\nodd <>");
    same("either {\n} or {\n  toy.note \"z\"\n}\neither {\n  toy.note \"a\"\n}");
}

#[test]
fn blocks() {
    let text = "\
\"builtin.module\"() ({
  toy.func @f {
    jump ^bb1, ^bb2
  ^bb1:  // 2 preds: ^bb0, ^bb2
    stop
  ^bb2:  // pred: ^bb0
    jump ^bb1
  ^bb3(%0: i32):  // no predecessors
    \"t.a\"(%0) : (i32) -> ()
  }
}) : () -> ()
";
    check(text, text);
}

#[test]
fn clauses_come_in_any_order() {
    let text = "toy.odd <> name(\"n\") width(1)";
    check(text, "\"builtin.module\"() ({\n  toy.odd <> width(1) name(\"n\")\n}) : () -> ()\n");
}

#[test]
fn defaults_are_not_kept() {
    let text = "%a = toy.make : i8 \n %b = \"toy.add\"(%a, %a) <{flags = #toy.flags<none>}> : (i8, i8) -> i8";
    let expected = "\"builtin.module\"() ({\n  %m0 = toy.make : i8\n  %0 = toy.add %m0, %m0 : i8\n}) : () -> ()\n";
    check(text, expected);
}

#[test]
fn enumerations_have_one_spelling() {
    let text = "%a = toy.make : i8 \n %b = \"toy.add\"(%a, %a) {flags = #toy.flags<b , a>} : (i8, i8) -> i8";
    let expected = "\"builtin.module\"() ({\n  %m0 = toy.make : i8\n  %0 = toy.add %m0, %m0 flags<a,b> : i8\n}) : () -> ()\n";
    check(text, expected);
}

#[test]
fn names_are_upstreams() {
    let text = "\
%c:2 = toy.make : i32, i32
\"t.r\"() ({
^bb0(%a: i32, %b: i32):
  %x = toy.make : i32
  %y = \"t.v\"(%x, %b, %c#1) : (i32, i32, i32) -> i32
^bb1(%z: i32):
  \"t.w\"(%z) ({
    %q = \"t.v\"(%y) : (i32) -> i32
  }) : (i32) -> ()
}) : () -> ()
%d = \"t.v\"() : () -> i32";
    let expected = "\
\"builtin.module\"() ({
  %m0:2 = toy.make : i32, i32
  \"t.r\"() ({
  ^bb0(%arg0: i32, %arg1: i32):
    %m0_0 = toy.make : i32
    %1 = \"t.v\"(%m0_0, %arg1, %m0#1) : (i32, i32, i32) -> i32
  ^bb1(%2: i32):  // no predecessors
    \"t.w\"(%2) ({
      %3 = \"t.v\"(%1) : (i32) -> i32
    }) : (i32) -> ()
  }) : () -> ()
  %0 = \"t.v\"() : () -> i32
}) : () -> ()
";
    check(text, expected);
}

#[test]
fn values_and_blocks_before_their_definition() {
    let text = "\
\"t.r\"() ({
  \"t.br\"()[^late] : () -> ()
^early:
  \"t.use\"(%v#1, %w) : (f32, i32) -> ()
^late:
  %v:2 = \"t.def\"() : () -> (i32, f32)
  %w = \"t.def\"() : () -> i32
  \"t.br\"()[^early] : () -> ()
}) : () -> ()";
    let expected = "\
\"builtin.module\"() ({
  \"t.r\"() ({
    \"t.br\"()[^bb2] : () -> ()
  ^bb1:  // pred: ^bb2
    \"t.use\"(%0#1, %1) : (f32, i32) -> ()
  ^bb2:  // pred: ^bb0
    %0:2 = \"t.def\"() : () -> (i32, f32)
    %1 = \"t.def\"() : () -> i32
    \"t.br\"()[^bb1] : () -> ()
  }) : () -> ()
}) : () -> ()
";
    check(text, expected);
}

#[test]
fn aliases_and_locations() {
    let text = "\
#m = affine_map<(i, j)[n] -> (i + n, j)>
!t = memref<4x4xf32, #m>
#s = affine_set<(i) : (i >= 4, i == 5)>
\"t.a\"() {m = #m, s = #s, t = !t} : () -> () loc(#l)
\"t.b\"() {m = #m} : () -> () loc(callsite(\"f\" at fused<1 : i32>[\"x.c\":1:2, unknown]))
\"t.c\"() : () -> () loc(\"a.c\":3:4 to :9)
\"t.d\"() : () -> () loc(\"b\"(\"a.c\":3:4 to 5:1))
#l = loc(\"a.c\":3:4)
{-# dialect_resources: {} #-}";
    let expected = "\
#map = affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>
#set = affine_set<(d0) : (d0 - 4 >= 0, d0 - 5 == 0)>
\"builtin.module\"() ({
  \"t.a\"() {m = #map, s = #set, t = memref<4x4xf32, #map>} : () -> ()
  \"t.b\"() {m = #map} : () -> ()
  \"t.c\"() : () -> ()
  \"t.d\"() : () -> ()
}) : () -> ()
";
    check(text, expected);
    let mut graph = ir();
    let op = parse_module(&mut graph, text, "t.mlir").unwrap();
    let located =
        graph.to_text_with(op, PrintOptions { locations: true, ..PrintOptions::default() });
    for location in ["\"a.c\":3:4", "\"a.c\":3:4 to :9", "\"b\"(\"a.c\":3:4 to 5:1)"] {
        assert!(located.contains(&format!("loc({location})")), "{located}");
    }
    assert!(
        located.contains("loc(callsite(\"f\" at fused<1 : i32>[\"x.c\":1:2, unknown]))"),
        "{located}"
    );
}

#[test]
fn types() {
    for text in [
        "i1",
        "si8",
        "ui64",
        "index",
        "none",
        "f16",
        "bf16",
        "tf32",
        "f80",
        "f128",
        "complex<f32>",
        "tuple<>",
        "tuple<i32, tuple<f32>>",
        "() -> ()",
        "(i32) -> (i32, f32)",
        "((i32) -> i32) -> ((i32) -> i32)",
        "vector<f32>",
        "vector<4x[8]xf32>",
        "vector<[4]xi1>",
        "tensor<*xf32>",
        "tensor<4x?xf32, \"csr\">",
        "tensor<f32>",
        "tensor<0x1xf32>",
        "memref<f32>",
        "memref<4x?xf32>",
        "memref<?xf32, strided<[?], offset: ?>>",
        "memref<4xf32, 3>",
        "memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>, 1 : i32>",
        "memref<*xf32, \"fast\">",
        "memref<4xf32, #toy.space<shared>>",
        "memref<4xvector<4xf32>>",
        "!toy.token",
        "!toy<dim x>",
        "!toy.pair<i32, (a) -> b, \">\">",
        "memref<1xmemref<2xf32>>",
    ] {
        let mut graph = ir();
        let ty = parse_type(&mut graph, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(graph.type_text(ty), text);
    }
}

#[test]
fn attributes() {
    for (text, printed) in [
        ("1 : i32", ""),
        ("-1 : i64", ""),
        ("7", "7 : i64"),
        ("0xFF : i8", "-1 : i8"),
        ("255 : ui8", ""),
        ("true", ""),
        ("1 : i1", "true"),
        ("3 : index", ""),
        ("1.5", "1.500000e+00 : f64"),
        ("0x7F800000 : f32", ""),
        ("0x3F800000 : f32", "1.000000e+00 : f32"),
        ("-1.0 : f16", "-1.000000e+00 : f16"),
        ("\"a\\0A\\22\\\\\\C3\\A9\"", ""),
        ("\"\\n\"", "\"\\0A\""),
        ("@f", ""),
        ("@\"a b\"::@c", ""),
        ("unit", ""),
        ("[]", ""),
        ("[1, 2.0, true, 3 : i8]", "[1, 2.000000e+00, true, 3 : i8]"),
        ("{}", ""),
        ("{b = 1 : i32, a}", "{a, b = 1 : i32}"),
        ("{\"x y\" = unit}", "{\"x y\"}"),
        ("i32", ""),
        ("() -> ()", ""),
        ("array<i32>", ""),
        ("array<i64: 1, -2>", ""),
        ("array<i1: true, false>", ""),
        ("array<f32: 1.0>", "array<f32: 1.000000e+00>"),
        ("dense<1> : tensor<2x2xi32>", ""),
        ("dense<[1, 1]> : tensor<2xi32>", "dense<1> : tensor<2xi32>"),
        ("dense<[[1, 2], [3, 4]]> : vector<2x2xi8>", ""),
        ("dense<[true, false]> : vector<2xi1>", ""),
        ("dense<> : tensor<0xf32>", ""),
        ("dense<-1.0> : vector<f64>", "dense<-1.000000e+00> : vector<f64>"),
        ("dense<\"0x01000000FFFFFFFF\"> : tensor<2xi32>", "dense<[1, -1]> : tensor<2xi32>"),
        ("dense<\"0x0000803F\"> : tensor<4xf32>", "dense<1.000000e+00> : tensor<4xf32>"),
        ("strided<[1, ?], offset: 3>", ""),
        ("strided<[], offset: 0>", "strided<[]>"),
        ("#toy.x<a, [b]>", ""),
        ("#toy<dim x>", ""),
        ("loc(unknown)", ""),
        ("affine_map<() -> ()>", ""),
        ("affine_map<(d0)[s0] -> (d0 * s0, d0 mod 3, -d0)>", ""),
        ("affine_map<(d0, d1) -> ((d0 + d1) floordiv 4 - d1 * 2)>", ""),
        ("affine_map<(x, y) -> (x - (y - 1))>", "affine_map<(d0, d1) -> (d0 - (d1 - 1))>"),
        ("affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 == 0)>", ""),
        ("affine_set<(d0) : (d0 <= 5)>", "affine_set<(d0) : (-d0 + 5 >= 0)>"),
    ] {
        let printed = if printed.is_empty() { text } else { printed };
        let mut graph = ir();
        let attr = parse_attr(&mut graph, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(graph.attr_text(attr), printed);
        assert_eq!(parse_attr(&mut graph, printed), Ok(attr), "{printed}");
    }
}
