; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=end-unreachable %s | FileCheck %s

; CHECK-LABEL: define void @never
; CHECK: store i32 1, ptr %p
; CHECK-NEXT: ret void
define void @never(ptr %p) {
  store i32 1, ptr %p
  unreachable
}

; CHECK-LABEL: define i32 @value
; CHECK: ret i32 poison
; CHECK: ret i32 poison
define i32 @value(i1 %c) {
  br i1 %c, label %a, label %b
a:
  unreachable
b:
  unreachable
}

; CHECK-LABEL: define void @sometimes
; CHECK: unreachable
define void @sometimes(i1 %c) {
  br i1 %c, label %a, label %b
a:
  unreachable
b:
  ret void
}

; CHECK-LABEL: define void @forever
; CHECK-NOT: ret
; CHECK: br label %loop
define void @forever() {
  br label %loop
loop:
  br label %loop
}
