@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  %a = load volatile i32, ptr addrspace(10) @g
  %c = icmp eq i32 %a, 2
  br i1 %c, label %then, label %second

then:
  %b = load volatile i32, ptr addrspace(10) @g
  switch i32 %b, label %first [
    i32 0, label %return
    i32 1, label %return
  ]

return:
  ret void

first:
  %d = load volatile i32, ptr addrspace(10) @g
  %e = icmp eq i32 %d, 6
  br i1 %e, label %first.body, label %end

first.body:
  store volatile i32 2, ptr addrspace(10) @g
  br label %first

second:
  %f = load volatile i32, ptr addrspace(10) @g
  %h = icmp eq i32 %f, 3
  br i1 %h, label %second.body, label %end

second.body:
  store volatile i32 5, ptr addrspace(10) @g
  br label %second

end:
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
