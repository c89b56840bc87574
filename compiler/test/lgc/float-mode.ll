; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The float controls of a shader: what is left open gets the default; rounding toward zero is set at
; the entry, and no pass of LLVM's sets it back before an operation on f16 or f64.
; RUN: split-file %s %t
; RUN: %opt -passes=mutate-entry-point %t/toward-zero.ll | FileCheck %s --check-prefix=TOWARD-ZERO
; RUN: %opt -passes=mutate-entry-point %t/denormals.ll | FileCheck %s --check-prefix=DENORMALS
; RUN: %opt -passes=mutate-entry-point %t/toward-zero.ll | %llc -mcpu=gfx900 | FileCheck %s --check-prefix=MODE

; TOWARD-ZERO-LABEL: define amdgpu_cs void @_amdgpu_cs_main
; TOWARD-ZERO-NEXT: call void @llvm.amdgcn.s.setreg(i32 6145, i32 12)
; TOWARD-ZERO: attributes {{.*}} strictfp {{.*}}"denormal-fp-math"="ieee,ieee" "denormal-fp-math-f32"="preserve-sign,preserve-sign" {{.*}}"lgc-toward-zero-f16-f64"

; DENORMALS-NOT: s.setreg
; DENORMALS: "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee"

; MODE: s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 12
; MODE-NOT: s_setreg
; MODE: v_add_f64

;--- toward-zero.ll
define void @main() #0 !lgc.compute.mode !0 {
  %x = load volatile double, ptr addrspace(1) null
  %sum = call double @llvm.experimental.constrained.fadd.f64(double %x, double 0.1, metadata !"round.towardzero", metadata !"fpexcept.ignore") strictfp
  store volatile double %sum, ptr addrspace(1) null
  ret void
}

attributes #0 = { nounwind strictfp "lgc-toward-zero-f16-f64" }

!0 = !{i32 8, i32 1, i32 1}
!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx900"}
;--- denormals.ll
define void @main() #0 !lgc.compute.mode !0 {
  ret void
}

attributes #0 = { nounwind "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" }

!0 = !{i32 8, i32 1, i32 1}
!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx900"}
