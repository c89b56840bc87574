@s = internal addrspace(10) global { i32, float } zeroinitializer
@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  %x = load i32, ptr addrspace(10) @g
  %i = load { i32, float }, ptr addrspace(10) @s
  %c = icmp ult i32 %x, 1
  %k = select i1 %c, { i32, float } %i, { i32, float } zeroinitializer
  %r = extractvalue { i32, float } %k, 0
  store i32 %r, ptr addrspace(10) @g
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
