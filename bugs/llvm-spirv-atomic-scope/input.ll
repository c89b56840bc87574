@w = internal addrspace(3) global i32 poison

define void @main() #0 {
entry:
  %r = atomicrmw add ptr addrspace(3) @w, i32 1 monotonic
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
