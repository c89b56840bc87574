; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=opt-loop-exits %s | FileCheck %s

; Both blocks leave to %exit: one block is left, whose last branch leaves for either reason.
; CHECK-LABEL: @joined
; CHECK: [[BREAK:%.*]] = icmp sgt i32
; CHECK-NOT: br
; CHECK: [[LAST:%.*]] = icmp eq i32 %next, 30
; CHECK: [[LEAVES:%.*]] = select i1 [[BREAK]], i1 true, i1 [[LAST]]
; CHECK: [[VALUE:%.*]] = select i1 [[BREAK]], i32 %n, i32 30
; CHECK: br i1 [[LEAVES]], label %exit, label %loop
; CHECK: phi i32 [ [[VALUE]], %loop ]
define i32 @joined(i32 %x) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %latch ]
  %v = phi i32 [ %x, %entry ], [ %w, %latch ]
  %square = mul i32 %v, %v
  %break = icmp sgt i32 %square, 100
  br i1 %break, label %exit, label %latch
latch:
  %w = add nsw i32 %square, %x
  %next = add nuw nsw i32 %n, 1
  %last = icmp eq i32 %next, 30
  br i1 %last, label %exit, label %loop
exit:
  %r = phi i32 [ %n, %loop ], [ 30, %latch ]
  ret i32 %r
}

; A division may trap, a store and a convergent call must not happen.
; CHECK-LABEL: @divides
; CHECK: latch:
define i32 @divides(i32 %x) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %latch ]
  %break = icmp eq i32 %n, %x
  br i1 %break, label %exit, label %latch
latch:
  %next = udiv i32 %n, %x
  %last = icmp eq i32 %next, 30
  br i1 %last, label %exit, label %loop
exit:
  ret i32 %n
}

; CHECK-LABEL: @stores
; CHECK: latch:
define void @stores(i32 %x, ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %latch ]
  %break = icmp eq i32 %n, %x
  br i1 %break, label %exit, label %latch
latch:
  store i32 %n, ptr addrspace(1) %p
  %next = add i32 %n, 1
  %last = icmp eq i32 %next, 30
  br i1 %last, label %exit, label %loop
exit:
  ret void
}

declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
; CHECK-LABEL: @convergent
; CHECK: latch:
define i32 @convergent(i32 %x) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %latch ]
  %break = icmp eq i32 %n, %x
  br i1 %break, label %exit, label %latch
latch:
  %next = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %n)
  %last = icmp eq i32 %next, 30
  br i1 %last, label %exit, label %loop
exit:
  ret i32 %n
}

; They leave to different places.
; CHECK-LABEL: @apart
; CHECK: latch:
define i32 @apart(i32 %x) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %latch ]
  %break = icmp eq i32 %n, %x
  br i1 %break, label %exit, label %latch
latch:
  %next = add i32 %n, 2
  %last = icmp eq i32 %next, 30
  br i1 %last, label %other, label %loop
exit:
  ret i32 %n
other:
  ret i32 7
}
