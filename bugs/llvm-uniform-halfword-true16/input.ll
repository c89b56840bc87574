define amdgpu_cs void @f(ptr addrspace(4) inreg %in, ptr addrspace(1) inreg %out) {
  %a = load i16, ptr addrspace(4) %in, align 4, !invariant.load !0
  store i16 %a, ptr addrspace(1) %out
  ret void
}
!0 = !{}
