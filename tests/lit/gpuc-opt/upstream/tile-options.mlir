// Tiles chosen for a cache, and whole tiles apart from the others.
// RUN: gpuc-opt --affine-loop-tile=cache-size=2 %s | FileCheck %s --check-prefix=CACHE
// RUN: gpuc-opt --affine-loop-tile=cache-size=1000 %s | FileCheck %s --check-prefix=FITS
// RUN: gpuc-opt '--affine-loop-tile=tile-sizes=16,8 separate' %s | FileCheck %s --check-prefix=SEPARATE

// 8 KiB of four-byte elements, four times the cache: two by two.
// CACHE-LABEL: func.func @known
// CACHE: affine.for %{{.*}} = 0 to 32 step 2 {
// CACHE-NEXT: affine.for %{{.*}} = 0 to 64 step 2 {
// FITS-LABEL: func.func @known
// FITS: affine.for %{{.*}} = 0 to 32 {
// FITS-NEXT: affine.for %{{.*}} = 0 to 64 {
// Whole tiles only: nothing is asked.
// SEPARATE-LABEL: func.func @known
// SEPARATE-NOT: affine.if
func.func @known(%a: memref<32x64xf32>, %v: f32) {
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 64 {
      affine.store %v, %a[%i, %j] : memref<32x64xf32>
    }
  }
  return
}

// What is touched has no size that is known.
// CACHE-LABEL: func.func @unknown
// CACHE: affine.for %{{.*}} = 0 to %arg0 step 4 {
// CACHE-NEXT: affine.for %{{.*}} = 0 to 60 step 4 {
// SEPARATE-LABEL: func.func @unknown
// SEPARATE: affine.for %[[I:.*]] = 0 to %arg0 step 16 {
// SEPARATE-NEXT: affine.for %[[J:.*]] = 0 to 60 step 8 {
// SEPARATE-NEXT: affine.if #{{.*}}(%[[I]], %[[J]])[%arg0] {
// SEPARATE-NEXT: affine.for %{{.*}} = #{{.*}}(%[[I]]) to #{{.*}}(%[[I]]) {
// SEPARATE-NEXT: affine.for %{{.*}} = #{{.*}}(%[[J]]) to #{{.*}}(%[[J]]) {
// SEPARATE: } else {
// SEPARATE-NEXT: affine.for %{{.*}} = #{{.*}}(%[[I]]) to min #{{.*}}(%[[I]])[%arg0] {
// SEPARATE-NEXT: affine.for %{{.*}} = #{{.*}}(%[[J]]) to min #{{.*}}(%[[J]]) {
func.func @unknown(%n: index, %a: memref<?x60xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 60 {
      affine.store %v, %a[%i, %j] : memref<?x60xf32>
    }
  }
  return
}
