; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-vertex-fetch %s | FileCheck %s
; RUN: sed s/gfx1030/gfx900/ %s | %opt -passes=lower-vertex-fetch - | FileCheck %s --check-prefix=G9
; RUN: sed s/gfx1030/gfx1100/ %s | %opt -passes=lower-vertex-fetch - | FileCheck %s --check-prefix=G11
; RUN: sed 's/i32 44, i32 8}/i32 50, i32 8}/' %s | not %opt -passes=lower-vertex-fetch - 2>&1 | FileCheck %s --check-prefix=BAD

; BAD: error: input 1: vertex attributes of format 50

declare i32 @lgc.read.input(i32, i32, i32, i32)

; Location 0 has R32G32_SFLOAT of binding 0; location 1 B8G8R8A8_UNORM of binding 2, of instances
; with divisor 3; location 2 R16G16B16_SINT at an odd place of binding 0; location 4 has nothing.
; CHECK-LABEL: define void @main()
; CHECK-DAG: [[VERTEX:%.*]] = call i32 @lgc.stage.input.i32(i32 8)
; CHECK-DAG: [[BASE:%.*]] = call i32 @lgc.stage.input.i32(i32 2)
; CHECK: %vertexIndex = add i32 [[VERTEX]], [[BASE]]
; CHECK: call <2 x i32> @llvm.amdgcn.struct.tbuffer.load.v2i32(<4 x i32> %vertices, i32 %vertexIndex, i32 4, i32 0, i32 64, i32 0)
; CHECK: [[INSTANCE:%.*]] = call i32 @lgc.stage.input.i32(i32 9)
; CHECK: [[QUOTIENT:%.*]] = udiv i32 [[INSTANCE]], 3
; CHECK: %instanceIndex = add i32 [[QUOTIENT]]
; CHECK: [[BGR:%.*]] = call <3 x i32> @llvm.amdgcn.struct.tbuffer.load.v3i32(<4 x i32> %vertices{{.*}}, i32 %instanceIndex, i32 0, i32 8, i32 56, i32 0)
; CHECK: [[RED:%.*]] = extractelement <3 x i32> [[BGR]], i64 2
; CHECK: call i32 @llvm.amdgcn.struct.tbuffer.load.i32({{.*}}, i32 0, i32 6, i32 12, i32 0)
; CHECK: call i32 @llvm.amdgcn.struct.tbuffer.load.i32({{.*}}, i32 0, i32 8, i32 12, i32 0)
; CHECK: store volatile i32 1065353216
; CHECK: store volatile i32 [[RED]]
; CHECK: store volatile i32 0,
; Data format 11, number format float; 32_32_FLOAT of GFX11.
; G9: @llvm.amdgcn.struct.tbuffer.load.v2i32({{.*}}, i32 4, i32 0, i32 123, i32 0)
; G11: @llvm.amdgcn.struct.tbuffer.load.v2i32({{.*}}, i32 4, i32 0, i32 50, i32 0)
define void @main() !lgc.stage !0 {
  %x = call i32 @lgc.read.input(i32 0, i32 0, i32 0, i32 1)
  %y = call i32 @lgc.read.input(i32 0, i32 1, i32 0, i32 1)
  %w = call i32 @lgc.read.input(i32 0, i32 3, i32 0, i32 1)
  %red = call i32 @lgc.read.input(i32 1, i32 0, i32 0, i32 1)
  %s = call i32 @lgc.read.input(i32 2, i32 0, i32 1, i32 1)
  %t = call i32 @lgc.read.input(i32 2, i32 1, i32 1, i32 1)
  %none = call i32 @lgc.read.input(i32 4, i32 0, i32 0, i32 1)
  store volatile i32 %x, ptr addrspace(1) null
  store volatile i32 %y, ptr addrspace(1) null
  store volatile i32 %w, ptr addrspace(1) null
  store volatile i32 %red, ptr addrspace(1) null
  store volatile i32 %s, ptr addrspace(1) null
  store volatile i32 %t, ptr addrspace(1) null
  store volatile i32 %none, ptr addrspace(1) null
  ret void
}

!0 = !{i32 1, i32 0}
!lgc.pipeline.state = !{!1, !2, !3, !4, !5, !6, !7}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"graphics", i32 3, i32 1, i32 0}
!3 = !{!"vertex-binding", i32 0, i32 12, i32 0, i32 1}
!4 = !{!"vertex-binding", i32 2, i32 12, i32 1, i32 3}
!5 = !{!"vertex-attribute", i32 0, i32 0, i32 103, i32 4}
!6 = !{!"vertex-attribute", i32 1, i32 2, i32 44, i32 8}
!7 = !{!"vertex-attribute", i32 2, i32 0, i32 89, i32 6}
