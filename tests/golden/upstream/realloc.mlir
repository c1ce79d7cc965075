// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --expand-realloc %s | golden
func.func @grow(%b: memref<?xf32>, %n: index) -> memref<?xf32> {
  %r = memref.realloc %b(%n) : memref<?xf32> to memref<?xf32>
  return %r : memref<?xf32>
}
