; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-vertex-built-ins %s | FileCheck %s
; RUN: sed 's/i32 4426,/i32 15,/' %s | not %opt -passes=lower-vertex-built-ins - 2>&1 | FileCheck %s --check-prefix=BAD

; BAD: error: built-in FragCoord in a vertex shader

declare i32 @lgc.read.stage.built.in(i32, i32)

; CHECK-LABEL: define void @main()
; CHECK-DAG: [[VERTEX:%.*]] = call i32 @lgc.stage.input.i32(i32 8)
; CHECK-DAG: [[BASE:%.*]] = call i32 @lgc.stage.input.i32(i32 2)
; CHECK-DAG: [[INDEX:%.*]] = add i32 [[VERTEX]], [[BASE]]
; CHECK-DAG: [[DRAW:%.*]] = call i32 @lgc.stage.input.i32(i32 4)
; CHECK: store volatile i32 [[INDEX]]
; CHECK: store volatile i32 [[DRAW]]
define void @main() !lgc.stage !0 {
  %index = call i32 @lgc.read.stage.built.in(i32 42, i32 0)
  %draw = call i32 @lgc.read.stage.built.in(i32 4426, i32 0)
  store volatile i32 %index, ptr addrspace(1) null
  store volatile i32 %draw, ptr addrspace(1) null
  ret void
}

!0 = !{i32 1, i32 0}
!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1030"}
