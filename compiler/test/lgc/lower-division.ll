; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=lower-division %s | FileCheck %s

; CHECK-LABEL: @ones
; CHECK: %[[HALF:.*]] = udiv i32 2147483647, %d
; CHECK: %[[TWICE:.*]] = shl i32 %[[HALF]], 1
; CHECK: %[[BACK:.*]] = mul i32 %[[TWICE]], %d
; CHECK: %[[REST:.*]] = sub i32 -1, %[[BACK]]
; CHECK: %[[MORE:.*]] = icmp uge i32 %[[REST]], %d
; CHECK: %[[ONE:.*]] = zext i1 %[[MORE]] to i32
; CHECK: %[[SUM:.*]] = add i32 %[[TWICE]], %[[ONE]]
; CHECK: ret i32 %[[SUM]]
define i32 @ones(i32 %d) {
  %q = udiv i32 -1, %d
  ret i32 %q
}

; CHECK-LABEL: @extended
; CHECK: lshr i32 %n, 1
; CHECK: %[[LESS:.*]] = sub i32 %[[LEFT:.*]], %d
; CHECK: select i1 %{{.*}}, i32 %[[LESS]], i32 %[[LEFT]]
define i32 @extended(i16 %s, i32 %d) {
  %n = sext i16 %s to i32
  %r = urem i32 %n, %d
  ret i32 %r
}

; CHECK-LABEL: @wide
; CHECK: udiv i64 2147483647, %d
define i64 @wide(i64 %d) {
  %q = udiv i64 4294967295, %d
  ret i64 %q
}

; CHECK-LABEL: @anything
; CHECK-NEXT: udiv i32 %n, %d
; CHECK-NEXT: udiv i32 %small, %d
; CHECK-NEXT: sdiv i32 -1, %d
define i32 @anything(i32 %n, i32 range(i32 0, 1000) %small, i32 %d) {
  %a = udiv i32 %n, %d
  %b = udiv i32 %small, %d
  %c = sdiv i32 -1, %d
  %e = add i32 %a, %b
  %f = add i32 %e, %c
  ret i32 %f
}

; CHECK-LABEL: @pair
; CHECK: udiv <2 x i32> <i32 2147483647, i32 2>, %d
define <2 x i32> @pair(<2 x i32> %d) {
  %q = udiv <2 x i32> <i32 -1, i32 5>, %d
  ret <2 x i32> %q
}
