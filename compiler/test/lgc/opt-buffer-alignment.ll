; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=opt-buffer-alignment %s | FileCheck %s

; CHECK: load half, ptr addrspace(7) %even, align 4
; CHECK: load half, ptr addrspace(7) %odd, align 2
; CHECK: load i8, ptr addrspace(7) %byte, align 1
; CHECK: load i32, ptr addrspace(7) %vector, align 16
; CHECK: load i16, ptr addrspace(7) %wide, align 4
; CHECK: store i8 0, ptr addrspace(7) %somewhere, align 1
define void @f(ptr addrspace(8) %r, ptr addrspace(7) %p, i32 %i) {
  %start = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %even = getelementptr [20 x half], ptr addrspace(7) %start, i32 %i, i32 2
  %a = load half, ptr addrspace(7) %even, align 2
  %odd = getelementptr half, ptr addrspace(7) %even, i32 1
  %b = load half, ptr addrspace(7) %odd, align 2
  %byte = getelementptr i8, ptr addrspace(7) %even, i32 %i
  %c = load i8, ptr addrspace(7) %byte, align 1
  %vector = getelementptr i8, ptr addrspace(7) %start, i32 16
  %d = load i32, ptr addrspace(7) %vector, align 16
  %scaled = shl i32 %i, 3
  %wide = getelementptr i8, ptr addrspace(7) %start, i32 %scaled
  %e = load i16, ptr addrspace(7) %wide, align 1
  %somewhere = getelementptr i32, ptr addrspace(7) %p, i32 %i
  store i8 0, ptr addrspace(7) %somewhere, align 1
  ret void
}
