//! `scf`: syntax, refusals, canonicalisation.

use crate::harness::{canonical, in_function, refused, round_trip};

const ARGUMENTS: &str = "%arg0: index, %arg1: i1, %arg2: f32, %arg3: i32";

#[test]
fn loops() {
    round_trip(
        "module {
  func.func @f(%arg0: index, %arg1: i1, %arg2: f32, %arg3: i32) {
    %0 = scf.for %arg4 = %arg0 to %arg0 step %arg0 iter_args(%arg5 = %arg2) -> (f32) {
      scf.yield %arg5 : f32
    }
    scf.for %arg4 = %arg3 to %arg3 step %arg3  : i32 {
      \"test.body\"(%arg4) : (i32) -> ()
    } {tag}
    %1:2 = scf.while (%arg4 = %arg3, %arg5 = %arg2) : (i32, f32) -> (f32, i32) {
      scf.condition(%arg1) %arg5, %arg4 : f32, i32
    } do {
    ^bb0(%arg4: f32, %arg5: i32):
      scf.yield %arg5, %arg4 : i32, f32
    } attributes {tag}
    scf.while : () -> () {
      scf.condition(%arg1)
    } do {
      scf.yield
    }
    %2:2 = scf.parallel (%arg4, %arg5) = (%arg0, %arg0) to (%arg0, %arg0) step (%arg0, %arg0) init (%arg2, %arg3) -> (f32, i32) {
      scf.reduce(%arg2, %arg3 : f32, i32) {
      ^bb0(%arg6: f32, %arg7: f32):
        scf.reduce.return %arg6 : f32
      }, {
      ^bb0(%arg6: i32, %arg7: i32):
        scf.reduce.return %arg6 : i32
      }
    } {tag}
    scf.parallel (%arg4) = (%arg0) to (%arg0) step (%arg0) {
      scf.reduce
    }
    return
  }
}",
    );
}

#[test]
fn choices() {
    round_trip(
        "module {
  func.func @f(%arg0: index, %arg1: i1, %arg2: f32, %arg3: i32) {
    %0:2 = scf.if %arg1 -> (f32, i32) {
      scf.yield %arg2, %arg3 : f32, i32
    } else {
      scf.yield %arg2, %arg3 : f32, i32
    } {tag}
    scf.if %arg1 {
      \"test.then\"() : () -> ()
    }
    scf.if %arg1 {
    } else {
    }
    %1 = scf.execute_region -> f32 {
      cf.br ^bb1(%arg2 : f32)
    ^bb1(%3: f32):
      scf.yield %3 : f32
    }
    scf.execute_region {
      scf.yield
    } {tag}
    %2 = scf.index_switch %arg0 {tag} -> i32
    case 2 {
      scf.yield %arg3 : i32
    }
    case -5 {
      scf.yield %arg3 : i32
    }
    default {
      scf.yield %arg3 : i32
    }
    scf.index_switch %arg0
    default {
    }
    return
  }
}",
    );
}

