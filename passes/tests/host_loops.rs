//! Which loops stay on the host, and what becomes of what their kernels hand to each other.

mod remarks;

use expect_test::{Expect, expect};
use remarks::run;

/// What `split-launches` makes of a region: the host function with its regions, without what they hold but
/// parallel loops and accesses to scalars that are kept in memory.
fn split(construct: &str, body: &str, expected: Expect) {
    let text = format!(
        "func.func @f(%n: index, %steps: index, %a: memref<?xf32> {{offload.name = \"a\", offload.map = \"copy\"}}, %b: memref<?x?xf32> {{offload.name = \"b\", offload.map = \"copy\"}}, %s: memref<f32> {{offload.name = \"s\", offload.map = \"copy\"}}) {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%f0 = arith.constant 0.0 : f32
%f1 = arith.constant 1.0 : f32
offload.region {construct} {{
{body}
}}
return
}}"
    );
    let (made, said) = run("collapse-parallel,split-launches,canonicalize,cse", &text);
    assert!(!said.contains("error"), "{said}\n{made}");
    let words = [
        "offload.region",
        "scf.",
        "affine.parallel",
        "offload.fetch",
        "gpu.alloc",
        "gpu.dealloc",
        "memref.store",
        "memref.load",
        "memref.alloca",
        "affine.store",
        "}",
    ];
    let kept: Vec<&str> =
        made.lines().filter(|line| words.iter().any(|word| line.contains(word))).collect();
    expected.assert_eq(&(kept.join("\n") + "\n"));
}

const FILL: &str =
    "affine.parallel (%i) = (0) to (symbol(%n)) {\naffine.store %f1, %a[%i] : memref<?xf32>\n}";

#[test]
fn a_launch_for_each_phase_of_a_step() {
    split(
        "kernels",
        &format!(
            "affine.for %t = 0 to %steps {{\n{FILL}\nmemref.store %f0, %s[] : memref<f32>\n{FILL}\n}}"
        ),
        expect![[r#"
              func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg3: memref<?x?xf32> {offload.map = "copy", offload.name = "b"}, %arg4: memref<f32> {offload.map = "copy", offload.name = "s"}) {
                scf.for %arg5 = %c0 to %arg1 step %c1 {
                  offload.region kernels {
                    affine.parallel (%arg6) = (0) to (symbol(%arg0)) {
                      affine.store %cst_0, %arg2[%arg6] : memref<?xf32>
                    }
                  }
                  offload.region kernels {
                    memref.store %cst, %arg4[] : memref<f32>
                  }
                  offload.region kernels {
                    affine.parallel (%arg6) = (0) to (symbol(%arg0)) {
                      affine.store %cst_0, %arg2[%arg6] : memref<?xf32>
                    }
                  }
                } {offload.host_loop}
              }
            }
        "#]],
    );
}

