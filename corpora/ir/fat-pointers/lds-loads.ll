; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Loads straight into LDS: each lane has a place of its own there, of a dword at least.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define void @to-lds-dword(ptr addrspace(7) %p, ptr addrspace(3) inreg %to, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %q, ptr addrspace(3) %to, i32 4, i32 0, i32 0)
  ret void
}

define void @to-lds-with-offset(ptr addrspace(7) %p, ptr addrspace(3) inreg %to, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %q, ptr addrspace(3) %to, i32 4, i32 64, i32 0)
  ret void
}

define void @to-lds-short(ptr addrspace(7) %p, ptr addrspace(3) inreg %to, i32 %index) {
  %q = getelementptr i16, ptr addrspace(7) %p, i32 %index
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %q, ptr addrspace(3) %to, i32 2, i32 0, i32 0)
  ret void
}

define void @to-lds-byte(ptr addrspace(7) %p, ptr addrspace(3) inreg %to, i32 %index) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %q, ptr addrspace(3) %to, i32 1, i32 4, i32 0)
  ret void
}

define void @to-lds-four-dwords(ptr addrspace(7) %p, ptr addrspace(3) inreg %to, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %q, ptr addrspace(3) %to, i32 16, i32 0, i32 0)
  ret void
}

define void @to-lds-three-dwords(ptr addrspace(7) %p, ptr addrspace(3) inreg %to, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %q, ptr addrspace(3) %to, i32 12, i32 16, i32 0)
  ret void
}

define void @to-lds-volatile(ptr addrspace(7) %p, ptr addrspace(3) inreg %to, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %q, ptr addrspace(3) %to, i32 4, i32 0, i32 -2147483648)
  ret void
}

define void @to-lds-around-caches(ptr addrspace(7) %p, ptr addrspace(3) inreg %to, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %q, ptr addrspace(3) %to, i32 4, i32 8, i32 1)
  ret void
}

; What a lane finds in the place of another one, too.
define i32 @to-lds-then-read(ptr addrspace(7) %p, ptr addrspace(3) inreg %to, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %q, ptr addrspace(3) %to, i32 4, i32 0, i32 0)
  %v = load i32, ptr addrspace(3) %to, align 4
  ret i32 %v
}

declare void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7), ptr addrspace(3), i32, i32, i32)