#[test]
fn refusals() {
    let cases = [
        (
            "\"test.region\"() ({ scf.yield }) : () -> ()",
            "'scf.yield' op expects parent op to be one of 'scf.execute_region, scf.for, scf.if, scf.index_switch, scf.while'",
        ),
        (
            "%0 = scf.if %arg1 -> (f32) { scf.yield %arg2 : f32 }",
            "'scf.if' op must have an else block if defining values",
        ),
        (
            "%0 = scf.if %arg1 -> (f32) { scf.yield %arg3 : i32 } else { scf.yield %arg2 : f32 }",
            "'scf.if' op  along control flow edge from Region #0 to parent results: source type #0 'i32' should match input type #0 'f32'",
        ),
        (
            "%0 = scf.if %arg1 -> (f32) { scf.yield } else { scf.yield %arg2 : f32 }",
            "'scf.if' op  region control flow edge from Region #0 to parent results: source has 0 operands, but target successor needs 1",
        ),
        (
            "scf.for %k = %arg2 to %arg2 step %arg2 : f32 { }",
            "'scf.for' op operand #0 must be signless integer or index, but got 'f32'",
        ),
        (
            "\"scf.for\"(%arg0, %arg0, %arg0) ({^bb0(%u: i32): \"scf.yield\"() : () -> ()}) : (index, index, index) -> ()",
            "'scf.for' op expected induction variable to be same type as bounds and step",
        ),
        (
            "%0 = \"scf.for\"(%arg0, %arg0, %arg0, %arg2) ({^bb0(%u: index): \"scf.yield\"() : () -> ()}) : (index, index, index, f32) -> f32",
            "'scf.for' op different number of inits and region iter_args: 1 != 0",
        ),
        (
            "%0 = scf.for %k = %arg0 to %arg0 step %arg0 iter_args(%x = %arg2) -> (f32) { }",
            "'scf.for' op  region control flow edge from Region #0 to Region #0: source has 0 operands, but target successor needs 1",
        ),
        (
            "%0 = scf.for %k = %arg0 to %arg0 step %arg0 iter_args(%x = %arg2) -> (f32) { scf.yield %arg3 : i32 }",
            "'scf.for' op 0-th region iter_arg and 0-th yielded value have different type: 'f32' != 'i32'",
        ),
        (
            "scf.while : () -> () { scf.yield } do { scf.yield }",
            "'scf.while' op expects the 'before' region to terminate with 'scf.condition'",
        ),
        (
            "scf.while : () -> () { scf.condition(%arg1) %arg3 : i32 } do { scf.yield }",
            "'scf.while' op  region control flow edge from Region #0 to Region #1: source has 1 operands, but target successor needs 0",
        ),
        (
            "scf.parallel () = () to () step () { }",
            "'scf.parallel' op needs at least one tuple element for lowerBound, upperBound and step",
        ),
        (
            "%0 = scf.parallel (%x) = (%arg0) to (%arg0) step (%arg0) init (%arg2) -> f32 { }",
            "'scf.parallel' op expects number of results: 1 to be the same as number of reductions: 0",
        ),
        (
            "%0 = scf.parallel (%x) = (%arg0) to (%arg0) step (%arg0) init (%arg2) -> f32 { scf.reduce(%arg2 : f32) { ^bb0(%q: f32, %r: f32): scf.reduce.return %arg3 : i32 } }",
            "'scf.reduce.return' op must have type 'f32' (the type of the reduction inputs)",
        ),
        (
            "scf.execute_region { }",
            "'scf.execute_region' op region needs to have at least one block",
        ),
        (
            "%0 = scf.index_switch %arg0 -> i32 case 2 { scf.yield %arg2 : f32 } default { scf.yield %arg3 : i32 }",
            "'scf.index_switch' op expected result #0 of each region to be 'i32'",
        ),
        (
            "scf.index_switch %arg0 case 2 { scf.yield } case 2 { scf.yield } default { }",
            "'scf.index_switch' op has duplicate case value: 2",
        ),
    ];
    let cases = cases.map(|(text, message)| (in_function(ARGUMENTS, text), message));
    refused(&cases.each_ref().map(|(text, message)| (text.as_str(), *message)));
}

/// The lines of the function after canonicalisation, constants left out, without indentation.
fn lines_of(body: &str) -> String {
    const CONSTANTS: &str = "%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c5 = arith.constant 5 : index
        %t = arith.constant true
        ";
    let text = canonical(&in_function(ARGUMENTS, &format!("{CONSTANTS}{body}")));
    let lines = text.lines().map(str::trim).filter(|line| !line.contains("= arith.constant"));
    let lines: Vec<_> = lines.skip(2).collect();
    lines[..lines.len() - 3].join(" ")
}

#[test]
fn known_iterations() {
    for (body, expected) in [
        ("scf.for %i = %c5 to %c0 step %c1 { \"a\"() : () -> () }", ""),
        ("scf.for %i = %arg0 to %arg0 step %c1 { \"a\"() : () -> () }", ""),
        (
            "scf.for %i = %c0 to %c1 step %c5 { \"a\"(%i) : (index) -> () }",
            "\"a\"(%c0) : (index) -> ()",
        ),
        (
            "%0 = scf.for %i = %c1 to %c5 step %c5 iter_args(%x = %arg2) -> (f32) {
            %1 = \"a\"(%x) : (f32) -> f32
            scf.yield %1 : f32 }
          \"b\"(%0) : (f32) -> ()",
            "%0 = \"a\"(%arg2) : (f32) -> f32 \"b\"(%0) : (f32) -> ()",
        ),
        (
            "scf.parallel (%i, %j) = (%c0, %arg0) to (%c1, %c5) step (%c1, %c1) { \"a\"(%i, %j) : (index, index) -> () }",
            "scf.parallel (%arg4) = (%arg0) to (%c5) step (%c1) { \"a\"(%c0, %arg4) : (index, index) -> () scf.reduce }",
        ),
        (
            "%0 = scf.parallel (%i) = (%c0) to (%c1) step (%c1) init (%arg2) -> f32 {
            %1 = \"a\"(%i) : (index) -> f32
            scf.reduce(%1 : f32) {
            ^bb0(%l: f32, %r: f32):
              %2 = \"join\"(%l, %r) : (f32, f32) -> f32
              scf.reduce.return %2 : f32
            } }
          \"b\"(%0) : (f32) -> ()",
            "%0 = \"a\"(%c0) : (index) -> f32 %1 = \"join\"(%arg2, %0) : (f32, f32) -> f32 \"b\"(%1) : (f32) -> ()",
        ),
    ] {
        assert_eq!(lines_of(body), expected, "{body}");
    }
}

