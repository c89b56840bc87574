define internal i32 @f(float %a, float %b) {
  %q = fcmp uno float %a, %b
  %r = zext i1 %q to i32
  ret i32 %r
}

define void @main() #0 {
  %v = call i32 @f(float 0.0, float 0.0)
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
