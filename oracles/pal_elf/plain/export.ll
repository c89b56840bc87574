; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; An export shader, which GFX9 merged into the geometry shader.
define amdgpu_es void @_amdgpu_es_main(<4 x i32> inreg %ring, i32 inreg %offset, i32 %vertex) {
  %f = sitofp i32 %vertex to float
  call void @llvm.amdgcn.raw.buffer.store.f32(float %f, <4 x i32> %ring, i32 %vertex, i32 %offset, i32 3)
  ret void
}
