define amdgpu_cs void @f(ptr addrspace(1) inreg %out, float inreg %a, float inreg %b) {
  %r = call float @llvm.minimumnum.f32(float %a, float %b)
  store float %r, ptr addrspace(1) %out
  ret void
}
