; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A compute shader that hands over to a function of a chain, with a table of constants and scratch.
declare void @llvm.amdgcn.cs.chain(ptr, i32, <3 x i32>, { i32, ptr addrspace(1) }, i32, ...) noreturn
@table = private unnamed_addr addrspace(4) constant [4 x i32] [i32 3, i32 1, i32 4, i32 1], align 4
define amdgpu_cs_chain void @second(<3 x i32> inreg %sgprs, { i32, ptr addrspace(1) } %vgprs) {
  %stack = alloca [4 x i32], align 4, addrspace(5)
  %lane = extractvalue { i32, ptr addrspace(1) } %vgprs, 0
  %out = extractvalue { i32, ptr addrspace(1) } %vgprs, 1
  %x = extractelement <3 x i32> %sgprs, i32 1
  %index = and i32 %lane, 3
  %local = getelementptr i32, ptr addrspace(5) %stack, i32 %index
  store volatile i32 %x, ptr addrspace(5) %local
  %back = load volatile i32, ptr addrspace(5) %stack
  %entryOf = getelementptr i32, ptr addrspace(4) @table, i32 %index
  %constant = load i32, ptr addrspace(4) %entryOf
  %y = add i32 %constant, %back
  store i32 %y, ptr addrspace(1) %out
  ret void
}
define amdgpu_cs void @_amdgpu_cs_main(<3 x i32> inreg %sgprs, i32 %lane, ptr addrspace(1) %out) {
  %a = insertvalue { i32, ptr addrspace(1) } poison, i32 %lane, 0
  %vgprs = insertvalue { i32, ptr addrspace(1) } %a, ptr addrspace(1) %out, 1
  call void (ptr, i32, <3 x i32>, { i32, ptr addrspace(1) }, i32, ...) @llvm.amdgcn.cs.chain(ptr @second, i32 -1, <3 x i32> inreg %sgprs, { i32, ptr addrspace(1) } %vgprs, i32 0)
  unreachable
}
