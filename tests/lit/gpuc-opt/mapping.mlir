// What a mapping must be is checked wherever it is read.
// RUN: gpuc-opt --split-input-file --verify-diagnostics %s
func.func @good(%n: index) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
  } {mapping = [#offload.map<block_x(64) * thread_y(2) * thread_x(32), strided>]}
  affine.parallel (%i) = (0) to (64) {
  } {mapping = [#gpu.loop_dim_map<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
  return
}

// -----

func.func @lane_and_thread(%n: index) {
  // expected-error@+1 {{'mapping' uses lane beside thread_x: lanes are the threads in x}}
  affine.parallel (%i, %j) = (0, 0) to (32, 32) {
  } {mapping = [#offload.map<thread_x(32)>, #offload.map<lane(32)>]}
  return
}

// -----

func.func @parts_of_rows(%n: index) {
  affine.parallel (%i) = (0) to (4) {
    // expected-error@+1 {{'mapping' gives 8 lanes beside threads in y or z: a warp's 32 would be of several rows}}
    affine.parallel (%j) = (0) to (8) {
    } {mapping = [#offload.map<lane(8)>]}
  } {mapping = [#offload.map<thread_y(4)>]}
  return
}

// -----

func.func @twice(%n: index) {
  // expected-error@+1 {{'mapping' uses thread_x twice}}
  affine.parallel (%i, %j) = (0, 0) to (4, 4) {
  } {mapping = [#offload.map<thread_x(4)>, #offload.map<thread_x(4)>]}
  return
}

// -----

func.func @inside(%n: index) {
  affine.parallel (%i) = (0) to (4) {
    // expected-error@+1 {{is mapped to block_x inside a loop over thread_x}}
    affine.parallel (%j) = (0) to (4) {
    } {mapping = [#offload.map<block_x>]}
  } {mapping = [#offload.map<thread_x(4)>]}
  return
}

// -----

func.func @order(%n: index) {
  // expected-error@+1 {{'mapping' has block_x inside thread_x: blocks hold threads, and stand first}}
  affine.parallel (%i) = (0) to (4) {
  } {mapping = [#offload.map<thread_x(4) * block_x>]}
  return
}

// -----

func.func @too_few(%n: index) {
  // expected-error@+1 {{'mapping' is of 1 dimensions; the loop has 2}}
  affine.parallel (%i, %j) = (0, 0) to (4, 4) {
  } {mapping = [#offload.map<thread_x(4)>]}
  return
}

// -----

func.func @no_size(%n: index) {
  // expected-error@+1 {{'mapping' gives thread_x no size}}
  affine.parallel (%i) = (0) to (4) {
  } {mapping = [#offload.map<thread_x>]}
  return
}

// -----

func.func @size(%n: index) {
  // expected-error@+1 {{'mapping' gives thread_y the size 0}}
  affine.parallel (%i) = (0) to (4) {
  } {mapping = [#offload.map<thread_y(0)>]}
  return
}

// -----

func.func @lanes(%n: index) {
  // expected-error@+1 {{'mapping' gives 33 lanes; a warp has 32}}
  affine.parallel (%i) = (0) to (4) {
  } {mapping = [#offload.map<lane(33)>]}
  return
}

// -----

func.func @word(%n: index) {
  // expected-error@+1 {{'warp_x' is no processor; there are block_x, block_y, block_z, thread_x, thread_y, thread_z, lane and sequential}}
  affine.parallel (%i) = (0) to (4) {
  } {mapping = [#offload.map<warp_x(4)>]}
  return
}

// -----

func.func @way(%n: index) {
  // expected-error@+1 {{'cyclic' is no way to deal iterations; there are exact, strided, blocked and dims = N}}
  affine.parallel (%i) = (0) to (4) {
  } {mapping = [#offload.map<thread_x(4), cyclic>]}
  return
}

// -----

func.func @two_ways(%n: index) {
  // expected-error@+1 {{iterations are dealt in one way, not 'strided' and 'blocked'}}
  affine.parallel (%i) = (0) to (4) {
  } {mapping = [#offload.map<block_x, strided, blocked>]}
  return
}

// -----

func.func @kind(%n: index) {
  // expected-error@+1 {{'mapping' holds 7 : i64; it takes #offload.map and #gpu.loop_dim_map}}
  affine.parallel (%i) = (0) to (4) {
  } {mapping = [7]}
  return
}

// -----

// A barrier that says whom it synchronises names somebody.
func.func @nobody(%n: index) {
  affine.parallel (%i) = (0) to (4) {
    // expected-error@+1 {{expected a variable of a loop over threads}}
    gpu.barrier synchronizes ()
  } {mapping = [#offload.map<thread_x(4)>]}
  return
}
