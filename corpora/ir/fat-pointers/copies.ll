; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; memcpy, memmove and memset: constant and dynamic sizes, overlaps, other address spaces.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define void @memcpy-0(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 0, i1 false)
  ret void
}

define void @memcpy-1(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 1 %q, ptr addrspace(7) align 1 %p, i32 1, i1 false)
  ret void
}

define void @memcpy-3(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 1 %q, ptr addrspace(7) align 1 %p, i32 3, i1 false)
  ret void
}

define void @memcpy-4(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 4, i1 false)
  ret void
}

define void @memcpy-7(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 1 %q, ptr addrspace(7) align 1 %p, i32 7, i1 false)
  ret void
}

define void @memcpy-16(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 16 %q, ptr addrspace(7) align 16 %p, i32 16, i1 false)
  ret void
}

define void @memcpy-20(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 20, i1 false)
  ret void
}

define void @memcpy-48(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 16 %q, ptr addrspace(7) align 16 %p, i32 48, i1 false)
  ret void
}

define void @memcpy-100(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 100, i1 false)
  ret void
}

define void @memcpy-543(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %p, ptr addrspace(7) align 4 %q, i32 543, i1 false)
  ret void
}

define void @memcpy-unlike-alignment(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 8 %p, i32 24, i1 false)
  ret void
}

define void @memcpy-unaligned(ptr addrspace(7) %p, ptr addrspace(7) %to, i32 %index) {
  %q = getelementptr i8, ptr addrspace(7) %to, i32 %index
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 1 %q, ptr addrspace(7) align 1 %p, i32 19, i1 false)
  ret void
}

define void @memcpy-dynamic(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 %n, i1 false)
  ret void
}

define void @memcpy-dynamic-unaligned(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 1 %q, ptr addrspace(7) align 1 %p, i32 %n, i1 false)
  ret void
}

define void @memcpy-volatile(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 12, i1 true)
  ret void
}

define void @memcpy-inline(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memcpy.inline.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 36, i1 false)
  ret void
}

define void @memmove-16(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 16, i1 false)
  ret void
}

define void @memmove-1(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 1 %q, ptr addrspace(7) align 1 %p, i32 1, i1 false)
  ret void
}

define void @memmove-forward(ptr addrspace(7) %p) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 12
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 32, i1 false)
  ret void
}

define void @memmove-backward(ptr addrspace(7) %q) {
  %p = getelementptr i8, ptr addrspace(7) %q, i32 12
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 32, i1 false)
  ret void
}

define void @memmove-bytes-forward(ptr addrspace(7) %p) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 5
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 1 %q, ptr addrspace(7) align 1 %p, i32 21, i1 false)
  ret void
}

define void @memmove-distance(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = and i32 %index, 15
  %b = and i32 %i, 15
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %a
  %from = getelementptr i32, ptr addrspace(7) %p, i32 %b
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %from, i32 40, i1 false)
  ret void
}

define void @memmove-dynamic(ptr addrspace(7) %p, i32 %index, i32 %n) {
  %a = and i32 %index, 31
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %a
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 1 %q, ptr addrspace(7) align 1 %p, i32 %n, i1 false)
  ret void
}

define void @memmove-dynamic-backward(ptr addrspace(7) %q, i32 %index, i32 %n) {
  %a = and i32 %index, 7
  %p = getelementptr i32, ptr addrspace(7) %q, i32 %a
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 %n, i1 false)
  ret void
}

define void @memmove-maybe-same(ptr addrspace(7) %p, ptr addrspace(7) %other, i1 %c) {
  %near = getelementptr i8, ptr addrspace(7) %p, i32 8
  %q = select i1 %c, ptr addrspace(7) %near, ptr addrspace(7) %other
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 24, i1 false)
  ret void
}

define void @memmove-volatile(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %q, ptr addrspace(7) align 4 %p, i32 8, i1 true)
  ret void
}

define void @memset-0(ptr addrspace(7) %p, i8 %v) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 1 %p, i8 %v, i32 0, i1 false)
  ret void
}

define void @memset-1(ptr addrspace(7) %p, i8 %v) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 1 %p, i8 %v, i32 1, i1 false)
  ret void
}

define void @memset-5(ptr addrspace(7) %p, i8 %v) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 1 %p, i8 %v, i32 5, i1 false)
  ret void
}

define void @memset-16(ptr addrspace(7) %p, i8 %v) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 16 %p, i8 %v, i32 16, i1 false)
  ret void
}

define void @memset-52(ptr addrspace(7) %p, i8 %v) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 4 %p, i8 %v, i32 52, i1 false)
  ret void
}

define void @memset-64(ptr addrspace(7) %p, i8 %v) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 4 %p, i8 %v, i32 64, i1 false)
  ret void
}

define void @memset-zero(ptr addrspace(7) %p) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 4 %p, i8 0, i32 48, i1 false)
  ret void
}

define void @memset-dynamic(ptr addrspace(7) %p, i8 %v, i32 %n) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 4 %p, i8 %v, i32 %n, i1 false)
  ret void
}

define void @memset-dynamic-unaligned(ptr addrspace(7) %p, i32 %index, i8 %v, i32 %n) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 1 %q, i8 %v, i32 %n, i1 false)
  ret void
}

define void @memset-volatile(ptr addrspace(7) %p, i8 %v) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 4 %p, i8 %v, i32 8, i1 true)
  ret void
}

define void @memset-by-elements(ptr addrspace(7) %p, i8 %v) {
  call void @llvm.memset.element.unordered.atomic.p7.i32(ptr addrspace(7) align 4 %p, i8 %v, i32 24, i32 4)
  ret void
}
declare void @llvm.memset.element.unordered.atomic.p7.i32(ptr addrspace(7), i8, i32, i32 immarg)

