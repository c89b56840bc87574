define internal double @f(double %a) {
  %r = call double @llvm.log10.f64(double %a)
  ret double %r
}

define void @main() #0 {
  %v = call double @f(double 0.0)
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
