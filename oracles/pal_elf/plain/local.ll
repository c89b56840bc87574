; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A local shader, which GFX9 merged into the hull shader.
@lds = internal addrspace(3) global [64 x i32] poison, align 4
define amdgpu_ls void @_amdgpu_ls_main(i32 inreg %offset, i32 %vertex) {
  %slot = getelementptr i32, ptr addrspace(3) @lds, i32 %vertex
  store i32 %offset, ptr addrspace(3) %slot
  ret void
}