define void @memset-inline(ptr addrspace(7) %p, i8 %v) {
  call void @llvm.memset.inline.p7.i32(ptr addrspace(7) align 4 %p, i8 %v, i32 28, i1 false)
  ret void
}

define void @memcpy-from-global(ptr addrspace(1) %from, ptr addrspace(7) %to) {
  call void @llvm.memcpy.p7.p1.i32(ptr addrspace(7) align 4 %to, ptr addrspace(1) align 4 %from, i32 36, i1 false)
  ret void
}

define void @memcpy-to-global(ptr addrspace(7) %from, ptr addrspace(1) %to) {
  call void @llvm.memcpy.p1.p7.i32(ptr addrspace(1) align 4 %to, ptr addrspace(7) align 4 %from, i32 36, i1 false)
  ret void
}

define void @memcpy-from-global-dynamic(ptr addrspace(1) %from, ptr addrspace(7) %to, i32 %n) {
  call void @llvm.memcpy.p7.p1.i32(ptr addrspace(7) align 4 %to, ptr addrspace(1) align 4 %from, i32 %n, i1 false)
  ret void
}

define void @memcpy-from-lds(ptr addrspace(3) %from, ptr addrspace(7) %to) {
  call void @llvm.memcpy.p7.p3.i32(ptr addrspace(7) align 4 %to, ptr addrspace(3) align 4 %from, i32 36, i1 false)
  ret void
}

define void @memcpy-to-lds(ptr addrspace(7) %from, ptr addrspace(3) %to) {
  call void @llvm.memcpy.p3.p7.i32(ptr addrspace(3) align 4 %to, ptr addrspace(7) align 4 %from, i32 36, i1 false)
  ret void
}

define void @memmove-to-lds-bytes(ptr addrspace(7) %from, ptr addrspace(3) %to) {
  call void @llvm.memmove.p3.p7.i32(ptr addrspace(3) %to, ptr addrspace(7) %from, i32 7, i1 false)
  ret void
}

define i32 @swapped-with-lds(ptr addrspace(7) %p, ptr addrspace(3) %q) {
  %v = load i32, ptr addrspace(7) %p, align 4
  %w = load i32, ptr addrspace(3) %q, align 4
  store i32 %v, ptr addrspace(3) %q, align 4
  store i32 %w, ptr addrspace(7) %p, align 4
  %sum = add i32 %v, %w
  ret i32 %sum
}

define i32 @memcpy-through-scratch(ptr addrspace(7) %from, ptr addrspace(7) %to, i32 %index) {
  %slots = alloca [8 x i32], align 4, addrspace(5)
  call void @llvm.memcpy.p5.p7.i32(ptr addrspace(5) align 4 %slots, ptr addrspace(7) align 4 %from, i32 32, i1 false)
  %low = and i32 %index, 7
  %slot = getelementptr [8 x i32], ptr addrspace(5) %slots, i32 0, i32 %low
  %v = load i32, ptr addrspace(5) %slot, align 4
  store i32 77, ptr addrspace(5) %slot, align 4
  call void @llvm.memcpy.p7.p5.i32(ptr addrspace(7) align 4 %to, ptr addrspace(5) align 4 %slots, i32 32, i1 false)
  ret i32 %v
}

define void @memmove-from-global(ptr addrspace(1) %from, ptr addrspace(7) %to) {
  call void @llvm.memmove.p7.p1.i32(ptr addrspace(7) align 4 %to, ptr addrspace(1) align 4 %from, i32 20, i1 false)
  ret void
}

; Two resources of one memory, of which the second begins later: only the machine's addresses say which way to copy.
define void @memmove-between-windows(ptr addrspace(1) align 4 %base, ptr addrspace(8) %like, i32 %n) {
  %bits = ptrtoint ptr addrspace(8) %like to i128
  %high = lshr i128 %bits, 96
  %flags = trunc i128 %high to i32
  %later = getelementptr i8, ptr addrspace(1) %base, i64 8
  %p = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1) %base, i16 0, i64 128, i32 %flags)
  %q = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1) %later, i16 0, i64 120, i32 %flags)
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %p, ptr addrspace(7) align 4 %q, i32 %n, i1 false)
  ret void
}

declare ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1), i16, i64, i32)
declare void @llvm.memcpy.inline.p7.p7.i32(ptr addrspace(7), ptr addrspace(7), i32, i1)
declare void @llvm.memcpy.p1.p7.i32(ptr addrspace(1), ptr addrspace(7), i32, i1)
declare void @llvm.memcpy.p3.p7.i32(ptr addrspace(3), ptr addrspace(7), i32, i1)
declare void @llvm.memcpy.p5.p7.i32(ptr addrspace(5), ptr addrspace(7), i32, i1)
declare void @llvm.memcpy.p7.p1.i32(ptr addrspace(7), ptr addrspace(1), i32, i1)
declare void @llvm.memcpy.p7.p3.i32(ptr addrspace(7), ptr addrspace(3), i32, i1)
declare void @llvm.memcpy.p7.p5.i32(ptr addrspace(7), ptr addrspace(5), i32, i1)
declare void @llvm.memcpy.p7.p7.i32(ptr addrspace(7), ptr addrspace(7), i32, i1)
declare void @llvm.memmove.p3.p7.i32(ptr addrspace(3), ptr addrspace(7), i32, i1)
declare void @llvm.memmove.p7.p1.i32(ptr addrspace(7), ptr addrspace(1), i32, i1)
declare void @llvm.memmove.p7.p7.i32(ptr addrspace(7), ptr addrspace(7), i32, i1)
declare void @llvm.memset.inline.p7.i32(ptr addrspace(7), i8, i32, i1)
declare void @llvm.memset.p7.i32(ptr addrspace(7), i8, i32, i1)
