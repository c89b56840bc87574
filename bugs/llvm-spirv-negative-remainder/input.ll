@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  %x = load i32, ptr addrspace(10) @g
  %r = srem i32 %x, 7
  store i32 %r, ptr addrspace(10) @g
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
