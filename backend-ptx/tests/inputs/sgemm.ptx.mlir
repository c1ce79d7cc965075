ptx.module @kernels target "sm_80" version "7.0" {
  ptx.func @sgemm params ["sgemm_param_0", "sgemm_param_1", "sgemm_param_2", "sgemm_param_3"] : ["u32", "u64", "u64", "u64"] attributes {function_type = () -> ()} {
    %0 = ptx.ld_param u32 ["sgemm_param_0"] : i32
    %1 = ptx.ld_param u64 ["sgemm_param_1"] : i64
    %2 = ptx.cvta to global %1
    %3 = ptx.ld_param u64 ["sgemm_param_2"] : i64
    %4 = ptx.cvta to global %3
    %5 = ptx.ld_param u64 ["sgemm_param_3"] : i64
    %6 = ptx.cvta to global %5
    %7 = ptx.const 0 : i64
    %8 = ptx.const 1 : i64
    %9 = ptx.const 0.000000e+00 : f32
    %10 = ptx.cvt %0 : s32 i32 -> s64 i64
    %11 = ptx.special ctaid.x
    %12 = ptx.special ctaid.y
    %13 = ptx.special ntid.x
    %14 = ptx.special ntid.y
    %15 = ptx.special tid.x
    %16 = ptx.cvt %15 : u32 i32 -> u64 i64
    %17 = ptx.special tid.y
    %18 = ptx.cvt %17 : u32 i32 -> u64 i64
    %19 = ptx.mul u32 wide %11, %13 : i32 -> i64
    %20 = ptx.add s64 %19, %16 : i64
    %21 = ptx.mul u32 wide %12, %14 : i32 -> i64
    %22 = ptx.add s64 %21, %18 : i64
    %23 = ptx.setp lt s64 %20, %10 : i64
    %24 = ptx.setp lt s64 %22, %10 : i64
    %25 = ptx.and pred %23, %24 : i1
    ptx.cond_bra %25, ^bb1, ^bb5
  ^bb1:  // pred: ^bb0
    %26 = ptx.mul s64 lo %22, %10 : i64 -> i64
    ptx.bra ^bb2(%7, %9 : i64, f32)
  ^bb2(%27: i64, %28: f32):  // 2 preds: ^bb1, ^bb3
    %29 = ptx.setp lt s64 %27, %10 : i64
    ptx.cond_bra %29, ^bb3, ^bb4
  ^bb3:  // pred: ^bb2
    %30 = ptx.add s64 %26, %27 : i64
    %31 = ptx.const 2 : i32
    %32 = ptx.shl b64 %30, %31 : i64
    %33 = ptx.add s64 %32, %2 : i64
    %34 = ptx.ld global f32 [%33] : i64 -> f32
    %35 = ptx.mul s64 lo %27, %10 : i64 -> i64
    %36 = ptx.add s64 %35, %20 : i64
    %37 = ptx.shl b64 %36, %31 : i64
    %38 = ptx.add s64 %37, %4 : i64
    %39 = ptx.ld global f32 [%38] : i64 -> f32
    %40 = ptx.fma f32 rn %34, %39, %28 : f32
    %41 = ptx.add s64 %27, %8 : i64
    ptx.bra ^bb2(%41, %40 : i64, f32)
  ^bb4:  // pred: ^bb2
    %42 = ptx.add s64 %26, %20 : i64
    %43 = ptx.const 2 : i32
    %44 = ptx.shl b64 %42, %43 : i64
    %45 = ptx.add s64 %44, %6 : i64
    ptx.st global f32 [%45], %28 : i64, f32
    ptx.bra ^bb5
  ^bb5:  // 2 preds: ^bb0, ^bb4
    ptx.ret
  }
}
