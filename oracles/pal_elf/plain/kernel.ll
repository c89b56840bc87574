; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A kernel: LDS, flat accesses, a square root.
@lds = internal addrspace(3) global [64 x float] poison, align 4
define amdgpu_kernel void @_amdgpu_cs_main(ptr addrspace(1) %in, ptr %out, float %scale) #0 {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %base = shl i32 %group, 6
  %index = add i32 %base, %id
  %place = getelementptr float, ptr addrspace(1) %in, i32 %index
  %x = load float, ptr addrspace(1) %place
  %y = fmul float %x, %scale
  %slot = getelementptr float, ptr addrspace(3) @lds, i32 %id
  store float %y, ptr addrspace(3) %slot
  call void @llvm.amdgcn.s.barrier()
  %turned = xor i32 %id, 63
  %other = getelementptr float, ptr addrspace(3) @lds, i32 %turned
  %z = load float, ptr addrspace(3) %other
  %root = call float @llvm.sqrt.f32(float %z)
  %target = getelementptr float, ptr %out, i32 %index
  %a = load float, ptr %target
  %b = load float, ptr %out
  %c = fadd float %a, %b
  %sum = fadd float %c, %root
  store float %sum, ptr %target
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
