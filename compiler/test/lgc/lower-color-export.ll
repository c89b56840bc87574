; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-color-export %s | FileCheck %s
; RUN: sed s/gfx1030/gfx1100/ %s | %opt -passes=lower-color-export - | FileCheck %s --check-prefix=G11
; RUN: sed /write/d %s | %opt -passes=lower-color-export - | FileCheck %s --check-prefix=NONE

declare void @lgc.write.output(i32, i32, i32, i32, i32)
declare void @lgc.write.stage.built.in(i32, i32, i32)

; Location 1 is R8G8B8A8_UNORM, location 2 has no target, location 3 is R32G32_UINT; FragDepth.
; CHECK-LABEL: define void @main(
; CHECK: [[LOW:%.*]] = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float {{%.*}}, float {{%.*}})
; CHECK: [[HIGH:%.*]] = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float {{%.*}}, float poison)
; CHECK: call void @llvm.amdgcn.exp.f32(i32 8, i32 1, float {{%.*}}, float poison, float poison, float poison, i1 false, i1 true)
; CHECK: call void @llvm.amdgcn.exp.compr.v2f16(i32 0, i32 15, <2 x half> {{%.*}}, <2 x half> {{%.*}}, i1 false, i1 true)
; CHECK: call void @llvm.amdgcn.exp.f32(i32 1, i32 1, float {{%.*}}, float poison, float poison, float poison, i1 true, i1 true)
; CHECK-DAG: !{!"register", !".spi_shader_col_format", !".col_0_export_format", i32 4}
; CHECK-DAG: !{!"register", !".spi_shader_col_format", !".col_1_export_format", i32 2}
; CHECK-DAG: !{!"register", !".cb_shader_mask", !".output1_enable", i32 7}
; CHECK-DAG: !{!"register", !".cb_shader_mask", !".output3_enable", i32 1}
; CHECK-DAG: !{!"register", !"", !".spi_shader_z_format", i32 1}
; CHECK-DAG: !{!"register", !".db_shader_control", !".z_export_enable", i32 1}
; CHECK-DAG: !{!"flag", !"ps-writes-depth"}

; G11: call void @llvm.amdgcn.exp.f32(i32 0, i32 3, float {{%.*}}, float {{%.*}}, float poison, float poison, i1 false, i1 true)

; NONE: call void @llvm.amdgcn.exp.f32(i32 9, i32 0, float poison, float poison, float poison, float poison, i1 true, i1 true)
; NONE: !{!"flag", !"ps-dummy-export"}
define void @main(i32 %a) !lgc.stage !0 {
  call void @lgc.write.output(i32 1, i32 0, i32 0, i32 0, i32 %a)
  call void @lgc.write.output(i32 1, i32 1, i32 0, i32 0, i32 %a)
  call void @lgc.write.output(i32 1, i32 2, i32 0, i32 0, i32 %a)
  call void @lgc.write.output(i32 2, i32 0, i32 0, i32 0, i32 %a)
  call void @lgc.write.output(i32 3, i32 0, i32 0, i32 1, i32 %a)
  call void @lgc.write.stage.built.in(i32 22, i32 0, i32 %a)
  ret void
}

!0 = !{i32 7, i32 0}
!lgc.pipeline.state = !{!1, !2, !3, !4}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"graphics", i32 3, i32 1, i32 0}
!3 = !{!"color-target", i32 1, i32 37, i32 0, i32 0}
!4 = !{!"color-target", i32 3, i32 101, i32 0, i32 0}
