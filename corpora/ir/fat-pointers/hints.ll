; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Volatile, nontemporal and invariant accesses, prefetches, assumptions, lifetimes.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define i32 @load-volatile(ptr addrspace(7) %p) {
  %a = load volatile i32, ptr addrspace(7) %p, align 4
  %b = load volatile i32, ptr addrspace(7) %p, align 4
  %s = add i32 %a, %b
  ret i32 %s
}

define void @store-volatile(ptr addrspace(7) %p, i32 %v) {
  store volatile i32 0, ptr addrspace(7) %p, align 4
  store volatile i32 %v, ptr addrspace(7) %p, align 4
  ret void
}

define <6 x i32> @load-volatile-wide(ptr addrspace(7) %p) {
  %a = load volatile <6 x i32>, ptr addrspace(7) %p, align 4
  ret <6 x i32> %a
}

define i32 @load-nontemporal(ptr addrspace(7) %p) {
  %a = load i32, ptr addrspace(7) %p, align 4, !nontemporal !0
  ret i32 %a
}

define void @store-nontemporal(ptr addrspace(7) %p, <4 x float> %v) {
  store <4 x float> %v, ptr addrspace(7) %p, align 16, !nontemporal !0
  ret void
}

define i32 @load-invariant(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %a = load i32, ptr addrspace(7) %q, align 4, !invariant.load !1
  ret i32 %a
}

define i32 @load-range(ptr addrspace(7) %p) {
  %a = load i32, ptr addrspace(7) %p, align 4, !noundef !1
  ret i32 %a
}

define i32 @prefetched(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  call void @llvm.prefetch.p7(ptr addrspace(7) %q, i32 0, i32 3, i32 1)
  %a = load i32, ptr addrspace(7) %q, align 4
  ret i32 %a
}
declare void @llvm.prefetch.p7(ptr addrspace(7), i32, i32, i32)

define i32 @assumed-aligned(ptr addrspace(7) %p) {
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(7) %p, i32 4) ]
  %a = load i32, ptr addrspace(7) %p, align 4
  ret i32 %a
}

define i32 @assumed-nonnull(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.assume(i1 true) [ "nonnull"(ptr addrspace(7) %p), "dereferenceable"(ptr addrspace(7) %q, i32 4) ]
  %a = load i32, ptr addrspace(7) %p, align 4
  ret i32 %a
}
declare void @llvm.assume(i1)

define i32 @invariant-started(ptr addrspace(7) %p) {
  %s = call ptr @llvm.invariant.start.p7(i64 4, ptr addrspace(7) %p)
  %a = load i32, ptr addrspace(7) %p, align 4
  call void @llvm.invariant.end.p7(ptr %s, i64 4, ptr addrspace(7) %p)
  ret i32 %a
}
declare ptr @llvm.invariant.start.p7(i64, ptr addrspace(7))
declare void @llvm.invariant.end.p7(ptr, i64, ptr addrspace(7))

define i32 @laundered(ptr addrspace(7) %p, i32 %index) {
  %q = call ptr addrspace(7) @llvm.launder.invariant.group.p7(ptr addrspace(7) %p)
  %r = call ptr addrspace(7) @llvm.strip.invariant.group.p7(ptr addrspace(7) %q)
  %s = getelementptr i32, ptr addrspace(7) %r, i32 %index
  %a = load i32, ptr addrspace(7) %s, align 4
  ret i32 %a
}
declare ptr addrspace(7) @llvm.launder.invariant.group.p7(ptr addrspace(7))
declare ptr addrspace(7) @llvm.strip.invariant.group.p7(ptr addrspace(7))

define i32 @with-alias-scopes(ptr addrspace(7) noalias %p, ptr addrspace(7) noalias %q, i32 %v) {
  %a = load i32, ptr addrspace(7) %p, align 4, !alias.scope !4, !noalias !5
  store i32 %v, ptr addrspace(7) %q, align 4, !alias.scope !5, !noalias !4
  %b = load i32, ptr addrspace(7) %p, align 4, !tbaa !8
  %s = add i32 %a, %b
  ret i32 %s
}

; Four words that want one instruction, though a store to another buffer stands between.
define void @adjacent-copies(ptr addrspace(7) noalias %p, ptr addrspace(7) noalias %q) {
  %a = load i32, ptr addrspace(7) %p, align 16
  store i32 %a, ptr addrspace(7) %q, align 16
  %p1 = getelementptr inbounds nuw i8, ptr addrspace(7) %p, i32 4
  %q1 = getelementptr inbounds nuw i8, ptr addrspace(7) %q, i32 4
  %b = load i32, ptr addrspace(7) %p1, align 4
  store i32 %b, ptr addrspace(7) %q1, align 4
  %p2 = getelementptr inbounds nuw i8, ptr addrspace(7) %p, i32 8
  %q2 = getelementptr inbounds nuw i8, ptr addrspace(7) %q, i32 8
  %c = load i32, ptr addrspace(7) %p2, align 8
  store i32 %c, ptr addrspace(7) %q2, align 8
  %p3 = getelementptr inbounds nuw i8, ptr addrspace(7) %p, i32 12
  %q3 = getelementptr inbounds nuw i8, ptr addrspace(7) %q, i32 12
  %d = load i32, ptr addrspace(7) %p3, align 4
  store i32 %d, ptr addrspace(7) %q3, align 4
  ret void
}

; The same without a promise: the buffers may be one.
define void @adjacent-copies-maybe-one(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %a = load i32, ptr addrspace(7) %p, align 16
  store i32 %a, ptr addrspace(7) %q, align 16
  %p1 = getelementptr inbounds nuw i8, ptr addrspace(7) %p, i32 4
  %q1 = getelementptr inbounds nuw i8, ptr addrspace(7) %q, i32 4
  %b = load i32, ptr addrspace(7) %p1, align 4
  store i32 %b, ptr addrspace(7) %q1, align 4
  ret void
}

; Constants of fat pointers in metadata of a function and of an instruction.
define i32 @constants-in-metadata(ptr addrspace(7) %p) !own.function !10 {
  %v = load i32, ptr addrspace(7) %p, align 4
  %w = add i32 %v, 1, !own.sum !11
  ret i32 %w
}

!0 = !{i32 1}
!1 = !{}
!2 = distinct !{!2}
!3 = distinct !{!3, !2}
!4 = !{!3}
!5 = !{!6}
!6 = distinct !{!6, !2}
!7 = !{!"root"}
!8 = !{!9, !9, i64 0}
!9 = !{!"word", !7}
!10 = !{ptr addrspace(7) getelementptr (i8, ptr addrspace(7) null, i32 4)}
!11 = !{i32 1, !12}
!12 = !{ptr addrspace(7) getelementptr (i8, ptr addrspace(7) null, i32 8)}
