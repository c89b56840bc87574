@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  %t = alloca [4 x i32]
  call void @llvm.memset.p0.i32(ptr %t, i8 0, i32 16, i1 false)
  %r = load i32, ptr %t
  store i32 %r, ptr addrspace(10) @g
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
