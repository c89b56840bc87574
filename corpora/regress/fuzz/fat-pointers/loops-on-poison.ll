; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; An atomic operation in a loop looks at the whole dword, which may be poison where the program does not look.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

; No poison is left at the end.
define void @overwritten(ptr addrspace(7) %p, i8 %x) {
  store i32 poison, ptr addrspace(7) %p
  %a = atomicrmw uinc_wrap ptr addrspace(7) %p, i8 %x syncscope("agent") seq_cst, align 1
  store i32 1, ptr addrspace(7) %p
  ret void
}

define i8 @beside(ptr addrspace(7) %p, i8 %x) {
  %second = getelementptr i8, ptr addrspace(7) %p, i32 1
  store i8 poison, ptr addrspace(7) %p
  %a = atomicrmw nand ptr addrspace(7) %second, i8 %x syncscope("agent") monotonic, align 1
  %b = atomicrmw xor ptr addrspace(7) %second, i8 %x syncscope("agent") monotonic, align 1
  %c = load i8, ptr addrspace(7) %second
  ret i8 %c
}

define i16 @exchanged(ptr addrspace(7) %p, i16 %x, i16 %y) {
  %second = getelementptr i8, ptr addrspace(7) %p, i32 2
  store i16 poison, ptr addrspace(7) %p
  %a = cmpxchg ptr addrspace(7) %second, i16 %x, i16 %y syncscope("agent") monotonic monotonic, align 2
  %b = load i16, ptr addrspace(7) %second
  ret i16 %b
}

define float @of-a-dword(ptr addrspace(7) %p, float %x) {
  store float poison, ptr addrspace(7) %p
  %a = atomicrmw fmaximum ptr addrspace(7) %p, float %x syncscope("agent") monotonic, align 4
  store float %x, ptr addrspace(7) %p
  ret float %x
}
