module {
  func.func @annotated(%arg0: index, %arg1: index, %arg2: i1) {
    scf.for %arg3 = %arg0 to %arg1 step %arg1 {
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    cf.cond_br %arg2, ^bb1, ^bb1 {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  ^bb1:  // 2 preds: ^bb0, ^bb0
    return
  }
}
