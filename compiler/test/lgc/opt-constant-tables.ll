; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=opt-constant-tables %s | FileCheck %s

; Equal tables are one constant, of the bytes that have been stored.
; CHECK-DAG: [[WORDS:@constant.table[.0-9]*]] = private addrspace(4) constant [20 x i8] c"\03\00\00\00\01\00\00\00\00\00\00\00\FF\FF\00\00\05\00\00\00", align 32
; CHECK-DAG: [[PAIRS:@constant.table[.0-9]*]] = private addrspace(4) constant [24 x i8] {{.*}}, align 32
; CHECK-NOT: constant [

; CHECK-LABEL: @read
; CHECK-NOT: alloca
; CHECK-NOT: store
; CHECK: [[DISTANCE:%.*]] = shl i32 %i, 2
; CHECK: [[OFFSET:%.*]] = zext i32 {{.*}} to i64
; CHECK: getelementptr inbounds i8, ptr addrspace(4) [[WORDS]], i64 [[OFFSET]]
; CHECK: load i32, ptr addrspace(4)
; CHECK: load half, ptr addrspace(4)
define i32 @read(i32 %i) {
  %words = alloca [5 x i32], align 4, addrspace(5)
  %again = alloca [5 x i32], align 4, addrspace(5)
  call void @fill(i32 0)
  store i32 3, ptr addrspace(5) %words
  %w1 = getelementptr i32, ptr addrspace(5) %words, i32 1
  store i32 1, ptr addrspace(5) %w1
  ; Element 2 is never stored; elements may be stored twice, and in parts.
  %w3 = getelementptr i32, ptr addrspace(5) %words, i32 3
  store i16 -1, ptr addrspace(5) %w3
  %w3h = getelementptr i8, ptr addrspace(5) %w3, i32 2
  store half 0.0, ptr addrspace(5) %w3h
  %w4 = getelementptr i32, ptr addrspace(5) %words, i32 4
  store i32 5, ptr addrspace(5) %w4
  store i32 5, ptr addrspace(5) %w4
  %at = getelementptr [5 x i32], ptr addrspace(5) %words, i32 0, i32 %i
  %x = load i32, ptr addrspace(5) %at
  %odd = getelementptr i8, ptr addrspace(5) %at, i32 2
  %h = load half, ptr addrspace(5) %odd
  %hb = bitcast half %h to i16
  %hx = zext i16 %hb to i32
  store [5 x i32] [i32 3, i32 1, i32 0, i32 65535, i32 5], ptr addrspace(5) %again
  %at2 = getelementptr [5 x i32], ptr addrspace(5) %again, i32 0, i32 %i
  %y = load i32, ptr addrspace(5) %at2
  %sum = add i32 %x, %hx
  %r = add i32 %sum, %y
  ret i32 %r
}

; Elements of other sizes than powers of two.
; CHECK-LABEL: @multiply
; CHECK: mul i32 %i, 12
; CHECK: getelementptr inbounds i8, ptr addrspace(4) [[PAIRS]]
define i32 @multiply(i32 %i) {
  %pairs = alloca [2 x [3 x i32]], align 4, addrspace(5)
  store [2 x [3 x i32]] [[3 x i32] [i32 1, i32 2, i32 3], [3 x i32] [i32 4, i32 5, i32 6]], ptr addrspace(5) %pairs
  %at = getelementptr [2 x [3 x i32]], ptr addrspace(5) %pairs, i32 0, i32 %i, i32 1
  %x = load i32, ptr addrspace(5) %at
  ret i32 %x
}

; Not a table: other values of one element, stores at an unknown place or of no constant, parts of an
; element, uses that may do anything, volatile accesses, and what fits in registers.
; CHECK-LABEL: @others
; CHECK-COUNT-8: alloca
; CHECK-NOT: addrspace(4)
; CHECK: ret
define i32 @others(i32 %i, i1 %c) {
  %changed = alloca [5 x i32], align 4, addrspace(5)
  %unknown = alloca [5 x i32], align 4, addrspace(5)
  %variable = alloca [5 x i32], align 4, addrspace(5)
  %partial = alloca [5 x i32], align 4, addrspace(5)
  %passed = alloca [5 x i32], align 4, addrspace(5)
  %joined = alloca [5 x i32], align 4, addrspace(5)
  %watched = alloca [5 x i32], align 4, addrspace(5)
  %small = alloca [4 x i32], align 4, addrspace(5)
  store i32 1, ptr addrspace(5) %changed
  store i32 2, ptr addrspace(5) %changed
  %a = getelementptr i32, ptr addrspace(5) %changed, i32 %i
  %ax = load i32, ptr addrspace(5) %a
  %b = getelementptr i32, ptr addrspace(5) %unknown, i32 %i
  store i32 1, ptr addrspace(5) %b
  %bx = load i32, ptr addrspace(5) %b
  store i32 %i, ptr addrspace(5) %variable
  %cx = load i32, ptr addrspace(5) %variable
  store i32 257, ptr addrspace(5) %partial
  store i8 1, ptr addrspace(5) %partial
  %dx = load i32, ptr addrspace(5) %partial
  store i32 1, ptr addrspace(5) %passed
  call void @take(ptr addrspace(5) %passed)
  %ex = load i32, ptr addrspace(5) %passed
  store i32 1, ptr addrspace(5) %joined
  %p = select i1 %c, ptr addrspace(5) %joined, ptr addrspace(5) null
  %fx = load i32, ptr addrspace(5) %p
  store i32 1, ptr addrspace(5) %watched
  %gx = load volatile i32, ptr addrspace(5) %watched
  store i32 1, ptr addrspace(5) %small
  %h = getelementptr i32, ptr addrspace(5) %small, i32 %i
  %hx = load i32, ptr addrspace(5) %h
  %s1 = add i32 %ax, %bx
  %s2 = add i32 %cx, %dx
  %s3 = add i32 %ex, %fx
  %s4 = add i32 %gx, %hx
  %s5 = add i32 %s1, %s2
  %s6 = add i32 %s3, %s4
  %s7 = add i32 %s5, %s6
  ret i32 %s7
}

declare void @fill(i32)
declare void @take(ptr addrspace(5))
