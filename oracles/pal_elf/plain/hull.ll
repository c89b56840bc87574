; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A hull shader: LDS, a barrier, tessellation factors in memory.
@patch = internal addrspace(3) global [128 x float] poison, align 4
define amdgpu_hs void @_amdgpu_hs_main(<4 x i32> inreg %factors, i32 inreg %offset, i32 inreg %info, i32 %patchId, i32 %relative, i32 %vertex) {
entry:
  %slot = getelementptr float, ptr addrspace(3) @patch, i32 %vertex
  %f = sitofp i32 %vertex to float
  store float %f, ptr addrspace(3) %slot
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %isFirst = icmp ult i32 %relative, 4
  br i1 %isFirst, label %write, label %end
write:
  %other = getelementptr float, ptr addrspace(3) @patch, i32 %relative
  %g = load float, ptr addrspace(3) %other
  %h = fmul float %g, 0.5
  call void @llvm.amdgcn.raw.buffer.store.f32(float %h, <4 x i32> %factors, i32 %relative, i32 %offset, i32 1)
  br label %end
end:
  ret void
}
