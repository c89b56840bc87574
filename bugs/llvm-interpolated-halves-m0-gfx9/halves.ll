; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
define amdgpu_ps <2 x half> @main(i32 inreg %mask, i32 inreg %other, float %i, float %j) {
  %a1 = call float @llvm.amdgcn.interp.p1.f16(float %i, i32 0, i32 0, i1 false, i32 %mask)
  %a2 = call half @llvm.amdgcn.interp.p2.f16(float %a1, float %j, i32 0, i32 0, i1 false, i32 %mask)
  %b1 = call float @llvm.amdgcn.interp.p1.f16(float %i, i32 0, i32 0, i1 true, i32 %other)
  %b2 = call half @llvm.amdgcn.interp.p2.f16(float %b1, float %j, i32 0, i32 0, i1 true, i32 %other)
  %a = insertelement <2 x half> poison, half %a2, i32 0
  %b = insertelement <2 x half> %a, half %b2, i32 1
  ret <2 x half> %b
}
