define amdgpu_cs void @add(<2 x half> %x, <2 x i16> %y, ptr addrspace(1) %p) {
  %negated = fneg <2 x half> %x
  %bits = bitcast <2 x half> %negated to <2 x i16>
  %sum = add <2 x i16> %bits, %y
  store <2 x i16> %sum, ptr addrspace(1) %p
  ret void
}

define amdgpu_cs void @dot(<2 x half> %x, <2 x i16> %y, i32 %c, ptr addrspace(1) %p) {
  %negated = fneg <2 x half> %x
  %bits = bitcast <2 x half> %negated to <2 x i16>
  %sum = call i32 @llvm.amdgcn.sdot2(<2 x i16> %bits, <2 x i16> %y, i32 %c, i1 false)
  store i32 %sum, ptr addrspace(1) %p
  ret void
}
