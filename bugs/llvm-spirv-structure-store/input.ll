@s = internal addrspace(10) global { i32, [2 x float] } zeroinitializer

define void @main() #0 {
entry:
  store { i32, [2 x float] } { i32 1, [2 x float] [float 1.0, float 2.0] }, ptr addrspace(10) @s
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
