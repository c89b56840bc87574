; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-vertex-exports %s | FileCheck %s
; RUN: sed s/gfx1030/gfx1100/ %s | %opt -passes=lower-vertex-exports - | FileCheck %s --check-prefix=G11

declare void @lgc.write.output(i32, i32, i32, i32, i32)
declare void @lgc.write.stage.built.in(i32, i32, i32)

; Two returns become one; the second output is a half. PointSize and ViewportIndex share a position,
; a clip and a cull distance another one.
; CHECK-LABEL: define void @main(
; CHECK: exit:
; CHECK: [[A:%.*]] = phi i32 [ 5, %left ], [ 6, %right ]
; CHECK: call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float {{.*}}, float {{.*}}, float 0.000000e+00, float 0.000000e+00, i1 false, i1 false)
; CHECK: call void @llvm.amdgcn.exp.f32(i32 13, i32 5, float {{.*}}, float poison, float {{.*}}, float poison, i1 false, i1 false)
; CHECK: call void @llvm.amdgcn.exp.f32(i32 14, i32 3, {{.*}} i1 true, i1 false)
; CHECK: call void @llvm.amdgcn.exp.f32(i32 32, i32 8, {{.*}} i1 false, i1 false)
; CHECK: call void @llvm.amdgcn.exp.f32(i32 33, i32 1, {{.*}} i1 false, i1 false)
; CHECK-NOT: call void @llvm.amdgcn.exp
; CHECK: ret void
; CHECK-DAG: !{!"register", !".pa_cl_vs_out_cntl", !".use_vtx_point_size", i32 1}
; CHECK-DAG: !{!"register", !".pa_cl_vs_out_cntl", !".use_vtx_viewport_indx", i32 1}
; CHECK-DAG: !{!"register", !".pa_cl_vs_out_cntl", !".clip_dist_ena_0", i32 1}
; CHECK-DAG: !{!"register", !".pa_cl_vs_out_cntl", !".cull_dist_ena_1", i32 1}
; CHECK-DAG: !{!"positions", i32 3}
; CHECK-DAG: !{!"parameter", i32 0, i32 0}
; CHECK-DAG: !{!"parameter", i32 2, i32 1}
; CHECK-DAG: !{!"register", !".spi_vs_out_config", !".vs_export_count", i32 1}

; Two parameters: the stride is 32.
; G11: %ring = load <4 x i32>
; G11: [[WORD:%.*]] = and i32 {{%.*}}, -1073676289
; G11: or i32 [[WORD]], 2097152
; G11: call void @llvm.amdgcn.struct.buffer.store.v4f32(<4 x float> {{%.*}}, <4 x i32> {{%.*}}, i32 {{%.*}}, i32 0, i32 {{%.*}}, i32 1)
; Of a parameter, what follows its last component is not stored.
; G11: call void @llvm.amdgcn.struct.buffer.store.f32(float {{%.*}}, <4 x i32> {{%.*}}, i32 {{%.*}}, i32 16, i32 {{%.*}}, i32 1)
; G11: fence syncscope("agent") release
; G11: call void @llvm.amdgcn.exp.f32(i32 12
; G11-NOT: call void @llvm.amdgcn.exp.f32(i32 32
define void @main(i1 %choice, i32 %a, i32 %b) !lgc.stage !0 {
  br i1 %choice, label %left, label %right
left:
  call void @lgc.write.output(i32 0, i32 3, i32 0, i32 1, i32 5)
  call void @lgc.write.stage.built.in(i32 0, i32 0, i32 %a)
  ret void
right:
  call void @lgc.write.output(i32 0, i32 3, i32 0, i32 1, i32 6)
  call void @lgc.write.output(i32 2, i32 0, i32 0, i32 2, i32 %b)
  call void @lgc.write.stage.built.in(i32 0, i32 0, i32 %b)
  call void @lgc.write.stage.built.in(i32 0, i32 1, i32 %b)
  call void @lgc.write.stage.built.in(i32 1, i32 0, i32 %b)
  call void @lgc.write.stage.built.in(i32 10, i32 0, i32 %b)
  call void @lgc.write.stage.built.in(i32 3, i32 0, i32 %b)
  call void @lgc.write.stage.built.in(i32 4, i32 0, i32 %b)
  ret void
}

!0 = !{i32 1, i32 0}
!lgc.pipeline.state = !{!1, !2}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"graphics", i32 0, i32 1, i32 32}
