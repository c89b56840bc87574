; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Loads that may be scalar, and their neighbours that may not.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define i32 @scalar-load-i32(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %v = load i32, ptr addrspace(7) %q, align 4, !invariant.load !0
  ret i32 %v
}

define <2 x i32> @scalar-load-v2xi32(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr <2 x i32>, ptr addrspace(7) %p, i32 %index
  %v = load <2 x i32>, ptr addrspace(7) %q, align 8, !invariant.load !0
  ret <2 x i32> %v
}

define <3 x i32> @scalar-load-v3xi32(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr <3 x i32>, ptr addrspace(7) %p, i32 %index
  %v = load <3 x i32>, ptr addrspace(7) %q, align 4, !invariant.load !0
  ret <3 x i32> %v
}

define <4 x float> @scalar-load-v4xfloat(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr <4 x float>, ptr addrspace(7) %p, i32 %index
  %v = load <4 x float>, ptr addrspace(7) %q, align 16, !invariant.load !0
  ret <4 x float> %v
}

define <8 x i32> @scalar-load-v8xi32(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr <8 x i32>, ptr addrspace(7) %p, i32 %index
  %v = load <8 x i32>, ptr addrspace(7) %q, align 32, !invariant.load !0
  ret <8 x i32> %v
}

define i64 @scalar-load-i64(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr i64, ptr addrspace(7) %p, i32 %index
  %v = load i64, ptr addrspace(7) %q, align 8, !invariant.load !0
  ret i64 %v
}

define i8 @scalar-load-i8(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %v = load i8, ptr addrspace(7) %q, align 1, !invariant.load !0
  ret i8 %v
}

define i16 @scalar-load-i16(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr i16, ptr addrspace(7) %p, i32 %index
  %v = load i16, ptr addrspace(7) %q, align 2, !invariant.load !0
  ret i16 %v
}

define <16 x i32> @scalar-load-v16xi32(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr <16 x i32>, ptr addrspace(7) %p, i32 %index
  %v = load <16 x i32>, ptr addrspace(7) %q, align 64, !invariant.load !0
  ret <16 x i32> %v
}

; Not for a scalar load: the lanes differ.
define i32 @vector-load-by-lane(ptr addrspace(7) inreg %p, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %v = load i32, ptr addrspace(7) %q, align 4, !invariant.load !0
  ret i32 %v
}

; Nor this one: the store may come between.
define i32 @vector-load-after-store(ptr addrspace(7) inreg %p, i32 inreg %index, i32 inreg %v) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  store i32 %v, ptr addrspace(7) %q, align 4
  %w = load i32, ptr addrspace(7) %q, align 4
  ret i32 %w
}

; Nor this one: a scalar load would ignore the low bits of the address.
define i32 @vector-load-unaligned(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %v = load i32, ptr addrspace(7) %q, align 1, !invariant.load !0
  ret i32 %v
}

define i32 @scalar-load-in-loop(ptr addrspace(7) inreg %p, i32 inreg %n) {
entry:
  %count = and i32 %n, 7
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %go = icmp ult i32 %i, %count
  br i1 %go, label %body, label %end
body:
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %i
  %v = load i32, ptr addrspace(7) %q, align 4, !invariant.load !0
  %more = add i32 %sum, %v
  %next = add i32 %i, 1
  br label %head
end:
  ret i32 %sum
}

; Neighbours are loaded together.
define i32 @scalar-neighbours(ptr addrspace(8) inreg %r, i32 inreg %index) {
  %p = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %q = getelementptr [2 x i32], ptr addrspace(7) %p, i32 %index
  %next = getelementptr i8, ptr addrspace(7) %q, i32 4
  %v = load i32, ptr addrspace(7) %q, align 4, !invariant.load !0
  %w = load i32, ptr addrspace(7) %next, align 4, !invariant.load !0
  %s = sub i32 %v, %w
  ret i32 %s
}

; Not these: where the index is 1, the offset of one is behind 2^32 for the other.
define i32 @scalar-neighbours-that-wrap(ptr addrspace(7) inreg %p, i32 inreg %index) {
  %one = and i32 %index, 1
  %two = sub i32 %one, 2
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %two
  %r = getelementptr i8, ptr addrspace(7) %q, i32 4
  %v = load i32, ptr addrspace(7) %q, align 4, !invariant.load !0
  %w = load i32, ptr addrspace(7) %r, align 4, !invariant.load !0
  %s = sub i32 %v, %w
  ret i32 %s
}

!0 = !{}
