; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-subgroups %s | FileCheck %s
; RUN: sed 's/"gfx1100"/"gfx900"/; s/i32 32}/i32 64}/' %s | %opt -passes=lower-subgroups - | FileCheck %s --check-prefix=GFX9
; RUN: sed 's/"gfx1100"/"gfx1030"/; s/i32 32}/i32 64}/' %s | %opt -passes=lower-subgroups - | FileCheck %s --check-prefix=GFX10W64
; RUN: sed 's/i32 32}/i32 64}/' %s | %opt -passes=lower-subgroups - | FileCheck %s --check-prefix=GFX11W64
; RUN: sed 's/"gfx1100"/"gfx1201"/; s/i32 32}/i32 64}/' %s | %opt -passes=lower-subgroups - | FileCheck %s --check-prefix=GFX12W64
; RUN: sed 's/i32 12, i32 8/i32 99, i32 8/' %s | not %opt -passes=lower-subgroups - 2>&1 | FileCheck %s --check-prefix=BAD
; RUN: sed 's/i32 12, i32 8/i32 12, i32 6/' %s | not %opt -passes=lower-subgroups - 2>&1 | FileCheck %s --check-prefix=BADSIZE

; BAD: error: subgroup operation 99 does not exist with this type
; BADSIZE: error: a cluster of 6

declare <4 x i32> @lgc.subgroup.ballot(i1)
declare i32 @lgc.subgroup.count.below(<4 x i32>)
declare i64 @lgc.subgroup.broadcast.first.i64(i64)
declare i32 @lgc.subgroup.shuffle.i32(i32, i32)
declare i32 @lgc.subgroup.shuffle.xor.i32(i32, i32)
declare half @lgc.subgroup.quad.permute.f16(half, i32)
declare i32 @lgc.subgroup.reduce.i32(i32, i32, i32)
declare float @lgc.subgroup.scan.f32(float, i32, i1)

