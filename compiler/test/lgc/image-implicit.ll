; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Implicit levels, biases, least levels, residency and the query of levels in pixel shaders, on every target. Instructions that
; need neighbours run for whole quads.
; DEFINE: %{target} = gfx900
; DEFINE: %{compile} = sed s/gfx1100/%{target}/ %s | %opt -mcpu=%{target} -passes=lower-image - | %llc -O2 -mcpu=%{target} | FileCheck %s
; RUN: %{compile}
; REDEFINE: %{target} = gfx1030
; RUN: %{compile}
; REDEFINE: %{target} = gfx1100
; RUN: %{compile}
; REDEFINE: %{target} = gfx1201
; RUN: %{compile}

declare <4 x float> @lgc.image.sample.v4f32(i32, i32, <8 x i32>, <4 x i32>, <4 x float>, float, <3 x float>, <3 x float>, i32, float, float)
declare { <4 x float>, i32 } @lgc.image.sample.sv4f32i32(i32, i32, <8 x i32>, <4 x i32>, <4 x float>, float, <3 x float>, <3 x float>, i32, float, float)
declare <4 x float> @lgc.image.gather.v4f32(i32, i32, i32, <8 x i32>, <4 x i32>, <4 x float>, i32, float, float)
declare <2 x float> @lgc.image.query.lod(i32, <8 x i32>, <4 x i32>, <4 x float>)

; CHECK-LABEL: implicit:
; CHECK: s_wqm_b
; CHECK-DAG: image_sample v
; CHECK-DAG: image_sample_b v
; CHECK-DAG: image_sample_b_cl_o v
; CHECK-DAG: image_sample_c_d_cl v
define amdgpu_ps <4 x float> @implicit(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c, float %x) {
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 1, i32 1024, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float poison, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %b = call <4 x float> @lgc.image.sample.v4f32(i32 1, i32 1536, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %x, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %d = call <4 x float> @lgc.image.sample.v4f32(i32 5, i32 3600, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %x, <3 x float> poison, <3 x float> poison, i32 257, float poison, float %x)
  %e = call <4 x float> @lgc.image.sample.v4f32(i32 1, i32 2088, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float poison, <3 x float> zeroinitializer, <3 x float> splat (float 1.0), i32 poison, float %x, float %x)
  %ab = fadd <4 x float> %a, %b
  %de = fadd <4 x float> %d, %e
  %r = fadd <4 x float> %ab, %de
  ret <4 x float> %r
}

; Residency is a fifth dword.
; CHECK-LABEL: sparse:
; CHECK: image_sample{{(_lz)?}} v{{.*}} dmask:0xf{{.*}} tfe
define amdgpu_ps <4 x float> @sparse(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c) {
  %both = call { <4 x float>, i32 } @lgc.image.sample.sv4f32i32(i32 1, i32 5120, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float poison, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %texel = extractvalue { <4 x float>, i32 } %both, 0
  %code = extractvalue { <4 x float>, i32 } %both, 1
  %missing = icmp ne i32 %code, 0
  %r = select i1 %missing, <4 x float> zeroinitializer, <4 x float> %texel
  ret <4 x float> %r
}

; CHECK-LABEL: levels:
; CHECK-DAG: image_get_lod v{{.*}} dmask:0x3
; CHECK-DAG: image_gather4_b v{{.*}} dmask:0x4
; CHECK-DAG: image_gather4_l v{{.*}} dmask:0x1
define amdgpu_ps <4 x float> @levels(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c, float %x) {
  %l = call <2 x float> @lgc.image.query.lod(i32 2, <8 x i32> %t, <4 x i32> %s, <4 x float> %c)
  %g = call <4 x float> @lgc.image.gather.v4f32(i32 1, i32 1536, i32 2, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, i32 poison, float poison, float %x)
  %h = call <4 x float> @lgc.image.gather.v4f32(i32 1, i32 4, i32 0, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, i32 poison, float poison, float %x)
  %wide = shufflevector <2 x float> %l, <2 x float> zeroinitializer, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %gh = fadd <4 x float> %g, %h
  %r = fadd <4 x float> %gh, %wide
  ret <4 x float> %r
}

!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1100"}
