; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Built-ins of states that pipelines do not have are reported by name.
; RUN: not %opt -passes=lower-fragment-inputs %s 2>&1 | FileCheck %s --check-prefix=COVERED
; RUN: sed s/5264/4444/ %s | not %opt -passes=lower-fragment-inputs - 2>&1 | FileCheck %s --check-prefix=RATE
; RUN: sed s/5264/5292/ %s | not %opt -passes=lower-fragment-inputs - 2>&1 | FileCheck %s --check-prefix=SIZE
; RUN: sed s/5264/5293/ %s | not %opt -passes=lower-fragment-inputs - 2>&1 | FileCheck %s --check-prefix=COUNT

; COVERED: error: built-in FullyCovered in a fragment shader: no pipeline state has conservative rasterization
; RATE: error: built-in ShadingRate in a fragment shader: no pipeline state has fragment shading rates
; SIZE: error: built-in FragSize in a fragment shader: no pipeline state has fragment density maps
; COUNT: error: built-in FragInvocationCount in a fragment shader: no pipeline state has fragment density maps

declare i32 @lgc.read.stage.built.in(i32, i32)

define void @main() !lgc.stage !0 {
  %value = call i32 @lgc.read.stage.built.in(i32 5264, i32 0)
  store volatile i32 %value, ptr addrspace(1) null
  ret void
}

!0 = !{i32 7, i32 0}
!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1030"}
