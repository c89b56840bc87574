@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  br label %header

header:
  %a = load volatile i32, ptr addrspace(10) @g
  %c = icmp eq i32 %a, 3
  br i1 %c, label %body, label %exit

body:
  %b = load volatile i32, ptr addrspace(10) @g
  switch i32 %b, label %exit [
    i32 1, label %latch
  ]

latch:
  store volatile i32 0, ptr addrspace(10) @g
  br label %header

exit:
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
