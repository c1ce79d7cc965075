//! `cf`: syntax, refusals, canonicalisation.

use crate::harness::{canonical, refused, round_trip};

#[test]
fn branches() {
    round_trip(
        "module {
  func.func @f(%arg0: i32, %arg1: i1) {
    cf.assert %arg1, \"a \\22message\\22\"
    cf.cond_br %arg1, ^bb1(%arg0 : i32), ^bb2 {tag}
  ^bb1(%0: i32):
    cf.switch %arg0 : i32, [
      default: ^bb1(%arg0 : i32),
      42: ^bb1(%arg0 : i32),
      4294967295: ^bb2
    ] {tag}
  ^bb2:
    cf.switch %arg0 : i32, [
      default: ^bb3]
  ^bb3:
    cf.br ^bb4(%arg0, %arg1 : i32, i1)
  ^bb4(%1: i32, %2: i1):
    return
  }
}",
    );
}

#[test]
fn refusals() {
    let function = |body: &str| format!("func.func @f(%a: i32, %c: i1) {{\n{body}\nreturn\n}}");
    let cases = [
        (
            "cf.br ^bb1(%a : i32)\n^bb1:",
            "'cf.br' op branch has 1 operands for successor #0, but target block has 0",
        ),
        (
            "\"cf.switch\"(%a)[^bb1, ^bb1] <{case_operand_segments = array<i32: 0>, case_values = dense<3> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()\n^bb1:",
            "'cf.switch' op number of case values (2) should match number of case destinations (1)",
        ),
        (
            "\"cf.switch\"(%a)[^bb1, ^bb1] <{case_operand_segments = array<i32: 0>, case_values = dense<3> : vector<1xi64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()\n^bb1:",
            "'cf.switch' op 'flag' type ('i32') should match case value type ('i64')",
        ),
    ];
    let cases = cases.map(|(text, message)| (function(text), message));
    refused(&cases.each_ref().map(|(text, message)| (text.as_str(), *message)));
}

#[test]
fn known_targets() {
    let text = canonical(
        "func.func @f(%a: i32, %c: i1, %d: i1) -> i32 {
          %t = arith.constant true
          %c3 = arith.constant 3 : i32
          cf.assert %t, \"fine\"
          cf.br ^bb1(%a : i32)
        ^bb1(%x: i32):
          cf.switch %c3 : i32, [ default: ^bb2, 3: ^bb3(%x : i32) ]
        ^bb2:
          return %c3 : i32
        ^bb3(%w: i32):
          cf.switch %a : i32, [ default: ^bb5, 4: ^bb5, 5: ^bb4 ]
        ^bb4:
          \"test.d\"() : () -> ()
          cf.cond_br %d, ^bb5, ^bb5
        ^bb5:
          cf.cond_br %d, ^bb6(%a : i32), ^bb6(%w : i32)
        ^bb6(%u: i32):
          return %u : i32
        }
        func.func @cycle() {
          cf.br ^bb1
        ^bb1:
          cf.br ^bb2
        ^bb2:
          cf.br ^bb3
        ^bb3:
          cf.br ^bb1
        }",
    );
    let lines: Vec<_> =
        text.lines().map(str::trim).filter(|line| !line.contains("arith.constant")).collect();
    assert_eq!(
        lines.join("\n"),
        "module {
func.func @f(%arg0: i32, %arg1: i1, %arg2: i1) -> i32 {
cf.switch %arg0 : i32, [
default: ^bb3,
5: ^bb2
]
^bb1:
return %c3_i32 : i32
^bb2:
\"test.d\"() : () -> ()
cf.br ^bb3
^bb3:
return %arg0 : i32
}
func.func @cycle() {
cf.br ^bb1
^bb1:
cf.br ^bb1
}
}"
    );
}
