define spir_func float @f(float %a) {
  %s = call { float, i32 } @llvm.frexp.f32.i32(float %a)
  %r = extractvalue { float, i32 } %s, 0
  ret float %r
}
