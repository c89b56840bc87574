@g = internal addrspace(10) global i32 0
define void @main() #0 {
entry:
  br label %o
o:
  %v1 = load i32, ptr addrspace(10) @g
  %c1 = icmp eq i32 %v1, 1
  br i1 %c1, label %h, label %x
h:
  %v2 = load i32, ptr addrspace(10) @g
  %c2 = icmp eq i32 %v2, 2
  br i1 %c2, label %b, label %ol
b:
  %v3 = load i32, ptr addrspace(10) @g
  %c3 = icmp eq i32 %v3, 3
  br i1 %c3, label %x, label %l
l:
  store i32 1, ptr addrspace(10) @g
  br label %h
ol:
  store i32 2, ptr addrspace(10) @g
  br label %o
x:
  ret void
}
attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
