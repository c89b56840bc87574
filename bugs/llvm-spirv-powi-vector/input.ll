define spir_func <2 x float> @f(<2 x float> %a, i32 %b) {
  %r = call <2 x float> @llvm.powi.v2f32.i32(<2 x float> %a, i32 %b)
  ret <2 x float> %r
}
