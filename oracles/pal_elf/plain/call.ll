; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A compute shader that calls a function twice.
define amdgpu_gfx i32 @callee(i32 %x, i32 inreg %y) noinline {
  %stack = alloca [4 x i32], align 4, addrspace(5)
  %index = and i32 %x, 3
  %local = getelementptr i32, ptr addrspace(5) %stack, i32 %index
  store volatile i32 %y, ptr addrspace(5) %local
  %back = load volatile i32, ptr addrspace(5) %stack
  %sum = add i32 %back, %x
  ret i32 %sum
}
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(1) inreg %out, i32 inreg %y, i32 %lane) {
  %one = call amdgpu_gfx i32 @callee(i32 %lane, i32 inreg %y)
  %two = call amdgpu_gfx i32 @callee(i32 %one, i32 inreg %y)
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store i32 %two, ptr addrspace(1) %place
  ret void
}
