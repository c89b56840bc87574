; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-arithmetic %s | FileCheck %s

declare float @lgc.fdiv.f32(float, float)
declare <2 x float> @lgc.fdiv.v2f32(<2 x float>, <2 x float>)
declare double @lgc.fdiv.f64(double, double)
declare <2 x float> @lgc.inverse.sqrt.v2f32(<2 x float>)
declare double @lgc.inverse.sqrt.f64(double)
declare float @lgc.inverse.sqrt.f32(float)
declare float @lgc.fract.f32(float)
declare i32 @lgc.extract.bit.field.i32(i32, i32, i32, i1)
declare i32 @lgc.buffer.ptr.difference(ptr addrspace(7), ptr addrspace(7))
declare <2 x half> @lgc.fptrunc.v2f16(<2 x float>, i1)
declare half @lgc.fptrunc.f16(float, i1)
declare float @lgc.fptrunc.f32(double, i1)

; CHECK-LABEL: @division(
; CHECK: [[R:%.*]] = call nnan float @llvm.amdgcn.rcp.f32(float %y)
; CHECK: %q = fmul nnan float %x, [[R]]
; CHECK-COUNT-2: call float @llvm.amdgcn.rcp.f32
; CHECK: fmul <2 x float> %v,
define { float, <2 x float> } @division(float %x, float %y, <2 x float> %v) {
  %q = call nnan float @lgc.fdiv.f32(float %x, float %y)
  %r = call <2 x float> @lgc.fdiv.v2f32(<2 x float> %v, <2 x float> %v)
  %s0 = insertvalue { float, <2 x float> } poison, float %q, 0
  %s1 = insertvalue { float, <2 x float> } %s0, <2 x float> %r, 1
  ret { float, <2 x float> } %s1
}

; What the reciprocal is not good for is left to LLVM.
; CHECK-LABEL: @exactDivision(
; CHECK: fdiv double %x, %x
define double @exactDivision(double %x) {
  %q = call double @lgc.fdiv.f64(double %x, double %x)
  ret double %q
}

; CHECK-LABEL: @divisionTowardZero(
; CHECK: fdiv float %x, %x
define float @divisionTowardZero(float %x) "lgc-toward-zero-f32" strictfp {
  %q = call float @lgc.fdiv.f32(float %x, float %x)
  ret float %q
}

; CHECK-LABEL: @functions(
; CHECK-COUNT-2: call float @llvm.amdgcn.rsq.f32
; CHECK: [[ROOT:%.*]] = call double @llvm.sqrt.f64(double %d)
; CHECK: fdiv double 1.0{{.*}}, [[ROOT]]
; CHECK: call float @llvm.amdgcn.fract.f32
define { <2 x float>, double, float } @functions(<2 x float> %v, double %d, float %x) {
  %s = call <2 x float> @lgc.inverse.sqrt.v2f32(<2 x float> %v)
  %t = call double @lgc.inverse.sqrt.f64(double %d)
  %f = call float @lgc.fract.f32(float %x)
  %s0 = insertvalue { <2 x float>, double, float } poison, <2 x float> %s, 0
  %s1 = insertvalue { <2 x float>, double, float } %s0, double %t, 1
  %s2 = insertvalue { <2 x float>, double, float } %s1, float %f, 2
  ret { <2 x float>, double, float } %s2
}

; CHECK-LABEL: @rootOfDenormals(
; CHECK: fcmp olt float
; CHECK: [[SCALED:%.*]] = fmul float %x,
; CHECK: [[ROOT:%.*]] = call float @llvm.amdgcn.rsq.f32(float [[SCALED]])
; CHECK: fmul float [[ROOT]],
define float @rootOfDenormals(float %x) "denormal-fp-math-f32"="ieee,ieee" {
  %r = call float @lgc.inverse.sqrt.f32(float %x)
  ret float %r
}

; CHECK-LABEL: @field(
; CHECK: [[F:%.*]] = call i32 @llvm.amdgcn.sbfe.i32(i32 %a, i32 %x, i32 %y)
; CHECK: [[W:%.*]] = icmp ugt i32 %y, 31
; CHECK: %b = select i1 [[W]], i32 %a, i32 [[F]]
define i32 @field(i32 %a, i32 %x, i32 %y) {
  %b = call i32 @lgc.extract.bit.field.i32(i32 %a, i32 %x, i32 %y, i1 true)
  ret i32 %b
}

; LLVM would compare the offsets alone.
; CHECK-LABEL: @pointers(
; CHECK: xor i160
; CHECK: [[ANY:%.*]] = call i32 @llvm.vector.reduce.or.v5i32(
; CHECK: call i32 @llvm.amdgcn.perm(i32 [[ANY]], i32 [[ANY]], i32 50462976)
define i32 @pointers(ptr addrspace(7) %p, ptr addrspace(7) %q) {
  %d = call i32 @lgc.buffer.ptr.difference(ptr addrspace(7) %p, ptr addrspace(7) %q)
  ret i32 %d
}

; CHECK-LABEL: @halvesTowardZero(
; CHECK-COUNT-2: call <2 x half> @llvm.amdgcn.cvt.pkrtz(
; CHECK-NOT: s.setreg
; CHECK: ret
define <2 x half> @halvesTowardZero(<2 x float> %x) {
  %h = call <2 x half> @lgc.fptrunc.v2f16(<2 x float> %x, i1 true)
  ret <2 x half> %h
}

; The mode of the shader is another.
; CHECK-LABEL: @halfToNearest(
; CHECK: call void @llvm.amdgcn.s.setreg(i32 2177, i32 0)
; CHECK: constrained.fptrunc.f16.f32(float %x, metadata !"round.tonearest"
; CHECK: call void @llvm.amdgcn.s.setreg(i32 2177, i32 3)
define half @halfToNearest(float %x) "lgc-toward-zero-f16-f64" strictfp {
  %h = call half @lgc.fptrunc.f16(float %x, i1 false)
  ret half %h
}

; CHECK-LABEL: @floatTowardZero(
; CHECK-NOT: s.setreg
; CHECK: constrained.fptrunc.f32.f64(double %x, metadata !"round.towardzero"
; CHECK-NOT: s.setreg
; CHECK: ret
define float @floatTowardZero(double %x) "lgc-toward-zero-f16-f64" strictfp {
  %f = call float @lgc.fptrunc.f32(double %x, i1 true)
  ret float %f
}
