; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-fragment-inputs %s | FileCheck %s
; RUN: sed s/gfx1030/gfx1100/ %s | %opt -passes=lower-fragment-inputs - | FileCheck %s --check-prefix=G11
; RUN: sed 's/i32 18,/i32 1,/' %s | not %opt -passes=lower-fragment-inputs - 2>&1 | FileCheck %s --check-prefix=BAD

; RUN: sed 's/i32 18, i32 0)/i32 16, i32 1)/' %s | %opt -passes=lower-fragment-inputs - | FileCheck %s --check-prefix=POINT

; PointCoord is an attribute after those of locations.
; POINT: call float @llvm.amdgcn.interp.p1(float {{%.*}}, i32 1, i32 2, i32 {{%.*}})
; POINT-DAG: !{!"point-coordinate"}
; POINT-DAG: !{!"register", !".spi_ps_in_control", !".num_interps", i32 3}

; BAD: error: built-in PointSize in a fragment shader

declare i32 @lgc.read.input(i32, i32, i32, i32)
declare i32 @lgc.read.stage.built.in(i32, i32)

; Locations 2 and 6 are attributes 0 and 1.
; CHECK-LABEL: define void @main()
; CHECK: call <2 x i32> @lgc.stage.input.v2i32(i32 33)
; CHECK: [[P1:%.*]] = call float @llvm.amdgcn.interp.p1(float {{%.*}}, i32 3, i32 0, i32 {{%.*}})
; CHECK: call float @llvm.amdgcn.interp.p2(float [[P1]], float {{%.*}}, i32 3, i32 0, i32 {{%.*}})
; CHECK: call float @llvm.amdgcn.interp.mov(i32 2, i32 0, i32 1, i32 {{%.*}})
; CHECK: call i32 @lgc.stage.input.i32(i32 43)
; CHECK: call float @llvm.amdgcn.rcp.f32
; CHECK: call i32 @lgc.stage.input.i32(i32 45)
; CHECK-DAG: !{!"interpolant", i32 2, i32 0}
; CHECK-DAG: !{!"interpolant", i32 6, i32 1}
; CHECK-DAG: !{!"register", !".spi_ps_in_control", !".num_interps", i32 2}
; CHECK-DAG: !{!"register", !".spi_baryc_cntl", !".pos_float_location", i32 2}
; CHECK-DAG: !{!"register", !"", !".ps_iter_sample", i32 1}

; G11: [[P:%.*]] = call float @llvm.amdgcn.lds.param.load(i32 3, i32 0, i32 {{%.*}})
; G11: [[P10:%.*]] = call float @llvm.amdgcn.interp.inreg.p10(float [[P]], float {{%.*}}, float [[P]])
; G11: call float @llvm.amdgcn.interp.inreg.p2(float [[P]], float {{%.*}}, float [[P10]])
; G11: call float @llvm.amdgcn.lds.param.load(i32 0, i32 1, i32 {{%.*}})
; G11: call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 {{%.*}}, i32 0, i32 15, i32 15, i1 false)
; G11: call i32 @llvm.amdgcn.wqm.i32
define void @main() !lgc.stage !0 {
  %smooth = call i32 @lgc.read.input(i32 2, i32 3, i32 0, i32 0)
  %flat = call i32 @lgc.read.input(i32 6, i32 0, i32 1, i32 1)
  %w = call i32 @lgc.read.stage.built.in(i32 15, i32 3)
  %sample = call i32 @lgc.read.stage.built.in(i32 18, i32 0)
  store volatile i32 %smooth, ptr addrspace(1) null
  store volatile i32 %flat, ptr addrspace(1) null
  store volatile i32 %w, ptr addrspace(1) null
  store volatile i32 %sample, ptr addrspace(1) null
  ret void
}

; Fragment; an input asks for one invocation a sample.
!0 = !{i32 7, i32 8}
!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1030"}
