; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Strided pointers (address space 9): records of a structured buffer.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define i32 @strided-load(ptr addrspace(9) %s) {
  %v = load i32, ptr addrspace(9) %s, align 4
  ret i32 %v
}

define i32 @strided-load-field(ptr addrspace(9) %s) {
  %q = getelementptr i8, ptr addrspace(9) %s, i32 4
  %v = load i32, ptr addrspace(9) %q, align 4
  ret i32 %v
}

define <2 x float> @strided-load-vector(ptr addrspace(9) %s) {
  %v = load <2 x float>, ptr addrspace(9) %s, align 4
  ret <2 x float> %v
}

define i8 @strided-load-byte(ptr addrspace(9) %s) {
  %q = getelementptr i8, ptr addrspace(9) %s, i32 3
  %v = load i8, ptr addrspace(9) %q, align 1
  ret i8 %v
}

define void @strided-store(ptr addrspace(9) %s, i32 %v) {
  %q = getelementptr i8, ptr addrspace(9) %s, i32 4
  store i32 %v, ptr addrspace(9) %q, align 4
  ret void
}

define void @strided-store-pair(ptr addrspace(9) %s, <2 x i32> %v) {
  store <2 x i32> %v, ptr addrspace(9) %s, align 4
  ret void
}

define i32 @strided-select(ptr addrspace(9) %s, ptr addrspace(9) %t, i1 %c) {
  %u = select i1 %c, ptr addrspace(9) %s, ptr addrspace(9) %t
  %v = load i32, ptr addrspace(9) %u, align 4
  ret i32 %v
}

define i32 @strided-phi(ptr addrspace(9) %s, i1 %c) {
entry:
  br i1 %c, label %yes, label %end
yes:
  %q = getelementptr i8, ptr addrspace(9) %s, i32 4
  br label %end
end:
  %r = phi ptr addrspace(9) [ %q, %yes ], [ %s, %entry ]
  %v = load i32, ptr addrspace(9) %r, align 4
  ret i32 %v
}

define i32 @strided-atomic(ptr addrspace(9) %s, i32 %v) {
  %old = atomicrmw add ptr addrspace(9) %s, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define { i32, i1 } @strided-cmpxchg(ptr addrspace(9) %s, i32 %v) {
  %old = load i32, ptr addrspace(9) %s, align 4
  %r = cmpxchg ptr addrspace(9) %s, i32 %old, i32 %v syncscope("agent") monotonic monotonic, align 4
  ret { i32, i1 } %r
}

define i192 @strided-to-integer(ptr addrspace(9) %s) {
  %q = getelementptr i8, ptr addrspace(9) %s, i32 4
  %i = ptrtoint ptr addrspace(9) %q to i192
  ret i192 %i
}

define i1 @strided-compare(ptr addrspace(9) %s, ptr addrspace(9) %t) {
  %c = icmp ult ptr addrspace(9) %s, %t
  ret i1 %c
}

define i32 @strided-first-record(ptr addrspace(8) %r) {
  %s = addrspacecast ptr addrspace(8) %r to ptr addrspace(9)
  %v = load i32, ptr addrspace(9) %s, align 4
  ret i32 %v
}

define internal amdgpu_gfx i32 @strided-read(ptr addrspace(9) %s) noinline {
  %v = load i32, ptr addrspace(9) %s, align 4
  ret i32 %v
}

define i32 @strided-call(ptr addrspace(9) %s) {
  %q = getelementptr i8, ptr addrspace(9) %s, i32 4
  %v = call amdgpu_gfx i32 @strided-read(ptr addrspace(9) %q)
  ret i32 %v
}

define void @strided-to-lds(ptr addrspace(9) %p, ptr addrspace(3) inreg %to, i32 %offset) {
  %q = getelementptr i8, ptr addrspace(9) %p, i32 %offset
  call void @llvm.amdgcn.load.to.lds.p9(ptr addrspace(9) %q, ptr addrspace(3) %to, i32 4, i32 0, i32 0)
  ret void
}

declare void @llvm.amdgcn.load.to.lds.p9(ptr addrspace(9), ptr addrspace(3), i32, i32, i32)
