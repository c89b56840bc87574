define amdgpu_cs void @f(ptr addrspace(1) inreg %out, half %a, half %b, half %c) strictfp {
  %r = call half @llvm.experimental.constrained.fma.f16(half %a, half %b, half %c, metadata !"round.tonearest", metadata !"fpexcept.strict")
  store half %r, ptr addrspace(1) %out
  ret void
}
