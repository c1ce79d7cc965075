// One nest through the middle, as docs/middle.md shows it.
// RUN: gpuc --emit=affine %s -o - | FileCheck %s --check-prefix=AFFINE
// AFFINE: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, 0) to (symbol(%{{.*}}), symbol(%{{.*}})) {
// AFFINE: affine.load %{{.*}}[%[[I]], %[[J]]] : memref<?x?xf32, strided<[?, 1]>>
// AFFINE: } {offload.schedule = []}
// RUN: gpuc --emit=gpu %s -o - | FileCheck %s --check-prefix=GPU
// GPU: gpu.launch_func @kernels::@scale_L[[LINE:[0-9]+]]_kernel blocks in ({{.*}}) threads in (%c64, %c4, %c1)
// GPU: gpu.func @scale_L[[LINE]]_kernel({{.*}} kernel attributes {known_block_size = array<i32: 64, 4, 1>, offload.collective
// GPU: affine.parallel
// GPU: } {mapping = [#offload.map<block_y * thread_y(4)>, #offload.map<block_x * thread_x(64)>]}
// RUN: gpuc --emit=ptx %s -o - | FileCheck %s --check-prefix=PTX
// PTX: .reqntid 64, 4, 1
// PTX: setp.lt.s32
// PTX-NOT: bra $loop
// PTX: ld.global.f32
void scale(int n, int m, float a[n][m], float s)
{
    #pragma acc parallel loop collapse(2) copy(a[0:n][0:m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] *= s;
}
