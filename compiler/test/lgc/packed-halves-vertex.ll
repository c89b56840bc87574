; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-vertex-exports %s | FileCheck %s

declare void @lgc.write.output(i32, i32, i32, i32, i32)
declare void @lgc.write.stage.built.in(i32, i32, i32)

; Components 6 and 7 are the halves of component 1: their bits go there as they are. The half in component 0 is
; converted to a float.
; CHECK-LABEL: define void @main(
; CHECK-DAG: [[LOW:%.*]] = and i32 %a, 65535
; CHECK-DAG: [[HIGH:%.*]] = shl i32 %b, 16
; CHECK-DAG: [[BOTH:%.*]] = or i32 [[LOW]], [[HIGH]]
; CHECK-DAG: [[BITS:%.*]] = bitcast i32 [[BOTH]] to float
; CHECK-DAG: fpext half {{%.*}} to float
; CHECK: call void @llvm.amdgcn.exp.f32(i32 32, i32 3, float {{%.*}}, float [[BITS]], float poison, float poison
define void @main(i32 %a, i32 %b) !lgc.stage !0 {
  call void @lgc.write.output(i32 0, i32 7, i32 0, i32 2, i32 %b)
  call void @lgc.write.output(i32 0, i32 6, i32 0, i32 3, i32 %a)
  call void @lgc.write.output(i32 0, i32 0, i32 0, i32 2, i32 %a)
  call void @lgc.write.stage.built.in(i32 0, i32 0, i32 %a)
  ret void
}

!0 = !{i32 1, i32 0}
!lgc.pipeline.state = !{!1, !2}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"graphics", i32 0, i32 1, i32 32}
