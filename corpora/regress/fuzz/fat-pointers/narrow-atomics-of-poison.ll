; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Poison in one byte or short of a dword leaves the others what they are.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define i8 @bits(ptr addrspace(7) %p) {
  %a = atomicrmw xor ptr addrspace(7) %p, i8 poison syncscope("agent") monotonic, align 1
  ret i8 %a
}

define void @bits-of-shorts(ptr addrspace(7) %p, i16 %x) {
  %big = add nuw i16 %x, -1
  %a = atomicrmw or ptr addrspace(7) %p, i16 %big syncscope("agent") monotonic, align 2
  ret void
}

define void @in-a-loop(ptr addrspace(7) %p, i8 %x) {
  %big = shl i8 %x, 8
  %a = atomicrmw add ptr addrspace(7) %p, i8 %big syncscope("agent") monotonic, align 1
  ret void
}

define void @exchanged(ptr addrspace(7) %p, i8 %x) {
  %a = cmpxchg ptr addrspace(7) %p, i8 %x, i8 poison syncscope("agent") monotonic monotonic, align 1
  ret void
}
