; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Address arithmetic: 32 bits that wrap; constants, indices, structures.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

%record = type { i32, [4 x i16], <3 x float> }

define i32 @gep-constant(ptr addrspace(7) %p) {
  %q = getelementptr inbounds nuw i8, ptr addrspace(7) %p, i32 12
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define i32 @gep-negative(ptr addrspace(7) %p) {
  %ahead = getelementptr i8, ptr addrspace(7) %p, i32 64
  %q = getelementptr i8, ptr addrspace(7) %ahead, i32 -48
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define i32 @gep-index(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr inbounds i32, ptr addrspace(7) %p, i32 %index
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define i32 @gep-index-and-constant(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr inbounds nuw i32, ptr addrspace(7) %p, i32 %index
  %r = getelementptr inbounds nuw i8, ptr addrspace(7) %q, i32 8
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

define i32 @gep-wide-index(ptr addrspace(7) %p, i64 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i64 %index
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define i32 @gep-narrow-index(ptr addrspace(7) %p, i8 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i8 %index
  %r = getelementptr i8, ptr addrspace(7) %q, i32 512
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

define i16 @gep-structure(ptr addrspace(7) %p, i32 %index) {
  %low = and i32 %index, 3
  %q = getelementptr inbounds %record, ptr addrspace(7) %p, i32 %index, i32 1, i32 %low
  %v = load i16, ptr addrspace(7) %q, align 2
  ret i16 %v
}

define float @gep-vector-element(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr inbounds %record, ptr addrspace(7) %p, i32 %index, i32 2, i32 2
  %v = load float, ptr addrspace(7) %q, align 4
  ret float %v
}

define i32 @gep-chain(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i64, ptr addrspace(7) %a, i32 %i
  %c = getelementptr i8, ptr addrspace(7) %b, i32 16
  %x = load i32, ptr addrspace(7) %a, align 4
  %y = load i32, ptr addrspace(7) %b, align 4
  %z = load i32, ptr addrspace(7) %c, align 4
  %s = add i32 %x, %y
  %t = xor i32 %s, %z
  ret i32 %t
}

; The offset wraps: 2^32 bytes further on is the same byte.
define i32 @gep-wraps(ptr addrspace(7) %p, i32 %index) {
  %away = getelementptr [1073741824 x i32], ptr addrspace(7) %p, i32 %index
  %back = getelementptr i8, ptr addrspace(7) %away, i32 -2147483648
  %q = getelementptr i8, ptr addrspace(7) %back, i32 -2147483648
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define void @gep-store-strided(ptr addrspace(7) %p, i32 %index, i32 %v) {
  %q = getelementptr [5 x i32], ptr addrspace(7) %p, i32 %index, i32 3
  store i32 %v, ptr addrspace(7) %q, align 4
  ret void
}

; Steps of pointers in memory are 32 bytes.
define i32 @gep-over-pointers(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr ptr addrspace(7), ptr addrspace(7) %p, i32 %index
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define ptr addrspace(7) @gep-returned(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  ret ptr addrspace(7) %q
}

define i32 @from-resource(ptr addrspace(8) %r, i32 %index) {
  %p = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define ptr addrspace(7) @from-resource-returned(ptr addrspace(8) %r) {
  %p = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  ret ptr addrspace(7) %p
}

define ptr addrspace(8) @to-resource(ptr addrspace(7) %p) {
  %r = addrspacecast ptr addrspace(7) %p to ptr addrspace(8)
  ret ptr addrspace(8) %r
}

; Has a meaning where the offset is 0: LLVM may make nothing of a cast there and back.
define i32 @to-resource-and-back(ptr addrspace(7) %p, i32 %index) {
  %r = addrspacecast ptr addrspace(7) %p to ptr addrspace(8)
  %s = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %t = getelementptr i32, ptr addrspace(7) %s, i32 %index
  %v = load i32, ptr addrspace(7) %t, align 4
  ret i32 %v
}

; Dword 3 differs from generation to generation: it is that of another resource.
define i32 @made-resource(ptr addrspace(1) %base, ptr addrspace(8) %like, i32 %index) {
  %bits = ptrtoint ptr addrspace(8) %like to i128
  %high = lshr i128 %bits, 96
  %flags = trunc i128 %high to i32
  %p = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1) %base, i16 0, i64 64, i32 %flags)
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}
declare ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1), i16, i64, i32)
