; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Colors of an unlinked fragment shader are what its function returns; depth is exported, and is not the last export.
; RUN: %opt -passes=lower-color-export,mutate-stage-entry-point %s | FileCheck %s
; RUN: sed -e 's/i32 128}/i32 0}/' -e 's/ !lgc/ "amdgpu-glue"="268435456" !lgc/' -e '/built.in(i32 22/d' %s | %opt -passes=lower-color-export,mutate-stage-entry-point - | FileCheck %s --check-prefix=GLUE

declare void @lgc.write.output(i32, i32, i32, i32, i32)
declare void @lgc.write.stage.built.in(i32, i32, i32)
declare i32 @lgc.stage.input.i32(i32)

; CHECK: define amdgpu_ps { float, float } @_amdgpu_ps_main(
; CHECK: call void @llvm.amdgcn.exp.f32(i32 8, i32 1, float {{.*}}, i1 false, i1 true)
; CHECK-NOT: call void @llvm.amdgcn.exp
; CHECK: ret { float, float }
; GLUE: define amdgpu_ps void @_amdgpu_ps_main(i32 %value, i32 %value1)
; GLUE: call <2 x half> @llvm.amdgcn.cvt.pkrtz
; GLUE: call void @llvm.amdgcn.exp.compr.v2f16(i32 0, i32 3, {{.*}}, i1 true, i1 true)
; GLUE: "InitialPSInputAddr"="65535"
define void @main() !lgc.stage !0 {
  %a = call i32 @lgc.stage.input.i32(i32 192)
  %b = call i32 @lgc.stage.input.i32(i32 193)
  call void @lgc.write.output(i32 1, i32 0, i32 0, i32 0, i32 %a)
  call void @lgc.write.output(i32 1, i32 1, i32 0, i32 0, i32 %b)
  call void @lgc.write.stage.built.in(i32 22, i32 0, i32 %a)
  ret void
}

!0 = !{i32 7, i32 0}
!lgc.pipeline.state = !{!1, !2, !3}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"graphics", i32 3, i32 1, i32 128}
!3 = !{!"color-target", i32 1, i32 37, i32 0, i32 0}
