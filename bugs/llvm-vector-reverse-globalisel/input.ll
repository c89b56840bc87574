define amdgpu_cs void @f(ptr addrspace(1) inreg %out, <4 x i32> %a) {
  %r = call <4 x i32> @llvm.vector.reverse.v4i32(<4 x i32> %a)
  store <4 x i32> %r, ptr addrspace(1) %out
  ret void
}
