; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-fragment-inputs %s | FileCheck %s
; RUN: sed s/gfx1030/gfx1100/ %s | %opt -passes=lower-fragment-inputs - | FileCheck %s --check-prefix=G11

declare i32 @lgc.read.input(i32, i32, i32, i32)

; Components 6 and 7 are the halves of component 1, interpolated as halves; component 4 of the other location has no
; high half next to it.
; CHECK-LABEL: define void @main()
; CHECK: [[LOW1:%.*]] = call float @llvm.amdgcn.interp.p1.f16(float {{%.*}}, i32 1, i32 0, i1 false, i32 {{%.*}})
; CHECK: call half @llvm.amdgcn.interp.p2.f16(float [[LOW1]], float {{%.*}}, i32 1, i32 0, i1 false, i32 {{%.*}})
; CHECK: [[HIGH1:%.*]] = call float @llvm.amdgcn.interp.p1.f16(float {{%.*}}, i32 1, i32 0, i1 true, i32 {{%.*}})
; CHECK: call half @llvm.amdgcn.interp.p2.f16(float [[HIGH1]], float {{%.*}}, i32 1, i32 0, i1 true, i32 {{%.*}})
; CHECK: call half @llvm.amdgcn.interp.p2.f16(float {{%.*}}, float {{%.*}}, i32 0, i32 1, i1 false, i32 {{%.*}})
; CHECK-DAG: !{!"interpolant-halves", i32 2, i32 1}
; CHECK-DAG: !{!"interpolant-halves", i32 3, i32 0}

; Both halves are of one load.
; G11: [[P:%.*]] = call float @llvm.amdgcn.lds.param.load(i32 1, i32 0, i32 {{%.*}})
; G11: [[LOW10:%.*]] = call float @llvm.amdgcn.interp.inreg.p10.f16(float [[P]], float {{%.*}}, float [[P]], i1 false)
; G11: call half @llvm.amdgcn.interp.inreg.p2.f16(float [[P]], float {{%.*}}, float [[LOW10]], i1 false)
; G11-NOT: lds.param.load(i32 1
; G11: [[HIGH10:%.*]] = call float @llvm.amdgcn.interp.inreg.p10.f16(float [[P]], float {{%.*}}, float [[P]], i1 true)
; G11: call half @llvm.amdgcn.interp.inreg.p2.f16(float [[P]], float {{%.*}}, float [[HIGH10]], i1 true)
define void @main() !lgc.stage !0 {
  %low = call i32 @lgc.read.input(i32 2, i32 6, i32 2, i32 0)
  %high = call i32 @lgc.read.input(i32 2, i32 7, i32 2, i32 0)
  %single = call i32 @lgc.read.input(i32 3, i32 4, i32 2, i32 2)
  store volatile i32 %low, ptr addrspace(1) null
  store volatile i32 %high, ptr addrspace(1) null
  store volatile i32 %single, ptr addrspace(1) null
  ret void
}

!0 = !{i32 7, i32 0}
!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1030"}
