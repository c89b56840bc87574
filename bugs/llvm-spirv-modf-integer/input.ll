define spir_func float @f(float %a) {
  %s = call { float, float } @llvm.modf.f32(float %a)
  %r = extractvalue { float, float } %s, 1
  ret float %r
}
