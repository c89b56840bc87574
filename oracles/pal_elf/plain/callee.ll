; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A library of functions without an entry point: nothing in it needs the alignment of one.
target triple = "amdgcn-amd-amdpal"

define amdgpu_gfx i32 @scale(i32 %x, i32 inreg %factor) {
  %product = mul i32 %x, %factor
  ret i32 %product
}

define amdgpu_gfx void @store(ptr addrspace(1) %to, i32 %x) {
  %y = call amdgpu_gfx i32 @scale(i32 %x, i32 inreg 3)
  store i32 %y, ptr addrspace(1) %to
  ret void
}
