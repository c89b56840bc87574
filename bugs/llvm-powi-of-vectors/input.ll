define amdgpu_cs void @f(ptr addrspace(1) inreg %out, <2 x float> %a, i32 %b) {
  %r = call <2 x float> @llvm.powi.v2f32.i32(<2 x float> %a, i32 %b)
  store <2 x float> %r, ptr addrspace(1) %out
  ret void
}
