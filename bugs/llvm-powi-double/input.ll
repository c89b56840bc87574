define amdgpu_cs void @f(ptr addrspace(1) inreg %out, double %a, i32 %b) {
  %r = call double @llvm.powi.f64.i32(double %a, i32 %b)
  store double %r, ptr addrspace(1) %out
  ret void
}
