// RUN: gpuc-opt --split-input-file --verify-diagnostics %s

gpu.module @kernels {
  gpu.func @any_grid(%word: memref<i32>) kernel {
    // expected-error @below {{stands in a kernel whose blocks need not run at once: it has no 'offload.resident'}}
    offload.grid_barrier %word : memref<i32>
    gpu.return
  }
}

// -----

func.func @host(%word: memref<i32>) {
  // expected-error @below {{stands in no kernel}}
  offload.grid_barrier %word : memref<i32>
  return
}

// -----

func.func @iterations(%word: memref<i32>, %n: index) {
  offload.region kernels {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      // expected-error @below {{stands in a parallel loop, whose iterations reach it unequally}}
      offload.grid_barrier %word : memref<i32>
    }
  }
  return
}

// -----

func.func @long(%word: memref<i64>) {
  offload.region kernels {
    // expected-error @below {{'word' must be a 'memref<i32>'}}
    offload.grid_barrier %word : memref<i64>
  }
  return
}

// -----

func.func @nobody() {
  // expected-error @below {{needs a thread and a block at least}}
  %word, %blocks = offload.resident_grid 256, 0 : memref<i32>
  return
}
