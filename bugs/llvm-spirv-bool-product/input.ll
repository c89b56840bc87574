@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  %x = load i32, ptr addrspace(10) @g
  %c = icmp ult i32 %x, 3
  %d = icmp ult i32 %x, 9
  %m = mul i1 %c, %d
  %r = zext i1 %m to i32
  store i32 %r, ptr addrspace(10) @g
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
