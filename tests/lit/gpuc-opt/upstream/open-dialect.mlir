// RUN: gpuc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// `test` takes any operation, type and attribute; other dialects that are not known need a flag.

// CHECK-LABEL: func.func @watched
// CHECK: "test.watch"(%arg0) {how = #test.closely} : (index) -> !test.seen
func.func @watched(%i: index) {
  %0 = "test.watch"(%i) {how = #test.closely} : (index) -> !test.seen
  return
}

// -----

func.func @unknown(%i: index) {
  // expected-error@+1 {{operation 'foo.watch' is of an unregistered dialect}}
  "foo.watch"(%i) : (index) -> ()
  return
}
