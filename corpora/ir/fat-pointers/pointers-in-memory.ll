; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Fat pointers in buffers, scratch, LDS and globals: twenty bytes in a slot of 32.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define ptr addrspace(7) @load-pointer(ptr addrspace(7) %p) {
  %q = load ptr addrspace(7), ptr addrspace(7) %p, align 32
  ret ptr addrspace(7) %q
}

define void @store-pointer(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %index) {
  %r = getelementptr i8, ptr addrspace(7) %q, i32 %index
  store ptr addrspace(7) %r, ptr addrspace(7) %p, align 32
  ret void
}

; Only twenty bytes are written.
define void @store-pointer-over(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  call void @llvm.memset.p7.i32(ptr addrspace(7) align 32 %p, i8 -1, i32 32, i1 false)
  store ptr addrspace(7) %q, ptr addrspace(7) %p, align 32
  ret void
}
declare void @llvm.memset.p7.i32(ptr addrspace(7), i8, i32, i1)

define i32 @stored-and-loaded(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %index) {
  %r = getelementptr i32, ptr addrspace(7) %q, i32 %index
  store ptr addrspace(7) %r, ptr addrspace(7) %p, align 32
  %s = load ptr addrspace(7), ptr addrspace(7) %p, align 32
  %v = load i32, ptr addrspace(7) %s, align 4
  ret i32 %v
}

