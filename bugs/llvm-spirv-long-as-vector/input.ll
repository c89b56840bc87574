@q = internal addrspace(10) global i64 0
@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  %v = load <2 x i32>, ptr addrspace(10) @q
  %r = extractelement <2 x i32> %v, i32 1
  store i32 %r, ptr addrspace(10) @g
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
