define amdgpu_cs void @f(ptr addrspace(1) inreg %out, double %a, double %b) strictfp {
  %r = call double @llvm.experimental.constrained.fmul.f64(double %a, double %b, metadata !"round.tonearest", metadata !"fpexcept.strict")
  store double %r, ptr addrspace(1) %out
  ret void
}