define i32 @in-scratch(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %index) {
  %slots = alloca [2 x ptr addrspace(7)], align 32, addrspace(5)
  %second = getelementptr i8, ptr addrspace(5) %slots, i32 32
  store ptr addrspace(7) %p, ptr addrspace(5) %slots, align 32
  store ptr addrspace(7) %q, ptr addrspace(5) %second, align 32
  %low = and i32 %index, 1
  %slot = getelementptr ptr addrspace(7), ptr addrspace(5) %slots, i32 %low
  %r = load ptr addrspace(7), ptr addrspace(5) %slot, align 32
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

define i32 @structure-in-scratch(ptr addrspace(7) %p, i32 %n) {
  %slot = alloca { i32, ptr addrspace(7), i8 }, align 32, addrspace(5)
  %a = insertvalue { i32, ptr addrspace(7), i8 } poison, i32 %n, 0
  %b = insertvalue { i32, ptr addrspace(7), i8 } %a, ptr addrspace(7) %p, 1
  %c = insertvalue { i32, ptr addrspace(7), i8 } %b, i8 3, 2
  store { i32, ptr addrspace(7), i8 } %c, ptr addrspace(5) %slot, align 32
  %field = getelementptr { i32, ptr addrspace(7), i8 }, ptr addrspace(5) %slot, i32 0, i32 1
  %q = load ptr addrspace(7), ptr addrspace(5) %field, align 32
  %last = getelementptr { i32, ptr addrspace(7), i8 }, ptr addrspace(5) %slot, i32 0, i32 2
  %l = load i8, ptr addrspace(5) %last, align 32
  %w = zext i8 %l to i32
  %v = load i32, ptr addrspace(7) %q, align 4
  %s = add i32 %v, %w
  ret i32 %s
}

define { ptr addrspace(7), i32 } @load-structure(ptr addrspace(7) %p) {
  %s = load { ptr addrspace(7), i32 }, ptr addrspace(7) %p, align 32
  ret { ptr addrspace(7), i32 } %s
}

define [2 x ptr addrspace(7)] @load-array(ptr addrspace(7) %p) {
  %s = load [2 x ptr addrspace(7)], ptr addrspace(7) %p, align 32
  ret [2 x ptr addrspace(7)] %s
}

define void @store-array(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %a = insertvalue [2 x ptr addrspace(7)] poison, ptr addrspace(7) %q, 0
  %r = getelementptr i8, ptr addrspace(7) %q, i32 4
  %b = insertvalue [2 x ptr addrspace(7)] %a, ptr addrspace(7) %r, 1
  store [2 x ptr addrspace(7)] %b, ptr addrspace(7) %p, align 32
  ret void
}

define <2 x ptr addrspace(7)> @vector-through-scratch(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %slot = alloca <2 x ptr addrspace(7)>, align 64, addrspace(5)
  %a = insertelement <2 x ptr addrspace(7)> poison, ptr addrspace(7) %p, i32 0
  %b = insertelement <2 x ptr addrspace(7)> %a, ptr addrspace(7) %q, i32 1
  store <2 x ptr addrspace(7)> %b, ptr addrspace(5) %slot, align 64
  %v = load <2 x ptr addrspace(7)>, ptr addrspace(5) %slot, align 64
  ret <2 x ptr addrspace(7)> %v
}

define i32 @integer-loaded-as-pointer(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %i = ptrtoint ptr addrspace(7) %q to i160
  store i160 %i, ptr addrspace(7) %p, align 32
  %r = load ptr addrspace(7), ptr addrspace(7) %p, align 32
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

define i160 @pointer-loaded-as-integer(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  store ptr addrspace(7) %q, ptr addrspace(7) %p, align 32
  %i = load i160, ptr addrspace(7) %p, align 32
  ret i160 %i
}

define i32 @pointer-copied(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %slot = alloca ptr addrspace(7), align 32, addrspace(5)
  store ptr addrspace(7) %q, ptr addrspace(7) %p, align 32
  call void @llvm.memcpy.p5.p7.i32(ptr addrspace(5) align 32 %slot, ptr addrspace(7) align 32 %p, i32 32, i1 false)
  %r = load ptr addrspace(7), ptr addrspace(5) %slot, align 32
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}
declare void @llvm.memcpy.p5.p7.i32(ptr addrspace(5), ptr addrspace(7), i32, i1)

define ptr addrspace(8) @load-resource(ptr addrspace(7) %p) {
  %r = load ptr addrspace(8), ptr addrspace(7) %p, align 16
  ret ptr addrspace(8) %r
}

define void @store-resource(ptr addrspace(7) %p, ptr addrspace(8) %r) {
  store ptr addrspace(8) %r, ptr addrspace(7) %p, align 16
  ret void
}

define ptr addrspace(1) @load-global-pointer(ptr addrspace(7) %p) {
  %r = load ptr addrspace(1), ptr addrspace(7) %p, align 8
  ret ptr addrspace(1) %r
}

define void @store-scratch-pointer(ptr addrspace(7) %p, i32 %index) {
  %r = inttoptr i32 %index to ptr addrspace(5)
  store ptr addrspace(5) %r, ptr addrspace(7) %p, align 4
  ret void
}

define <2 x ptr addrspace(3)> @load-lds-pointers(ptr addrspace(7) %p) {
  %r = load <2 x ptr addrspace(3)>, ptr addrspace(7) %p, align 8
  ret <2 x ptr addrspace(3)> %r
}

; A table of pointers that differ by their offsets, as constants.
@offsets = internal addrspace(4) constant [2 x ptr addrspace(7)] [ptr addrspace(7) getelementptr (i8, ptr addrspace(7) null, i32 12), ptr addrspace(7) getelementptr ({ i32, i64 }, ptr addrspace(7) null, i32 2, i32 1)], align 32
define i32 @constant-offsets(i32 %index) {
  %low = and i32 %index, 1
  %slot = getelementptr ptr addrspace(7), ptr addrspace(4) @offsets, i32 %low
  %p = load ptr addrspace(7), ptr addrspace(4) %slot, align 32
  %number = ptrtoint ptr addrspace(7) %p to i160
  %offset = trunc i160 %number to i32
  ret i32 %offset
}

; The distance of two entries of that table, as a constant in memory: a step over fat pointers.
@distance = internal addrspace(4) constant i64 sub (i64 ptrtoint (ptr addrspace(4) getelementptr ([2 x ptr addrspace(7)], ptr addrspace(4) @offsets, i32 0, i32 1) to i64), i64 ptrtoint (ptr addrspace(4) @offsets to i64)), align 8
define i64 @distance-of-constant-offsets(ptr addrspace(7) %p) {
  %distance = load i64, ptr addrspace(4) @distance, align 8
  ret i64 %distance
}

; An expression that is only a part of the one constant.
define void @store-constant-array(ptr addrspace(7) %p) {
  store [2 x ptr addrspace(7)] [ptr addrspace(7) getelementptr (i8, ptr addrspace(7) null, i32 12), ptr addrspace(7) null], ptr addrspace(7) %p, align 32
  ret void
}
