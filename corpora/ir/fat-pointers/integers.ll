; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Comparisons, and fat pointers as integers of 160 bits.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define i1 @compare-eq(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp eq ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-eq(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp eq ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-ne(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp ne ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-ne(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp ne ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-ult(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp ult ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-ult(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp ult ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-ule(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp ule ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-ule(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp ule ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-ugt(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp ugt ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-ugt(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp ugt ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-uge(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp uge ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-uge(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp uge ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-slt(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp slt ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-slt(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp slt ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-sle(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp sle ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-sle(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp sle ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-sgt(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp sgt ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-sgt(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp sgt ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-sge(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %c = icmp sge ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @compare-offsets-sge(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i8, ptr addrspace(7) %p, i32 %i
  %c = icmp sge ptr addrspace(7) %a, %b
  ret i1 %c
}

define i1 @compare-null(ptr addrspace(7) %p) {
  %c = icmp eq ptr addrspace(7) %p, null
  ret i1 %c
}

define i1 @compare-null-chosen(ptr addrspace(7) %p, i1 %s) {
  %q = select i1 %s, ptr addrspace(7) %p, ptr addrspace(7) null
  %c = icmp ne ptr addrspace(7) %q, null
  ret i1 %c
}

define i160 @to-integer(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %i = ptrtoint ptr addrspace(7) %q to i160
  ret i160 %i
}

define i64 @to-integer-64(ptr addrspace(7) %p) {
  %i = ptrtoint ptr addrspace(7) %p to i64
  ret i64 %i
}

define i32 @to-integer-32(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %i = ptrtoint ptr addrspace(7) %q to i32
  ret i32 %i
}

define i192 @to-integer-192(ptr addrspace(7) %p) {
  %i = ptrtoint ptr addrspace(7) %p to i192
  ret i192 %i
}

define i32 @to-address(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %i = ptrtoaddr ptr addrspace(7) %q to i32
  ret i32 %i
}

define ptr addrspace(7) @from-integer(i160 %i) {
  %p = inttoptr i160 %i to ptr addrspace(7)
  ret ptr addrspace(7) %p
}

define ptr addrspace(7) @from-integer-64(i64 %i) {
  %p = inttoptr i64 %i to ptr addrspace(7)
  ret ptr addrspace(7) %p
}

define i32 @integer-and-back(ptr addrspace(7) %p, i32 %index) {
  %i = ptrtoint ptr addrspace(7) %p to i160
  %wide = zext i32 %index to i160
  %j = add i160 %i, %wide
  %k = add i160 %j, %wide
  %l = add i160 %k, %wide
  %m = add i160 %l, %wide
  %q = inttoptr i160 %m to ptr addrspace(7)
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define i32 @distance(ptr addrspace(7) %p, i32 %index, i32 %i) {
  %a = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i32, ptr addrspace(7) %p, i32 %i
  %x = ptrtoaddr ptr addrspace(7) %a to i32
  %y = ptrtoaddr ptr addrspace(7) %b to i32
  %d = sub i32 %x, %y
  ret i32 %d
}

define <2 x i160> @to-integers(ptr addrspace(7) %p, <2 x i32> %index) {
  %q = getelementptr i8, ptr addrspace(7) %p, <2 x i32> %index
  %i = ptrtoint <2 x ptr addrspace(7)> %q to <2 x i160>
  ret <2 x i160> %i
}

define i1 @compare-integers(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %a = ptrtoint ptr addrspace(7) %p to i160
  %b = ptrtoint ptr addrspace(7) %q to i160
  %c = icmp eq i160 %a, %b
  ret i1 %c
}
