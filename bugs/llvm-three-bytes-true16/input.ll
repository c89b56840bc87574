define amdgpu_cs void @f(ptr addrspace(1) inreg %out, <3 x i8> %a) {
  store <3 x i8> %a, ptr addrspace(1) %out
  ret void
}
