@g = internal addrspace(10) global i32 0
@f = internal addrspace(10) global float 0.0

define void @main() #0 {
entry:
  %x = load float, ptr addrspace(10) @g
  store float %x, ptr addrspace(10) @f
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
