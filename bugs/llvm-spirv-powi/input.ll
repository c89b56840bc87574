define internal float @f(float %a, i32 %b) {
  %r = call float @llvm.powi.f32.i32(float %a, i32 %b)
  ret float %r
}

define void @main() #0 {
  %v = call float @f(float 0.0, i32 0)
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
