; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-fragment-control %s | FileCheck %s

declare <2 x float> @lgc.derivative.v2f32(<2 x float>, i32)
declare void @lgc.terminate.invocation()
declare void @lgc.demote()
declare i1 @lgc.is.helper()

; XFine: lanes 1 1 3 3 less lanes 0 0 2 2.
; CHECK-LABEL: define void @main(
; CHECK: call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 {{%.*}}, i32 245, i32 15, i32 15, i1 false)
; CHECK: call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 {{%.*}}, i32 160, i32 15, i32 15, i1 false)
; CHECK: [[D:%.*]] = fsub float
; CHECK: call float @llvm.amdgcn.wqm.f32(float [[D]])
; CHECK: call void @llvm.amdgcn.wqm.demote(i1 false)
; CHECK: [[LIVE:%.*]] = call i1 @llvm.amdgcn.live.mask()
; CHECK: xor i1 [[LIVE]], true
; CHECK: call void @llvm.amdgcn.kill(i1 false)
; CHECK: !{!"register", !".db_shader_control", !".kill_enable", i32 1}
define void @main(<2 x float> %x) !lgc.stage !0 {
  %d = call <2 x float> @lgc.derivative.v2f32(<2 x float> %x, i32 2)
  call void @lgc.demote()
  %helper = call i1 @lgc.is.helper()
  store volatile <2 x float> %d, ptr addrspace(1) null
  store volatile i1 %helper, ptr addrspace(1) null
  call void @lgc.terminate.invocation()
  ret void
}

!0 = !{i32 7, i32 0}
!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1030"}
