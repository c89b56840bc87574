; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=inline-functions,verify %s | FileCheck %s

; What rounds is constrained already; the rest must not become so.
; CHECK-LABEL: define <2 x float> @caller(<2 x float> %x) #0
; CHECK: call <2 x float> @llvm.maxnum.v2f32(
; CHECK: call <2 x float> @llvm.experimental.constrained.fadd.v2f32({{.*}}, metadata !"round.towardzero", metadata !"fpexcept.ignore")
; CHECK-NOT: constrained
; CHECK: ret <2 x float>
; CHECK: attributes #0 = { strictfp
define internal <2 x float> @callee(<2 x float> %x) alwaysinline strictfp {
  %m = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %x, <2 x float> zeroinitializer)
  %s = call <2 x float> @llvm.experimental.constrained.fadd.v2f32(<2 x float> %m, <2 x float> %x, metadata !"round.towardzero", metadata !"fpexcept.ignore") strictfp
  ret <2 x float> %s
}

define <2 x float> @caller(<2 x float> %x) strictfp {
  %r = call <2 x float> @callee(<2 x float> %x)
  ret <2 x float> %r
}

declare <2 x float> @llvm.maxnum.v2f32(<2 x float>, <2 x float>)
declare <2 x float> @llvm.experimental.constrained.fadd.v2f32(<2 x float>, <2 x float>, metadata, metadata)
