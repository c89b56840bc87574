@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  %v = load volatile i32, ptr addrspace(10) @g
  switch i32 %v, label %zero [
    i32 0, label %zero
    i32 1, label %one
  ]

zero:
  store volatile i32 1, ptr addrspace(10) @g
  br label %end

one:
  %w = load volatile i32, ptr addrspace(10) @g
  %c = icmp eq i32 %w, 0
  br i1 %c, label %then, label %behind

then:
  store volatile i32 2, ptr addrspace(10) @g
  br label %behind

behind:
  store volatile i32 3, ptr addrspace(10) @g
  br label %end

end:
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
