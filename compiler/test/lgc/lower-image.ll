; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; DEFINE: %{target} = gfx1100
; DEFINE: %{prefix} = GFX11
; DEFINE: %{lower} = sed s/gfx1100/%{target}/ %s | %opt -passes=lower-image - | FileCheck %s --check-prefixes=CHECK,%{prefix}
; RUN: %{lower}
; REDEFINE: %{target} = gfx900
; REDEFINE: %{prefix} = GFX9
; RUN: %{lower}
; REDEFINE: %{target} = gfx1030
; REDEFINE: %{prefix} = GFX10
; RUN: %{lower}
; REDEFINE: %{target} = gfx1201
; REDEFINE: %{prefix} = GFX12
; RUN: %{lower}
; RUN: sed 's/lgc.image.load.v4f32(i32 0, i32 64/lgc.image.load.v4f32(i32 10, i32 64/' %s | not %opt -passes=lower-image - 2>&1 | FileCheck %s --check-prefix=BAD
; RUN: sed 's/lgc.image.load.v4f32(i32 0, i32 64/lgc.image.load.v4f32(i32 0, i32 8192/' %s | not %opt -passes=lower-image - 2>&1 | FileCheck %s --check-prefix=BAD
; BAD: error: lgc.image.load.v4f32: an operand of no meaning

declare <4 x float> @lgc.image.load.v4f32(i32, i32, <8 x i32>, <4 x i32>, i32)
declare <4 x i32> @lgc.image.load.v4i32(i32, i32, <8 x i32>, <4 x i32>, i32)
declare <4 x i64> @lgc.image.load.v4i64(i32, i32, <8 x i32>, <4 x i32>, i32)
declare void @lgc.image.store(i32, i32, <8 x i32>, <4 x i32>, <4 x i32>)
declare <4 x float> @lgc.image.sample.v4f32(i32, i32, <8 x i32>, <4 x i32>, <4 x float>, float, <3 x float>, <3 x float>, i32, float, float)
declare float @lgc.image.sample.f32(i32, i32, <8 x i32>, <4 x i32>, <4 x float>, float, <3 x float>, <3 x float>, i32, float, float)
declare <4 x float> @lgc.image.gather.v4f32(i32, i32, i32, <8 x i32>, <4 x i32>, <4 x float>, i32, float, float)
declare i32 @lgc.image.atomic.i32(i32, i32, i32, <8 x i32>, <4 x i32>, i32, i32)
declare i64 @lgc.image.atomic.i64(i32, i32, i32, <8 x i32>, <4 x i32>, i64, i64)
declare float @lgc.image.atomic.f32(i32, i32, i32, <8 x i32>, <4 x i32>, float, float)
declare <4 x i32> @lgc.image.query.size(i32, i32, <8 x i32>, i32)
declare i32 @lgc.image.query.samples(<8 x i32>)
declare <4 x float> @lgc.texel.load.v4f32(i32, <4 x i32>, i32)
declare <4 x i64> @lgc.texel.load.v4i64(i32, <4 x i32>, i32)
declare void @lgc.texel.store(i32, <4 x i32>, i32, <4 x i32>)
declare i32 @lgc.texel.atomic.i32(i32, i32, <4 x i32>, i32, i32, i32)
declare float @lgc.texel.atomic.f32(i32, i32, <4 x i32>, i32, float, float)
declare i32 @lgc.texel.count(<4 x i32>)

