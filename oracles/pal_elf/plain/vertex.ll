; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A hardware vertex shader: vertices from a buffer, scratch, positions and parameters.
define amdgpu_vs void @_amdgpu_vs_main(<4 x i32> inreg %vertices, float inreg %scale, i32 %vertex, i32 %relative, i32 %prim, i32 %instance) {
entry:
  %stack = alloca [8 x float], align 4, addrspace(5)
  %p = call <4 x float> @llvm.amdgcn.struct.buffer.load.format.v4f32(<4 x i32> %vertices, i32 %vertex, i32 0, i32 0, i32 0)
  %x = extractelement <4 x float> %p, i32 0
  %y = extractelement <4 x float> %p, i32 1
  %z = fmul float %x, %scale
  %index = and i32 %instance, 7
  %local = getelementptr float, ptr addrspace(5) %stack, i32 %index
  store volatile float %z, ptr addrspace(5) %local
  %back = load volatile float, ptr addrspace(5) %stack
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %x, float %y, float %z, float 1.0, i1 true, i1 false)
  call void @llvm.amdgcn.exp.f32(i32 32, i32 15, float %back, float %y, float %z, float 1.0, i1 false, i1 false)
  call void @llvm.amdgcn.exp.f32(i32 33, i32 3, float %y, float %y, float poison, float poison, i1 false, i1 false)
  ret void
}
