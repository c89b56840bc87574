; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A volatile copy is made in pieces, which go down where a move has to.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define void @straight(ptr addrspace(7) noalias %p, ptr addrspace(7) noalias %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 16 %q, ptr addrspace(7) align 16 %p, i32 256, i1 true)
  ret void
}

define void @dynamic(ptr addrspace(7) noalias %p, ptr addrspace(7) noalias %q, i32 %n) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 %n, i1 true)
  ret void
}

define void @move(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 %n, i1 true)
  ret void
}

define void @overlapping(ptr addrspace(7) %p) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 4
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 300, i1 true)
  ret void
}
