; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=opt-switches %s | FileCheck %s


; Cheap ways become selects; neighbouring values are one comparison.
; CHECK-LABEL: @cheap
; CHECK-NOT: switch i32
; CHECK: [[DISTANCE:%.*]] = sub i32 %x, 5
; CHECK: [[RANGE:%.*]] = icmp ule i32 [[DISTANCE]], 2
; CHECK: select i1 [[RANGE]]
; CHECK: ret i32
define i32 @cheap(i32 %x, i32 %y) {
  switch i32 %x, label %end [
    i32 1, label %first
    i32 6, label %second
    i32 5, label %second
    i32 7, label %second
  ]
first:
  %a = add i32 %y, 1
  br label %end
second:
  %b = shl i32 %y, 1
  br label %end
end:
  %r = phi i32 [ %y, %0 ], [ %a, %first ], [ %b, %second ]
  ret i32 %r
}

; Where the default is never taken, the way of most values needs no comparison.
; CHECK-LABEL: @complete
; CHECK-NOT: unreachable
; CHECK: icmp eq i32 %low, 1
; CHECK: icmp eq i32 %low, 3
; CHECK-NOT: freeze
; CHECK-NOT: br i1
; CHECK: ret i32
define i32 @complete(i32 %x, i32 %y) {
  %low = and i32 %x, 3
  switch i32 %low, label %never [
    i32 0, label %even
    i32 1, label %other
    i32 3, label %other
    i32 2, label %even
  ]
even:
  %a = mul i32 %y, 5
  br label %end
other:
  br label %end
end:
  %r = phi i32 [ %a, %even ], [ %y, %other ]
  ret i32 %r
never:
  unreachable
}

; Falling through, with phis in the ways.
; CHECK-LABEL: @falls
; CHECK-NOT: switch i32
; CHECK: ret void
define void @falls(i32 %x, ptr addrspace(1) %p) {
entry:
  switch i32 %x, label %other [
    i32 0, label %first
    i32 9, label %second
  ]
first:
  store volatile i32 1, ptr addrspace(1) %p
  br label %second
second:
  %v = phi i32 [ 4, %entry ], [ 5, %first ]
  store volatile i32 %v, ptr addrspace(1) %p
  br label %other
other:
  ret void
}

; A tree is better for many ways.
; CHECK-LABEL: @many
; CHECK: switch
define void @many(i32 %x, ptr addrspace(1) %p) {
  switch i32 %x, label %end [
    i32 0, label %a
    i32 10, label %b
    i32 20, label %c
    i32 30, label %d
    i32 40, label %e
    i32 50, label %f
    i32 60, label %g
  ]
a:
  store volatile i32 1, ptr addrspace(1) %p
  br label %end
b:
  store volatile i32 2, ptr addrspace(1) %p
  br label %end
c:
  store volatile i32 3, ptr addrspace(1) %p
  br label %end
d:
  store volatile i32 4, ptr addrspace(1) %p
  br label %end
e:
  store volatile i32 5, ptr addrspace(1) %p
  br label %end
f:
  store volatile i32 6, ptr addrspace(1) %p
  br label %end
g:
  store volatile i32 7, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
