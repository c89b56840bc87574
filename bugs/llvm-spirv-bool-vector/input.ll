@v = internal addrspace(10) global <4 x i32> zeroinitializer
@g = internal addrspace(10) global i32 0

define void @main() #0 {
entry:
  %i = load <4 x i32>, ptr addrspace(10) @v
  %c = icmp ult <4 x i32> %i, splat (i32 4)
  %k = call i1 @llvm.vector.reduce.and.v4i1(<4 x i1> %c)
  %r = zext i1 %k to i32
  store i32 %r, ptr addrspace(10) @g
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
