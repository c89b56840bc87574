; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; What becomes of image ops in machine code, for every target, wave size and level: the dimension that
; the T# must agree with, and one try per descriptor where descriptors differ among lanes.
; DEFINE: %{target} = gfx900
; DEFINE: %{wave} = 64
; DEFINE: %{level} = 0
; DEFINE: %{prefix} = GFX9
; DEFINE: %{compile} = sed -e s/gfx1100/%{target}/ -e 's/i32 99/i32 %{wave}/' %s | %opt -mcpu=%{target} -passes=middle-end-o%{level} - | %llc -O%{level} -mcpu=%{target} | FileCheck %s --check-prefixes=CHECK,%{prefix}
; RUN: %{compile}
; REDEFINE: %{level} = 2
; RUN: %{compile}
; REDEFINE: %{prefix} = GFX10
; REDEFINE: %{target} = gfx1030
; RUN: %{compile}
; REDEFINE: %{wave} = 32
; RUN: %{compile}
; REDEFINE: %{target} = gfx1100
; RUN: %{compile}
; REDEFINE: %{level} = 0
; RUN: %{compile}
; REDEFINE: %{target} = gfx1030
; RUN: %{compile}
; REDEFINE: %{prefix} = GFX12
; REDEFINE: %{target} = gfx1201
; RUN: %{compile}
; REDEFINE: %{level} = 2
; RUN: %{compile}

declare ptr addrspace(4) @lgc.descriptor.ptr(i32, i32, i32, i32)
declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)
declare i32 @lgc.read.built.in.i32(i32)
declare <4 x float> @lgc.image.load.v4f32(i32, i32, <8 x i32>, <4 x i32>, i32)
declare void @lgc.image.store(i32, i32, <8 x i32>, <4 x i32>, <4 x i32>)
declare <4 x float> @lgc.image.sample.v4f32(i32, i32, <8 x i32>, <4 x i32>, <4 x float>, float, <3 x float>, <3 x float>, i32, float, float)
declare i32 @lgc.image.atomic.i32(i32, i32, i32, <8 x i32>, <4 x i32>, i32, i32)
declare void @lgc.texel.store(i32, <4 x i32>, i32, <4 x i32>)

; CHECK-LABEL: _amdgpu_cs_main:
define void @main() !lgc.compute.mode !0 {
  %i = call i32 @lgc.read.built.in.i32(i32 4)
  %c = insertelement <4 x i32> poison, i32 %i, i32 0
  %c1 = insertelement <4 x i32> %c, i32 1, i32 1
  %c2 = insertelement <4 x i32> %c1, i32 2, i32 2
  %cf = sitofp <4 x i32> %c2 to <4 x float>

; A storage cube is a 2D array.
; CHECK: s_load_{{dwordx8|b256}}
; GFX9: image_load v[{{.*}} dmask:0xf unorm da
; GFX10: image_load v[{{.*}} dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm
; GFX12: image_load v[{{.*}} dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY
  %p0 = call ptr addrspace(4) @lgc.descriptor.ptr(i32 0, i32 0, i32 0, i32 0)
  %t0 = load <8 x i32>, ptr addrspace(4) %p0, align 4, !invariant.load !9
  %a = call <4 x float> @lgc.image.load.v4f32(i32 3, i32 64, <8 x i32> %t0, <4 x i32> %c2, i32 poison)
  %ai = bitcast <4 x float> %a to <4 x i32>
  fence syncscope("agent") seq_cst

; Combined images and samplers that the lane chooses: a loop.
; CHECK: v_readfirstlane_b32
; CHECK: s_and_saveexec
; GFX9: image_sample_l
; GFX10: image_sample_l {{.*}} dim:SQ_RSRC_IMG_1D_ARRAY
; GFX12: image_sample_l {{.*}} dim:SQ_RSRC_IMG_1D_ARRAY
; CHECK: s_cbranch_execnz
  %p1 = call ptr addrspace(4) @lgc.descriptor.ptr(i32 0, i32 1, i32 0, i32 %i)
  %t1 = load <8 x i32>, ptr addrspace(4) %p1, align 4, !invariant.load !9
  %p2 = call ptr addrspace(4) @lgc.descriptor.ptr(i32 0, i32 1, i32 1, i32 %i)
  %s1 = load <4 x i32>, ptr addrspace(4) %p2, align 4, !invariant.load !9
  %b = call <4 x float> @lgc.image.sample.v4f32(i32 4, i32 4, <8 x i32> %t1, <4 x i32> %s1, <4 x float> %cf, float 1.5, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %bi = bitcast <4 x float> %b to <4 x i32>
  %sum = add <4 x i32> %ai, %bi
  fence syncscope("agent") seq_cst

; CHECK: buffer_store_format_xyzw {{.*}} idxen
  %p3 = call ptr addrspace(4) @lgc.descriptor.ptr(i32 0, i32 2, i32 0, i32 0)
  %v3 = load <4 x i32>, ptr addrspace(4) %p3, align 4, !invariant.load !9
  call void @lgc.texel.store(i32 64, <4 x i32> %v3, i32 %i, <4 x i32> %sum)
  fence syncscope("agent") seq_cst

; GFX9: image_atomic_or v{{.*}} glc
; GFX10: image_atomic_or v{{.*}} dim:SQ_RSRC_IMG_3D unorm glc
; GFX12: image_atomic_or v{{.*}} dim:SQ_RSRC_IMG_3D th:TH_ATOMIC_RETURN scope:SCOPE_DEV
  %old = call i32 @lgc.image.atomic.i32(i32 2, i32 64, i32 8, <8 x i32> %t0, <4 x i32> %c2, i32 4, i32 poison)
  %texel = insertelement <4 x i32> %sum, i32 %old, i32 0
  fence syncscope("agent") seq_cst

; CHECK: image_store v[{{.*}} dmask:0xf
  call void @lgc.image.store(i32 1, i32 64, <8 x i32> %t0, <4 x i32> %c1, <4 x i32> %texel)
; CHECK: s_endpgm
  ret void
}

!0 = !{i32 64, i32 1, i32 1}
!9 = !{}
!lgc.pipeline.state = !{!1, !2, !3, !4, !5, !6}
!1 = !{!"target", !"gfx1100"}
!2 = !{!"wave-size", i32 99}
!3 = !{!"table", i32 0, i32 0, i32 60}
!4 = !{!"node", i32 0, i32 0, i32 1, i32 0, i32 8, i32 2}
!5 = !{!"node", i32 0, i32 1, i32 4, i32 8, i32 12, i32 4}
!6 = !{!"node", i32 0, i32 2, i32 1, i32 56, i32 4, i32 1}