; CHECK-LABEL: define <4 x i32> @ballot(
; CHECK: [[B:%.*]] = call i32 @llvm.amdgcn.ballot.i32(i1 %p)
; CHECK: insertelement <4 x i32> zeroinitializer, i32 [[B]], i64 0
; GFX9-LABEL: define <4 x i32> @ballot(
; GFX9: [[B:%.*]] = call i64 @llvm.amdgcn.ballot.i64(i1 %p)
; GFX9: [[H:%.*]] = lshr i64 [[B]], 32
; GFX9: [[T:%.*]] = trunc i64 [[H]] to i32
; GFX9: insertelement <4 x i32> {{%.*}}, i32 [[T]], i64 1
define <4 x i32> @ballot(i1 %p) {
  %b = call <4 x i32> @lgc.subgroup.ballot(i1 %p)
  ret <4 x i32> %b
}

; The wave32 form looks at one word.
; CHECK-LABEL: define i32 @countBelow(
; CHECK: call i32 @llvm.amdgcn.mbcnt.lo(
; CHECK-NOT: mbcnt.hi
; GFX9-LABEL: define i32 @countBelow(
; GFX9: call i32 @llvm.amdgcn.mbcnt.lo(
; GFX9: call i32 @llvm.amdgcn.mbcnt.hi(
define i32 @countBelow(<4 x i32> %m) {
  %n = call i32 @lgc.subgroup.count.below(<4 x i32> %m)
  ret i32 %n
}

; Dwords are moved one by one.
; CHECK-LABEL: define i64 @first(
; CHECK-COUNT-2: call i32 @llvm.amdgcn.readfirstlane.i32(
define i64 @first(i64 %v) {
  %f = call i64 @lgc.subgroup.broadcast.first.i64(i64 %v)
  ret i64 %f
}

; CHECK-LABEL: define half @quad(
; CHECK: [[Z:%.*]] = zext i16 {{%.*}} to i32
; CHECK: call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 [[Z]], i32 177, i32 15, i32 15, i1 false)
define half @quad(half %v) {
  %q = call half @lgc.subgroup.quad.permute.f16(half %v, i32 177)
  ret half %q
}

; Where a permutation reaches only half of the wave, the halves are exchanged, in all lanes; where
; they can't be, each lane that is read has its turn.
; CHECK-LABEL: define i32 @shuffle(
; CHECK: [[A:%.*]] = shl i32 %lane, 2
; CHECK: [[P:%.*]] = call i32 @llvm.amdgcn.ds.bpermute(i32 [[A]], i32 %v)
; CHECK: ret i32 [[P]]
; GFX9-LABEL: define i32 @shuffle(
; GFX9: call i32 @llvm.amdgcn.ds.bpermute(
; GFX9-NEXT: ret i32
; GFX12W64-LABEL: define i32 @shuffle(
; GFX12W64: call i32 @llvm.amdgcn.ds.bpermute(
; GFX12W64-NEXT: ret i32
; GFX11W64-LABEL: define i32 @shuffle(
; GFX11W64: call i32 @llvm.amdgcn.set.inactive.i32(i32 %v, i32 0)
; GFX11W64: call i32 @llvm.amdgcn.set.inactive.i32(i32 %lane, i32 0)
; GFX11W64: call i32 @llvm.amdgcn.permlane64.i32(
; GFX11W64: call i32 @llvm.amdgcn.strict.wwm.i32(
; GFX11W64: select i1
; GFX10W64-LABEL: define i32 @shuffle(
; GFX10W64: call i64 @llvm.amdgcn.ballot.i64(i1 true)
; GFX10W64: shuffle:
; GFX10W64: [[W:%.*]] = call i32 @llvm.amdgcn.readlane.i32(i32 %lane,
; GFX10W64: call i32 @llvm.amdgcn.readlane.i32(i32 %v, i32 [[W]])
; GFX10W64: br i1 {{%.*}}, label %shuffle, label
define i32 @shuffle(i32 %v, i32 %lane) {
  %s = call i32 @lgc.subgroup.shuffle.i32(i32 %v, i32 %lane)
  ret i32 %s
}

; A shuffle of what another one gives, which is replaced before.
; GFX10W64-LABEL: define i32 @shuffleTwice(
; GFX10W64: [[FIRST:%.*]] = select i1
; GFX10W64: shuffle{{[0-9]*}}:
; GFX10W64: call i32 @llvm.amdgcn.readlane.i32(i32 [[FIRST]],
define i32 @shuffleTwice(i32 %v, i32 %lane) {
  %s = call i32 @lgc.subgroup.shuffle.i32(i32 %v, i32 %lane)
  %t = call i32 @lgc.subgroup.shuffle.i32(i32 %s, i32 %lane)
  ret i32 %t
}

; CHECK-LABEL: define i32 @shuffleXor(
; CHECK: call i32 @llvm.amdgcn.ds.swizzle(i32 %v, i32 5151)
define i32 @shuffleXor(i32 %v) {
  %s = call i32 @lgc.subgroup.shuffle.xor.i32(i32 %v, i32 5)
  ret i32 %s
}

; Three steps make eight; the rest of the wave does not matter.
; CHECK-LABEL: define i32 @clusters(
; CHECK: call i32 @llvm.amdgcn.set.inactive.i32(i32 %v, i32 0)
; CHECK: call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 {{%.*}}, i32 177,
; CHECK: call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 {{%.*}}, i32 78,
; CHECK: call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 {{%.*}}, i32 321,
; CHECK-NOT: update.dpp
; CHECK: call i32 @llvm.amdgcn.strict.wwm.i32(
define i32 @clusters(i32 %v) {
  %r = call i32 @lgc.subgroup.reduce.i32(i32 %v, i32 12, i32 8)
  ret i32 %r
}

; Inactive lanes hold -0.0; the first active lane gets +0.0.
; CHECK-LABEL: define float @scan(
; CHECK: call i32 @llvm.amdgcn.set.inactive.i32(i32 {{%.*}}, i32 -2147483648)
; CHECK-COUNT-4: call i32 @llvm.amdgcn.update.dpp.i32(
; CHECK: call i32 @llvm.amdgcn.permlanex16.i32({{.*}}, i32 -1, i32 -1, i1 false, i1 false)
; CHECK: i32 228, i32 10, i32 15, i1 false)
; CHECK: call i32 @llvm.amdgcn.writelane.i32(i32 {{%.*}}, i32 16,
; CHECK: call i32 @llvm.amdgcn.strict.wwm.i32(
; CHECK: call i32 @llvm.amdgcn.ballot.i32(i1 true)
; CHECK: select i1 {{%.*}}, float 0.000000e+00, float
; GFX9-LABEL: define float @scan(
; GFX9: i32 322, i32 10, i32 15, i1 false)
; GFX9: i32 323, i32 12, i32 15, i1 false)
; GFX9: i32 312, i32 15, i32 15, i1 false)
; GFX9-NOT: writelane
define float @scan(float %v) {
  %s = call float @lgc.subgroup.scan.f32(float %v, i32 1, i1 true)
  ret float %s
}

!lgc.pipeline.state = !{!0, !1}
!0 = !{!"target", !"gfx1100"}
!1 = !{!"wave-size", i32 32}