#[test]
fn carried_values() {
    for (body, expected) in [
        ("%0:2 = scf.for %i = %c0 to %arg0 step %c1 iter_args(%x = %arg2, %y = %arg2) -> (f32, f32) {
            %1 = \"a\"(%x, %y) : (f32, f32) -> f32
            scf.yield %x, %1 : f32, f32 }
          \"b\"(%0#0, %0#1) : (f32, f32) -> ()",
         "%0 = scf.for %arg4 = %c0 to %arg0 step %c1 iter_args(%arg5 = %arg2) -> (f32) { \
          %1 = \"a\"(%arg2, %arg5) : (f32, f32) -> f32 scf.yield %1 : f32 } \"b\"(%arg2, %0) : (f32, f32) -> ()"),
        ("%0 = scf.for %i = %c0 to %arg0 step %c1 iter_args(%x = %arg2) -> (f32) {
            %1 = \"a\"() : () -> f32
            scf.yield %1 : f32 }",
         "scf.for %arg4 = %c0 to %arg0 step %c1 { %0 = \"a\"() : () -> f32 }"),
        ("%0:2 = scf.while (%x = %arg2, %y = %arg3) : (f32, i32) -> (f32, i32) {
            %1 = \"c\"(%x) : (f32) -> i1
            scf.condition(%1) %x, %y : f32, i32
          } do {
          ^bb0(%x: f32, %y: i32):
            %2 = \"next\"(%y) : (i32) -> i32
            scf.yield %x, %2 : f32, i32
          }
          \"b\"(%0#0) : (f32) -> ()",
         "%0 = scf.while (%arg4 = %arg3) : (i32) -> i32 { %1 = \"c\"(%arg2) : (f32) -> i1 scf.condition(%1) %arg4 : i32 } \
          do { ^bb0(%arg4: i32): %1 = \"next\"(%arg4) : (i32) -> i32 scf.yield %1 : i32 } \"b\"(%arg2) : (f32) -> ()"),
    ] {
        assert_eq!(lines_of(body), expected, "{body}");
    }
}

#[test]
fn decided_choices() {
    for (body, expected) in [
        ("scf.if %t { \"a\"() : () -> () } else { \"b\"() : () -> () }", "\"a\"() : () -> ()"),
        ("scf.if %arg1 { } else { }", ""),
        ("%0 = scf.if %arg1 -> (f32) { scf.yield %arg2 : f32 } else { %1 = \"a\"() : () -> f32
            scf.yield %arg2 : f32 }
          \"b\"(%0) : (f32) -> ()",
         "scf.if %arg1 { } else { %0 = \"a\"() : () -> f32 } \"b\"(%arg2) : (f32) -> ()"),
        ("%n = arith.xori %arg1, %t : i1
          scf.if %n { \"a\"() : () -> () } else { \"b\"() : () -> () }",
         "scf.if %arg1 { \"b\"() : () -> () } else { \"a\"() : () -> () }"),
        ("scf.if %arg1 { \"a\"(%arg1) : (i1) -> () }", "scf.if %arg1 { \"a\"(%true) : (i1) -> () }"),
        ("%0 = scf.index_switch %c5 -> i32 case 5 { scf.yield %arg3 : i32 } default { %1 = \"a\"() : () -> i32
            scf.yield %1 : i32 }
          \"b\"(%0) : (i32) -> ()", "\"b\"(%arg3) : (i32) -> ()"),
        ("%0 = scf.execute_region -> i32 { %1 = \"a\"() : () -> i32
            scf.yield %1 : i32 }
          \"b\"(%0) : (i32) -> ()", "%0 = \"a\"() : () -> i32 \"b\"(%0) : (i32) -> ()"),
    ] {
        assert_eq!(lines_of(body), expected, "{body}");
    }
}
