; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Two volatile loads of one place stay two, whatever runs behind the pass.
; RUN: %opt -mcpu=gfx1100 -passes="lower-buffer-fat-pointers,function(early-cse,gvn)" %s | FileCheck %s

; CHECK-LABEL: define i32 @twice(
; CHECK-COUNT-2: call i32 @llvm.amdgcn.raw.ptr.atomic.buffer.load.i32(
define i32 @twice(ptr addrspace(7) %p) {
  %a = load volatile i32, ptr addrspace(7) %p, align 4
  %b = load volatile i32, ptr addrspace(7) %p, align 4
  %s = add i32 %a, %b
  ret i32 %s
}
