// refused here only: 'offload.loop' op attribute 'order' failed to satisfy constraint: order of iterations
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, order = #offload<order sideways>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op attribute 'order' failed to satisfy constraint: order of iterations
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, order = #offload<construct serial>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op attribute 'order' failed to satisfy constraint: order of iterations
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, order = 1 : i64, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op attribute 'order' failed to satisfy constraint: order of iterations
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, order = "seq", reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op attribute 'order' failed to satisfy constraint: order of iterations
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, order = #ptx<order seq>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op 'levels' must hold strings, not 1 : i64
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i) <{levels = [1], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, order = #offload<order seq>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op unknown level 'lane'; expected gang, worker or vector
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i) <{levels = ["lane"], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, order = #offload<order seq>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op levels must be given once each, from gang to vector
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i) <{levels = ["vector", "gang"], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, order = #offload<order seq>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op has a size for the level 'worker', which 'levels' does not name
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %n) <{levels = ["gang"], operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0>, order = #offload<order seq>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, i32) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op 'reduction_kinds' must hold #offload<reduction ...> attributes
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %m) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1>, order = #offload<order seq>, reduction_kinds = [#offload<reduction sub>]}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, memref<f32>) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op 'reduction_kinds' must hold #offload<reduction ...> attributes
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %m) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1>, order = #offload<order seq>, reduction_kinds = [#offload<order seq>]}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, memref<f32>) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op 'reduction_kinds' must hold #offload<reduction ...> attributes
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %m) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1>, order = #offload<order seq>, reduction_kinds = ["add"]}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, memref<f32>) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op 'reduction_kinds' must hold #offload<reduction ...> attributes
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %m) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1>, order = #offload<order seq>, reduction_kinds = [0]}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, memref<f32>) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op has 1 reduction variables and 0 operators
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %m) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1>, order = #offload<order seq>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, memref<f32>) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op 'unsigned_reductions' must hold 1 booleans, one for each variable
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %m) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1>, order = #offload<order seq>, reduction_kinds = [#offload<reduction add>], unsigned_reductions = [true, false]}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, memref<f32>) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op 'unsigned_reductions' must hold 1 booleans, one for each variable
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %m) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1>, order = #offload<order seq>, reduction_kinds = [#offload<reduction add>], unsigned_reductions = [1]}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, memref<f32>) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op reduction variables must be memrefs of rank 0
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %v) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1>, order = #offload<order seq>, reduction_kinds = [#offload<reduction add>]}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, memref<4xf32>) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op needs at least one dimension
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"() <{levels = [], operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0>, order = #offload<order seq>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : () -> ()
  return
}
// -----
// refused here only: 'offload.loop' op has 1 lower bounds, 2 upper bounds and 1 steps; they must be as many
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i, %i) <{levels = [], operandSegmentSizes = array<i32: 1, 2, 1, 0, 0, 0, 0>, order = #offload<order seq>, reduction_kinds = []}> ({
  ^bb0(%j: index):
    "offload.yield"() : () -> ()
  }) : (index, index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.loop' op expects 1 block arguments of type 'index'
func.func @f(%i: index, %n: i32, %m: memref<f32>, %v: memref<4xf32>) {
  "offload.loop"(%i, %i, %i) <{levels = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, order = #offload<order seq>, reduction_kinds = []}> ({
  ^bb0(%j: i32):
    "offload.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
// refused here only: 'offload.region' op attribute 'construct' failed to satisfy constraint: kind of compute construct
func.func @f() {
  "offload.region"() <{construct = #offload<construct gangs>, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    "offload.yield"() : () -> ()
  }) : () -> ()
  return
}
// -----
// refused here only: 'offload.region' op attribute 'construct' failed to satisfy constraint: kind of compute construct
func.func @f() {
  "offload.region"() <{construct = #offload<order seq>, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    "offload.yield"() : () -> ()
  }) : () -> ()
  return
}
// -----
// refused here only: 'offload.region' op attribute 'construct' failed to satisfy constraint: kind of compute construct
func.func @f() {
  "offload.region"() <{construct = 0 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    "offload.yield"() : () -> ()
  }) : () -> ()
  return
}
