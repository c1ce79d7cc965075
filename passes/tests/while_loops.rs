//! Which `while` loops count: none that may wrap around before it meets its bound.

mod remarks;

use remarks::run;

/// Whether a loop from `%first` on, whose number `%k` is compared as `compared`, becomes a counted one.
fn is_counted(first: &str, relation: &str, compared: &str, step: i32, flags: &str) -> bool {
    let text = format!(
        "func.func @f(%first: i32, %bound: i32, %wide: i64) -> i32 {{
  %zero = arith.constant 0 : i32
  %step = arith.constant {step} : i32
  %result = scf.while (%k = %{first}) : (i32) -> i32 {{
    %next = arith.addi %k, %step{flags} : i32
    %long = arith.extsi %next : i32 to i64
    %more = arith.cmpi {relation}, {compared}
    scf.condition(%more) %k : i32
  }} do {{
  ^bb0(%k: i32):
    %other = arith.addi %k, %step{flags} : i32
    scf.yield %other : i32
  }}
  return %result : i32
}}"
    );
    let (raised, said) = run("raise-while", &text);
    assert_eq!(said, "");
    !raised.contains("scf.while")
}

#[test]
fn what_may_wrap_does_not_count() {
    let (number, next, long) = ("%k, %bound : i32", "%next, %bound : i32", "%long, %wide : i64");
    let fits = " overflow<nsw>";
    // Where it starts, how it is compared, what is, by which step; with and without a promise not to wrap.
    let table = [
        ("first", "slt", number, 1, true, false),
        ("first", "sle", number, 3, true, false),
        ("first", "sgt", number, -1, true, false),
        ("first", "sge", number, -2, true, false),
        ("first", "slt", number, -1, false, false),
        ("first", "slt", long, 1, true, false),
        ("first", "ult", number, 1, true, true),
        ("first", "ult", number, 2, false, false),
        ("first", "ult", next, 1, false, false),
        ("first", "ne", number, 1, true, false),
        ("zero", "ne", number, 1, true, true),
        ("zero", "ne", number, 2, false, false),
    ];
    for (first, relation, compared, step, with, without) in table {
        let found = [fits, ""].map(|flags| is_counted(first, relation, compared, step, flags));
        assert_eq!(found, [with, without], "{first}: {compared} {relation}, step {step}");
    }
}