; Each dimension takes as many coordinates as it has; cubes are layers; levels where asked for.
; CHECK-LABEL: define void @loads(
define void @loads(<8 x i32> %t, <4 x i32> %c, i32 %lod, ptr %p) {
; CHECK: call <4 x float> @llvm.amdgcn.image.load.1d.v4f32.i32.v8i32(i32 15, i32 {{%.*}}, <8 x i32> %t, i32 0, i32 0)
  %d1 = call <4 x float> @lgc.image.load.v4f32(i32 0, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
; CHECK: call <4 x float> @llvm.amdgcn.image.load.mip.2d.v4f32.i32.v8i32(i32 15, i32 {{%.*}}, i32 {{%.*}}, i32 %lod, <8 x i32> %t, i32 0, i32 0)
  %d2 = call <4 x float> @lgc.image.load.v4f32(i32 1, i32 4, <8 x i32> %t, <4 x i32> %c, i32 %lod)
; CHECK: call <4 x float> @llvm.amdgcn.image.load.3d.
  %d3 = call <4 x float> @lgc.image.load.v4f32(i32 2, i32 0, <8 x i32> %t, <4 x i32> %c, i32 poison)
; CHECK: [[FACE:%.*]] = extractelement <4 x i32> %c, i64 2
; CHECK: call <4 x float> @llvm.amdgcn.image.load.2darray.{{.*}}i32 [[FACE]], <8 x i32> %t
  %d4 = call <4 x float> @lgc.image.load.v4f32(i32 3, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
; CHECK: call <4 x float> @llvm.amdgcn.image.load.1darray.
  %d5 = call <4 x float> @lgc.image.load.v4f32(i32 4, i32 0, <8 x i32> %t, <4 x i32> %c, i32 poison)
; CHECK: call <4 x float> @llvm.amdgcn.image.load.mip.2darray.
  %d6 = call <4 x float> @lgc.image.load.v4f32(i32 5, i32 4, <8 x i32> %t, <4 x i32> %c, i32 %lod)
; CHECK: call <4 x float> @llvm.amdgcn.image.load.2darray.
  %d7 = call <4 x float> @lgc.image.load.v4f32(i32 6, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
; CHECK: call <4 x float> @llvm.amdgcn.image.load.2dmsaa.{{.*}}(i32 15, i32 {{%.*}}, i32 {{%.*}}, i32 {{%.*}}, <8 x i32> %t, i32 0, i32 0)
  %d8 = call <4 x float> @lgc.image.load.v4f32(i32 7, i32 0, <8 x i32> %t, <4 x i32> %c, i32 poison)
; CHECK: call <4 x float> @llvm.amdgcn.image.load.2darraymsaa.{{.*}}(i32 15, i32 {{%.*}}, i32 {{%.*}}, i32 {{%.*}}, i32 {{%.*}}, <8 x i32> %t
  %d9 = call <4 x float> @lgc.image.load.v4f32(i32 8, i32 0, <8 x i32> %t, <4 x i32> %c, i32 poison)
; A 64-bit texel is two dwords, with the components of a format that lacks them after it.
; CHECK: [[BITS:%.*]] = call <2 x i32> @llvm.amdgcn.image.load.2d.v2i32.i32.v8i32(i32 3,
; CHECK: [[WIDE:%.*]] = bitcast <2 x i32> [[BITS]] to i64
; CHECK: insertelement <4 x i64> <i64 0, i64 0, i64 0, i64 1>, i64 [[WIDE]], i64 0
  %wide = call <4 x i64> @lgc.image.load.v4i64(i32 1, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  store <4 x i64> %wide, ptr %p
  ret void
}

; CHECK-LABEL: define void @policies(
define void @policies(<8 x i32> %t, <4 x i32> %b, <4 x i32> %c, <4 x i32> %v, i32 %i) {
; GFX9: image.load.2d.{{.*}}i32 0, i32 1)
; GFX10: image.load.2d.{{.*}}i32 0, i32 5)
; GFX11: image.load.2d.{{.*}}i32 0, i32 1)
; GFX12: image.load.2d.{{.*}}i32 0, i32 16)
  %k = call <4 x i32> @lgc.image.load.v4i32(i32 1, i32 65, <8 x i32> %t, <4 x i32> %c, i32 poison)
; Volatile accesses stay where they are, however alike.
; CHECK: fence syncscope("singlethread") seq_cst
; GFX9: image.load.2d.{{.*}}i32 0, i32 1)
; GFX10: image.load.2d.{{.*}}i32 0, i32 5)
; GFX11: image.load.2d.{{.*}}i32 0, i32 5)
; GFX12: image.load.2d.{{.*}}i32 0, i32 24)
; CHECK: fence syncscope("singlethread") seq_cst
  %w = call <4 x i32> @lgc.image.load.v4i32(i32 1, i32 66, <8 x i32> %t, <4 x i32> %c, i32 poison)
; CHECK: [[F:%.*]] = bitcast <4 x i32> %v to <4 x float>
; GFX9: image.store.2d.{{.*}}(<4 x float> [[F]], i32 15, {{.*}}i32 0, i32 0)
; GFX10: image.store.2d.{{.*}}(<4 x float> [[F]], i32 15, {{.*}}i32 0, i32 0)
; GFX11: image.store.2d.{{.*}}(<4 x float> [[F]], i32 15, {{.*}}i32 0, i32 0)
; GFX12: image.store.2d.{{.*}}(<4 x float> [[F]], i32 15, {{.*}}i32 0, i32 16)
  call void @lgc.image.store(i32 1, i32 65, <8 x i32> %t, <4 x i32> %c, <4 x i32> %v)
; GFX9: struct.buffer.load.format.v4f32(<4 x i32> %b, i32 %i, i32 0, i32 0, i32 1)
; GFX10: struct.buffer.load.format.v4f32(<4 x i32> %b, i32 %i, i32 0, i32 0, i32 5)
; GFX12: struct.buffer.load.format.v4f32(<4 x i32> %b, i32 %i, i32 0, i32 0, i32 16)
  %tb = call <4 x float> @lgc.texel.load.v4f32(i32 65, <4 x i32> %b, i32 %i)
; CHECK: struct.buffer.store.format.v4i32(<4 x i32> %v, <4 x i32> %b, i32 %i, i32 0, i32 0, i32 0)
  call void @lgc.texel.store(i32 64, <4 x i32> %b, i32 %i, <4 x i32> %v)
  ret void
}

