@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  %x = load volatile i32, ptr addrspace(10) @g
  %y = icmp eq i32 %x, 4
  br i1 %y, label %sw, label %end

sw:
  %v = load volatile i32, ptr addrspace(10) @g
  switch i32 %v, label %two [
    i32 0, label %zero
    i32 1, label %one
  ]

zero:
  %w = load volatile i32, ptr addrspace(10) @g
  %c = icmp eq i32 %w, 3
  br i1 %c, label %then, label %end

then:
  store volatile i32 5, ptr addrspace(10) @g
  br label %end

end:
  ret void

one:
  ret void

two:
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
