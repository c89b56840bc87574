; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Two volatile loads of one place stay two, whatever runs after the pass.
; RUN: %opt -mcpu=gfx1100 -passes="lower-buffer-fat-pointers,function(early-cse,gvn)" %s | FileCheck %s

; CHECK-LABEL: define i32 @twice(
; CHECK-COUNT-2: call i32 @llvm.amdgcn.raw.ptr.atomic.buffer.load.i32(
define i32 @twice(ptr addrspace(7) %p) {
  %a = load volatile i32, ptr addrspace(7) %p, align 4
  %b = load volatile i32, ptr addrspace(7) %p, align 4
  %s = add i32 %a, %b
  ret i32 %s
}

; Where the resource differs between lanes they share a loop, though nothing else is in the function.
; CHECK-LABEL: define amdgpu_cs void @divergent(
; CHECK-COUNT-2: @llvm.amdgcn.readfirstlane
; CHECK-NOT: @llvm.amdgcn.readfirstlane
; CHECK: waterfall.body:
; CHECK: atomic.buffer.load.i32
; CHECK: atomic.buffer.load.i32
; CHECK: waterfall.next:
; CHECK: ret void
define amdgpu_cs void @divergent(ptr addrspace(8) %descriptor, ptr addrspace(1) inreg %out) {
  %p = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %q = getelementptr i8, ptr addrspace(7) %p, i32 64
  %a = load volatile i32, ptr addrspace(7) %p, align 4
  %b = load atomic i32, ptr addrspace(7) %q syncscope("wavefront") monotonic, align 4
  store i32 %a, ptr addrspace(1) %out, align 4
  store i32 %b, ptr addrspace(1) %out, align 4
  ret void
}