; CHECK-LABEL: define void @samples(
define void @samples(<8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> %dx, <3 x float> %dy, i32 %o, float %ref) {
; CHECK: call <4 x float> @llvm.amdgcn.image.sample.lz.1d.v4f32.f32.v8i32.v4i32(i32 15, float {{%.*}}, <8 x i32> %t, <4 x i32> %s, i1 false, i32 0, i32 0)
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 0, i32 0, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float poison, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
; CHECK: call <4 x float> @llvm.amdgcn.image.sample.l.3d.{{.*}}float %lod, <8 x i32> %t
  %b = call <4 x float> @lgc.image.sample.v4f32(i32 2, i32 4, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
; Layers are rounded.
; CHECK: [[L:%.*]] = extractelement <4 x float> %c, i64 1
; CHECK: [[R:%.*]] = call float @llvm.rint.f32(float [[L]])
; CHECK: call <4 x float> @llvm.amdgcn.image.sample.l.o.1darray.{{.*}}(i32 15, i32 %o, float {{%.*}}, float [[R]], float %lod,
  %d = call <4 x float> @lgc.image.sample.v4f32(i32 4, i32 20, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> poison, <3 x float> poison, i32 %o, float poison, float poison)
; CHECK: [[DX0:%.*]] = extractelement <3 x float> %dx, i64 0
; CHECK: [[DX1:%.*]] = extractelement <3 x float> %dx, i64 1
; CHECK: [[DY0:%.*]] = extractelement <3 x float> %dy, i64 0
; CHECK: [[DY1:%.*]] = extractelement <3 x float> %dy, i64 1
; CHECK: call float @llvm.amdgcn.image.sample.c.d.o.2d.{{.*}}(i32 1, i32 %o, float %ref, float [[DX0]], float [[DX1]], float [[DY0]], float [[DY1]],
  %e = call float @lgc.image.sample.f32(i32 1, i32 56, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float poison, <3 x float> %dx, <3 x float> %dy, i32 %o, float %ref, float poison)
; CHECK: call <4 x float> @llvm.amdgcn.image.gather4.lz.2d.{{.*}}(i32 4,
  %f = call <4 x float> @lgc.image.gather.v4f32(i32 1, i32 0, i32 2, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, i32 poison, float poison, float poison)
; CHECK: call <4 x float> @llvm.amdgcn.image.gather4.c.lz.o.2darray.{{.*}}(i32 1, i32 %o, float %ref,
  %g = call <4 x float> @lgc.image.gather.v4f32(i32 5, i32 48, i32 0, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, i32 %o, float %ref, float poison)
  ret void
}

; A direction becomes a place in [1, 2] on a face; eight faces are counted for each cube.
; CHECK-LABEL: define void @cubes(
define void @cubes(<8 x i32> %t, <4 x i32> %s, <4 x float> %c, <3 x float> %dx, <3 x float> %dy) {
; CHECK: [[ID:%.*]] = call float @llvm.amdgcn.cubeid(
; CHECK: [[MA:%.*]] = call float @llvm.amdgcn.cubema(
; CHECK: [[ABS:%.*]] = call float @llvm.fabs.f32(float [[MA]])
; CHECK: [[RCP:%.*]] = call float @llvm.amdgcn.rcp.f32(float [[ABS]])
; CHECK: [[SC:%.*]] = call float @llvm.amdgcn.cubesc(
; CHECK: [[S:%.*]] = fmul float [[SC]], [[RCP]]
; CHECK: [[TC:%.*]] = call float @llvm.amdgcn.cubetc(
; CHECK: [[T:%.*]] = fmul float [[TC]], [[RCP]]
; CHECK: [[LAYER:%.*]] = call float @llvm.rint.f32(
; CHECK: [[FIRST:%.*]] = fmul float [[LAYER]], 8.000000e+00
; CHECK: [[FACE:%.*]] = fadd float [[FIRST]], [[ID]]
; CHECK: [[S2:%.*]] = fadd float [[S]], 1.500000e+00
; CHECK: [[T2:%.*]] = fadd float [[T]], 1.500000e+00
; CHECK: image.sample.lz.cube.{{.*}}(i32 15, float [[S2]], float [[T2]], float [[FACE]],
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 6, i32 0, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float poison, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
; Four derivatives, on the face.
; CHECK: image.sample.d.cube.v4f32.f32.f32.v8i32.v4i32(i32 15, float {{%.*}}, float {{%.*}}, float {{%.*}}, float {{%.*}}, float {{%.*}}, float {{%.*}}, float {{%.*}}, <8 x i32> %t
  %b = call <4 x float> @lgc.image.sample.v4f32(i32 3, i32 8, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float poison, <3 x float> %dx, <3 x float> %dy, i32 poison, float poison, float poison)
  ret void
}

; CHECK-LABEL: define float @atomics(
define float @atomics(<8 x i32> %t, <4 x i32> %b, <4 x i32> %c, i32 %i, i32 %x, i64 %w, float %f) {
; GFX9: call i32 @llvm.amdgcn.image.atomic.add.2d.i32.i32.v8i32(i32 %x, {{.*}}, <8 x i32> %t, i32 0, i32 0)
; GFX12: call i32 @llvm.amdgcn.image.atomic.add.2d.i32.i32.v8i32(i32 %x, {{.*}}, <8 x i32> %t, i32 0, i32 16)
  %a = call i32 @lgc.image.atomic.i32(i32 1, i32 64, i32 1, <8 x i32> %t, <4 x i32> %c, i32 %x, i32 poison)
; CHECK: call i32 @llvm.amdgcn.image.atomic.cmpswap.2darray.{{.*}}(i32 %x, i32 %i,
  %d = call i32 @lgc.image.atomic.i32(i32 3, i32 64, i32 10, <8 x i32> %t, <4 x i32> %c, i32 %x, i32 %i)
; CHECK: call i64 @llvm.amdgcn.image.atomic.umax.3d.i64.
  %e = call i64 @lgc.image.atomic.i64(i32 2, i32 64, i32 6, <8 x i32> %t, <4 x i32> %c, i64 %w, i64 poison)
; CHECK: call i32 @llvm.amdgcn.struct.buffer.atomic.smin.i32(i32 %x, <4 x i32> %b, i32 %i, i32 0, i32 0,
  %g = call i32 @lgc.texel.atomic.i32(i32 64, i32 3, <4 x i32> %b, i32 %i, i32 %x, i32 poison)
; CHECK: call float @llvm.amdgcn.image.atomic.swap.2d.f32.
  %h = call float @lgc.image.atomic.f32(i32 1, i32 64, i32 0, <8 x i32> %t, <4 x i32> %c, float %f, float poison)
; What the target lacks is a loop.
; GFX9: struct.buffer.load.format.i32(<4 x i32> %b, i32 %i, i32 0, i32 0, i32 1)
; GFX10: struct.buffer.load.format.i32(<4 x i32> %b, i32 %i, i32 0, i32 0, i32 5)
; GFX11: call float @llvm.amdgcn.struct.buffer.atomic.fadd.f32(float %f, <4 x i32> %b, i32 %i, i32 0, i32 0, i32 0)
; GFX12: call float @llvm.amdgcn.struct.buffer.atomic.fadd.f32(float %f, <4 x i32> %b, i32 %i, i32 0, i32 0, i32 16)
  %j = call float @lgc.texel.atomic.f32(i32 64, i32 11, <4 x i32> %b, i32 %i, float %f, float poison)
; GFX11: [[FIRST:%.*]] = call i32 @llvm.amdgcn.image.load.2d.i32.i32.v8i32(i32 1,
; GFX11: [[OLD:%.*]] = phi i32 [ [[FIRST]], {{%.*}} ], [ [[FOUND:%.*]], %exchange ]
; GFX11: [[OLDF:%.*]] = bitcast i32 [[OLD]] to float
; GFX11: [[SUM:%.*]] = fadd float [[OLDF]], %f
; GFX11: [[NEW:%.*]] = bitcast float [[SUM]] to i32
; GFX11: [[FOUND]] = call i32 @llvm.amdgcn.image.atomic.cmpswap.2d.{{.*}}(i32 [[NEW]], i32 [[OLD]],
; GFX11: icmp eq i32 [[FOUND]], [[OLD]]
; GFX11: bitcast i32 [[FOUND]] to float
; GFX12: call float @llvm.amdgcn.image.atomic.add.flt.2d.f32.
  %k = call float @lgc.image.atomic.f32(i32 1, i32 64, i32 11, <8 x i32> %t, <4 x i32> %c, float %f, float poison)
; GFX9: call float @llvm.minnum.f32(
; GFX9: image.atomic.cmpswap.2d.
; GFX12: call float @llvm.amdgcn.image.atomic.min.flt.2d.f32.
  %l = call float @lgc.image.atomic.f32(i32 1, i32 64, i32 12, <8 x i32> %t, <4 x i32> %c, float %f, float poison)
; GFX11: call float @llvm.maxnum.f32(
; GFX11: struct.buffer.atomic.cmpswap.i32(
; GFX12: call float @llvm.amdgcn.struct.buffer.atomic.fmax.f32(
  %m = call float @lgc.texel.atomic.f32(i32 64, i32 13, <4 x i32> %b, i32 %i, float %f, float poison)
  %sum = fadd float %j, %k
  %sum2 = fadd float %l, %m
  %sum3 = fadd float %sum, %sum2
  ret float %sum3
}

; CHECK-LABEL: define <4 x i32> @queries(
define <4 x i32> @queries(<8 x i32> %t, <4 x i32> %b, i32 %lod) {
; CHECK: call <4 x float> @llvm.amdgcn.image.getresinfo.2d.v4f32.i32.v8i32(i32 15, i32 %lod, <8 x i32> %t, i32 0, i32 0)
  %a = call <4 x i32> @lgc.image.query.size(i32 1, i32 0, <8 x i32> %t, i32 %lod)
; Faces are counted; of a storage image, too, which is no cube to the hardware.
; CHECK: image.getresinfo.cube.
; CHECK: [[FACES:%.*]] = extractelement <4 x i32> {{%.*}}, i64 2
; CHECK: udiv i32 [[FACES]], 6
  %c = call <4 x i32> @lgc.image.query.size(i32 6, i32 0, <8 x i32> %t, i32 %lod)
; CHECK: image.getresinfo.2darray.
; CHECK: udiv i32 {{%.*}}, 6
  %d = call <4 x i32> @lgc.image.query.size(i32 6, i32 64, <8 x i32> %t, i32 0)
; CHECK: [[DWORD:%.*]] = extractelement <8 x i32> %t, i64 3
; GFX9: [[FIELD:%.*]] = lshr i32 [[DWORD]], 16
; GFX11: [[FIELD:%.*]] = lshr i32 [[DWORD]], 16
; GFX9: [[LOG:%.*]] = and i32 [[FIELD]], 15
; GFX12: [[FIELD:%.*]] = lshr i32 [[DWORD]], 15
; GFX12: [[LOG:%.*]] = and i32 [[FIELD]], 31
; CHECK: shl i32 1, {{%.*}}
  %e = call i32 @lgc.image.query.samples(<8 x i32> %t)
; CHECK: extractelement <4 x i32> %b, i64 2
  %f = call i32 @lgc.texel.count(<4 x i32> %b)
  %g = add <4 x i32> %a, %c
  %h = add <4 x i32> %g, %d
  %i = insertelement <4 x i32> %h, i32 %e, i32 0
  %j = insertelement <4 x i32> %i, i32 %f, i32 1
  ret <4 x i32> %j
}

!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1100"}
