; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Attributes of an unlinked vertex shader are in VGPRs, which its glue loads.
; RUN: %opt -passes=lower-vertex-fetch,mutate-stage-entry-point %s | FileCheck %s
; RUN: sed s/gfx1030/gfx1100/ %s | %opt -passes=lower-vertex-fetch,mutate-stage-entry-point - | FileCheck %s --check-prefix=G11
; RUN: sed -e 's/i32 128}/i32 0}/' -e 's/ !lgc/ "amdgpu-glue"="268435456 268435471 268435459 268435460" !lgc/' -e 's/store.*red.*null/call void @lgc.write.output(i32 1, i32 0, i32 0, i32 1, i32 %red)/' %s | %opt -passes=lower-vertex-fetch,mutate-stage-entry-point - | FileCheck %s --check-prefix=GLUE

declare i32 @lgc.read.input(i32, i32, i32, i32)
declare void @lgc.write.output(i32, i32, i32, i32, i32)

; CHECK: define amdgpu_vs void @_amdgpu_vs_main(i32 inreg %0, i32 inreg %1, i32 inreg %2, i32 inreg %3, i32 %vertexId, i32 %unused1, i32 %primitiveId, i32 %instanceId, i32 %value)
; CHECK-NOT: tbuffer
; CHECK: store volatile i32 %value
; G11: i32 %vertexId, i32 %unused6, i32 %unused7, i32 %instanceId, i32 %value)
; The glue passes on all registers, also one that may hold the offset of scratch memory.
; GLUE: define amdgpu_vs { i32, i32, i32, i32, i32, float, float, float, float, float } @_amdgpu_vs_main(i32 inreg %0, i32 inreg %1, i32 inreg %2, i32 inreg %3, i32 inreg %scratchOffset, i32 %vertexId, i32 %unused1, i32 %primitiveId, i32 %instanceId)
; GLUE: call <4 x i32> @llvm.amdgcn.struct.tbuffer.load.v4i32
; GLUE: ret { i32, i32, i32, i32, i32, float, float, float, float, float }
define void @main() !lgc.stage !0 {
  %red = call i32 @lgc.read.input(i32 1, i32 3, i32 0, i32 1)
  store volatile i32 %red, ptr addrspace(1) null
  ret void
}

!0 = !{i32 1, i32 0}
!lgc.pipeline.state = !{!1, !2, !3, !4}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"graphics", i32 3, i32 1, i32 128}
!3 = !{!"vertex-binding", i32 0, i32 16, i32 0, i32 1}
!4 = !{!"vertex-attribute", i32 1, i32 0, i32 109, i32 0}
!amdgpu.stage = !{!5}
!5 = !{!"positions", i32 1}
