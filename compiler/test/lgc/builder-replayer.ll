; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=builder-replayer %s | FileCheck %s

declare float @lgc.fdiv.f32(float, float)
declare <2 x float> @lgc.fdiv.v2f32(<2 x float>, <2 x float>)
declare float @lgc.fmod.f32(float, float)
declare <2 x float> @lgc.inverse.sqrt.v2f32(<2 x float>)
declare float @lgc.fract.f32(float)
declare float @lgc.fclamp.f32(float, float, float)
declare float @lgc.sin.f32(float)
declare float @lgc.cos.f32(float)
declare float @lgc.exp2.f32(float)
declare float @lgc.log2.f32(float)
declare i32 @lgc.smod.i32(i32, i32)
declare i32 @lgc.extract.bit.field.i32(i32, i32, i32, i1)
declare i64 @lgc.extract.bit.field.i64(i64, i32, i32, i1)
declare <2 x i32> @lgc.insert.bit.field.v2i32(<2 x i32>, <2 x i32>, i32, i32)
declare i32 @lgc.find.msb.i32(i32, i1)
declare void @lgc.barrier()
declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)

; CHECK-LABEL: @division(
; CHECK: %q = call nnan float @lgc.fdiv.f32(float %x, float %y)
; CHECK: call <2 x float> @lgc.fdiv.v2f32(<2 x float> %v, <2 x float> %v)
; CHECK: [[Q:%.*]] = call float @lgc.fdiv.f32(float %x, float %y)
; CHECK: [[F:%.*]] = call float @llvm.floor.f32(float [[Q]])
; CHECK: [[P:%.*]] = fmul float %y, [[F]]
; CHECK: %m = fsub float %x, [[P]]
define { float, <2 x float>, float } @division(float %x, float %y, <2 x float> %v) {
  %q = call nnan float @lgc.fdiv.f32(float %x, float %y)
  %r = call <2 x float> @lgc.fdiv.v2f32(<2 x float> %v, <2 x float> %v)
  %m = call float @lgc.fmod.f32(float %x, float %y)
  %s0 = insertvalue { float, <2 x float>, float } poison, float %q, 0
  %s1 = insertvalue { float, <2 x float>, float } %s0, <2 x float> %r, 1
  %s2 = insertvalue { float, <2 x float>, float } %s1, float %m, 2
  ret { float, <2 x float>, float } %s2
}

; CHECK-LABEL: @functions(
; CHECK: call <2 x float> @lgc.inverse.sqrt.v2f32(
; CHECK: call float @lgc.fract.f32(
; CHECK: [[MAX:%.*]] = call float @llvm.maxnum.f32(float %x, float %y)
; CHECK: call float @llvm.minnum.f32(float [[MAX]], float 1.0{{.*}})
; CHECK: call float @llvm.sin.f32
; CHECK: call float @llvm.cos.f32
; CHECK: call float @llvm.exp2.f32
; CHECK: call float @llvm.log2.f32
; CHECK: call void @lgc.barrier()
define <2 x float> @functions(<2 x float> %v, float %x, float %y) {
  %s = call <2 x float> @lgc.inverse.sqrt.v2f32(<2 x float> %v)
  %a = call float @lgc.fract.f32(float %x)
  %b = call float @lgc.fclamp.f32(float %x, float %y, float 1.0)
  %c = call float @lgc.sin.f32(float %a)
  %d = call float @lgc.cos.f32(float %c)
  %e = call float @lgc.exp2.f32(float %d)
  %f = call float @lgc.log2.f32(float %e)
  call void @lgc.barrier()
  %r0 = insertelement <2 x float> %s, float %f, i32 0
  %r1 = insertelement <2 x float> %r0, float %b, i32 1
  ret <2 x float> %r1
}

; CHECK-LABEL: @integers(
; CHECK: srem i32 %x, %y
; CHECK: %b = call i32 @lgc.extract.bit.field.i32(i32 %a, i32 %x, i32 %y, i1 true)
; CHECK: or <2 x i32>
; CHECK: icmp ugt i32 %y, 31
; CHECK: %c = select i1
; CHECK: [[Z:%.*]] = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
; CHECK: sub i32 31, [[Z]]
; CHECK: [[S:%.*]] = ashr i32 %x, 31
; CHECK: xor i32 %x, [[S]]
define <2 x i32> @integers(i32 %x, i32 %y, <2 x i32> %v) {
  %a = call i32 @lgc.smod.i32(i32 %x, i32 %y)
  %b = call i32 @lgc.extract.bit.field.i32(i32 %a, i32 %x, i32 %y, i1 true)
  %c = call <2 x i32> @lgc.insert.bit.field.v2i32(<2 x i32> %v, <2 x i32> %v, i32 %b, i32 %y)
  %d = call i32 @lgc.find.msb.i32(i32 %x, i1 false)
  %e = call i32 @lgc.find.msb.i32(i32 %x, i1 true)
  %r0 = insertelement <2 x i32> %c, i32 %d, i32 0
  %r1 = insertelement <2 x i32> %r0, i32 %e, i32 1
  ret <2 x i32> %r1
}

; Widths that no architecture has an instruction for.
; CHECK-LABEL: @wideField(
; CHECK-NOT: @lgc.
; CHECK: ashr i64
; CHECK-NOT: @lgc.
define i64 @wideField(i64 %x, i32 %y) {
  %a = call i64 @lgc.extract.bit.field.i64(i64 %x, i32 %y, i32 %y, i1 true)
  ret i64 %a
}

; What needs the pipeline's state or an architecture stays an op.
; CHECK-LABEL: @kept(
; CHECK: call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 1, i32 0)
; CHECK-NOT: declare float @lgc.fmod
; CHECK-NOT: declare float @lgc.sin
define ptr addrspace(7) @kept() {
  %b = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 1, i32 0)
  ret ptr addrspace(7) %b
}