#[test]
fn what_is_not_worth_it_or_not_allowed_stays() {
    let small =
        "affine.parallel (%i) = (0) to (128) {\naffine.store %f1, %a[%i] : memref<?xf32>\n}";
    split(
        "kernels",
        &format!("affine.for %t = 0 to %steps {{\n{small}\n}}"),
        expect![[r#"
          func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg3: memref<?x?xf32> {offload.map = "copy", offload.name = "b"}, %arg4: memref<f32> {offload.map = "copy", offload.name = "s"}) {
            offload.region kernels {
                affine.parallel (%arg6) = (0) to (128) {
                  affine.store %cst, %arg2[%arg6] : memref<?xf32>
                }
              }
            }
          }
        }
    "#]],
    );
    // Gangs of a `parallel` region do not wait for each other.
    split(
        "parallel",
        &format!("affine.for %t = 0 to %steps {{\n{FILL}\n}}"),
        expect![[r#"
          func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg3: memref<?x?xf32> {offload.map = "copy", offload.name = "b"}, %arg4: memref<f32> {offload.map = "copy", offload.name = "s"}) {
            offload.region parallel {
                affine.parallel (%arg6) = (0) to (symbol(%arg0)) {
                  affine.store %cst, %arg2[%arg6] : memref<?xf32>
                }
              }
            }
          }
        }
    "#]],
    );
    // A vector loop is one block's.
    split(
        "kernels",
        "affine.for %t = 0 to %steps {
affine.parallel (%i) = (0) to (symbol(%n)) {
affine.store %f1, %a[%i] : memref<?xf32>
} {offload.schedule = [\"vector\"]}
}",
        expect![[r#"
              func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg3: memref<?x?xf32> {offload.map = "copy", offload.name = "b"}, %arg4: memref<f32> {offload.map = "copy", offload.name = "s"}) {
                offload.region kernels {
                    affine.parallel (%arg6) = (0) to (symbol(%arg0)) {
                      affine.store %cst, %arg2[%arg6] : memref<?xf32>
                    } {offload.schedule = ["vector"]}
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn a_condition_that_only_the_device_knows_is_read_back() {
    // The kernel that combines the values stores the result for the next turn.
    split(
        "kernels",
        "%first = memref.load %s[] : memref<f32>
%last = scf.while (%x = %first) : (f32) -> f32 {
%more = arith.cmpf ogt, %x, %f0 : f32
scf.condition(%more) %x : f32
} do {
^bb0(%x: f32):
%sum = affine.parallel (%i) = (0) to (symbol(%n)) reduce (\"addf\") -> (f32) {
%y = affine.load %a[%i] : memref<?xf32>
affine.yield %y : f32
}
%next = arith.subf %x, %sum : f32
scf.yield %next : f32
}
memref.store %last, %s[] : memref<f32>",
        expect![[r#"
              func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg3: memref<?x?xf32> {offload.map = "copy", offload.name = "b"}, %arg4: memref<f32> {offload.map = "copy", offload.name = "s"}) {
                %memref = gpu.alloc  (%c1) : memref<?xf32>
                offload.region kernels {
                  %0 = memref.load %arg4[] : memref<f32>
                  memref.store %0, %memref[%c0] : memref<?xf32>
                }
                scf.while : () -> () {
                  %0 = offload.fetch %memref[%c0] : memref<?xf32>
                  scf.condition(%1)
                } do {
                  offload.region kernels {
                    %0 = affine.parallel (%arg5) = (0) to (symbol(%arg0)) reduce ("addf") -> (f32) {
                    }
                    %1 = memref.load %memref[%c0] : memref<?xf32>
                    memref.store %2, %memref[%c0] : memref<?xf32>
                  }
                  scf.yield
                } attributes {offload.host_loop}
                offload.region kernels {
                  %0 = memref.load %memref[%c0] : memref<?xf32>
                  memref.store %0, %arg4[] : memref<f32>
                }
                gpu.dealloc  %memref : memref<?xf32>
              }
            }
        "#]],
    );
}

#[test]
fn what_the_host_knows_it_computes() {
    // A bound that grows, in a loop over a bound from memory.
    split(
        "kernels",
        "%limits = memref.alloca() : memref<index>
memref.store %n, %limits[] : memref<index>
%end = scf.for %t = %c0 to %steps step %c1 iter_args(%w = %c1) -> (index) {
affine.parallel (%i) = (0) to (symbol(%n)) {
affine.store %f1, %a[%i] : memref<?xf32>
}
%twice = arith.addi %w, %w : index
%large = arith.cmpi sgt, %w, %n : index
scf.if %large {
affine.parallel (%i) = (0) to (symbol(%n)) {
affine.store %f0, %a[%i] : memref<?xf32>
}
}
scf.yield %twice : index
}
%float = arith.index_cast %end : index to i32
%as = arith.sitofp %float : i32 to f32
memref.store %as, %s[] : memref<f32>",
        expect![[r#"
              func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg3: memref<?x?xf32> {offload.map = "copy", offload.name = "b"}, %arg4: memref<f32> {offload.map = "copy", offload.name = "s"}) {
                %0 = scf.for %arg5 = %c0 to %arg1 step %c1 iter_args(%arg6 = %c1) -> (index) {
                  offload.region kernels {
                    affine.parallel (%arg7) = (0) to (symbol(%arg0)) {
                      affine.store %cst_0, %arg2[%arg7] : memref<?xf32>
                    }
                  }
                  scf.if %4 {
                    offload.region kernels {
                      affine.parallel (%arg7) = (0) to (symbol(%arg0)) {
                        affine.store %cst, %arg2[%arg7] : memref<?xf32>
                      }
                    }
                  }
                  scf.yield %3 : index
                } {offload.host_loop}
                offload.region kernels {
                  memref.store %2, %arg4[] : memref<f32>
                }
              }
            }
        "#]],
    );
}

#[test]
fn exchanged_values_do_not_overwrite_each_other() {
    split(
        "kernels",
        "%one = affine.parallel (%i) = (0) to (symbol(%n)) reduce (\"addf\") -> (f32) {
%y = affine.load %a[%i] : memref<?xf32>
affine.yield %y : f32
}
%z:2 = scf.for %t = %c0 to %steps step %c1 iter_args(%x = %one, %y = %f1) -> (f32, f32) {
affine.parallel (%i) = (0) to (symbol(%n)) {
affine.store %x, %a[%i] : memref<?xf32>
}
scf.yield %y, %x : f32, f32
}
memref.store %z#0, %s[] : memref<f32>",
        expect![[r#"
              func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg3: memref<?x?xf32> {offload.map = "copy", offload.name = "b"}, %arg4: memref<f32> {offload.map = "copy", offload.name = "s"}) {
                %memref = gpu.alloc  (%c1) : memref<?xf32>
                %memref_0 = gpu.alloc  (%c1) : memref<?xf32>
                offload.region kernels {
                  %0 = affine.parallel (%arg5) = (0) to (symbol(%arg0)) reduce ("addf") -> (f32) {
                  }
                  memref.store %0, %memref[%c0] : memref<?xf32>
                  memref.store %cst, %memref_0[%c0] : memref<?xf32>
                }
                scf.for %arg5 = %c0 to %arg1 step %c1 {
                  offload.region kernels {
                    %0 = memref.load %memref[%c0] : memref<?xf32>
                    affine.parallel (%arg6) = (0) to (symbol(%arg0)) {
                      affine.store %0, %arg2[%arg6] : memref<?xf32>
                    }
                  }
                  offload.region kernels {
                    %0 = memref.load %memref_0[%c0] : memref<?xf32>
                    %1 = memref.load %memref[%c0] : memref<?xf32>
                    memref.store %1, %memref_0[%c0] : memref<?xf32>
                    memref.store %0, %memref[%c0] : memref<?xf32>
                  }
                } {offload.host_loop}
                offload.region kernels {
                  %0 = memref.load %memref[%c0] : memref<?xf32>
                  memref.store %0, %arg4[] : memref<f32>
                }
                gpu.dealloc  %memref : memref<?xf32>
                gpu.dealloc  %memref_0 : memref<?xf32>
              }
            }
        "#]],
    );
}

#[test]
fn perfect_nests_are_one_loop() {
    // The dimension of consecutive elements comes last, in whatever order they are written.
    let nest = |first: &str, second: &str| {
        format!(
            "affine.parallel (%{first}) = (1) to (symbol(%n)) {{
affine.parallel (%{second}) = (0) to (symbol(%steps)) {{
affine.store %f1, %b[%i, %j] : memref<?x?xf32>
}}
}}"
        )
    };
    for (first, second) in [("i", "j"), ("j", "i")] {
        let (made, _) = run(
            "collapse-parallel",
            &format!(
                "func.func @f(%n: index, %steps: index, %b: memref<?x?xf32>) {{\n%f1 = arith.constant 1.0 : f32\n{}\nreturn\n}}",
                nest(first, second)
            ),
        );
        let bounds = if first == "i" {
            "(1, 0) to (symbol(%arg0), symbol(%arg1))"
        } else {
            "(0, 1) to (symbol(%arg1), symbol(%arg0))"
        };
        assert!(made.contains(&format!("affine.parallel (%arg3, %arg4) = {bounds}")), "{made}");
        assert!(made.contains("[%arg3, %arg4]"), "{made}");
    }
    // Bounds that differ from row to row, code between the loops, levels that the program asks for.
    for nest in [
        "affine.parallel (%i) = (0) to (symbol(%n)) {\naffine.parallel (%j) = (%i) to (symbol(%n)) {\naffine.store %f1, %b[%i, %j] : memref<?x?xf32>\n}\n}",
        "affine.parallel (%i) = (0) to (symbol(%n)) {\naffine.store %f1, %b[%i, 0] : memref<?x?xf32>\naffine.parallel (%j) = (1) to (symbol(%n)) {\naffine.store %f1, %b[%i, %j] : memref<?x?xf32>\n}\n}",
        "affine.parallel (%i) = (0) to (symbol(%n)) {\naffine.parallel (%j) = (0) to (symbol(%n)) {\naffine.store %f1, %b[%i, %j] : memref<?x?xf32>\n} {offload.schedule = [\"vector\"]}\n} {offload.schedule = [\"gang\"]}",
    ] {
        let text = format!(
            "func.func @f(%n: index, %b: memref<?x?xf32>) {{\n%f1 = arith.constant 1.0 : f32\n{nest}\nreturn\n}}"
        );
        let (made, _) = run("collapse-parallel", &text);
        assert_eq!(made.matches("affine.parallel").count(), 2, "{made}");
    }
}
