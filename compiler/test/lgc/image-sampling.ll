; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Every dimension on every target: what queries, sampling and gathering say of it.
; DEFINE: %{target} = gfx900
; DEFINE: %{prefix} = GFX9
; DEFINE: %{compile} = sed s/gfx1100/%{target}/ %s | %opt -mcpu=%{target} -passes=lower-image - | %llc -O2 -mcpu=%{target} | FileCheck %s --check-prefixes=CHECK,%{prefix}
; RUN: %{compile}
; REDEFINE: %{prefix} = GFX10
; REDEFINE: %{target} = gfx1010
; RUN: %{compile}
; REDEFINE: %{target} = gfx1030
; RUN: %{compile}
; REDEFINE: %{target} = gfx1100
; RUN: %{compile}
; REDEFINE: %{target} = gfx1150
; RUN: %{compile}
; REDEFINE: %{target} = gfx1201
; RUN: %{compile}

declare <4 x i32> @lgc.image.query.size(i32, i32, <8 x i32>, i32)
declare <4 x float> @lgc.image.sample.v4f32(i32, i32, <8 x i32>, <4 x i32>, <4 x float>, float, <3 x float>, <3 x float>, i32, float, float)
declare <4 x float> @lgc.image.gather.v4f32(i32, i32, i32, <8 x i32>, <4 x i32>, <4 x float>, i32, float, float)

; CHECK-LABEL: sampled_1d:
; GFX9-DAG: image_get_resinfo v{{.*}} unorm{{( a16)?}}{{$}}
; GFX10-DAG: image_get_resinfo v{{.*}} dim:SQ_RSRC_IMG_1D{{( .*)?$}}
; GFX9-DAG: image_sample_l v{{.*}} dmask:0xf{{$}}
; GFX10-DAG: image_sample_l v{{.*}} dmask:0xf dim:SQ_RSRC_IMG_1D{{$}}
define amdgpu_cs <4 x float> @sampled_1d(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c, float %lod) {
  %q = call <4 x i32> @lgc.image.query.size(i32 0, i32 0, <8 x i32> %t, i32 0)
  %f = uitofp <4 x i32> %q to <4 x float>
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 0, i32 4, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %r = fadd <4 x float> %a, %f
  ret <4 x float> %r
}

; CHECK-LABEL: sampled_2d:
; GFX9-DAG: image_get_resinfo v{{.*}} unorm{{( a16)?}}{{$}}
; GFX10-DAG: image_get_resinfo v{{.*}} dim:SQ_RSRC_IMG_2D{{( .*)?$}}
; GFX9-DAG: image_sample_l v{{.*}} dmask:0xf{{$}}
; GFX10-DAG: image_sample_l v{{.*}} dmask:0xf dim:SQ_RSRC_IMG_2D{{$}}
; GFX9-DAG: image_gather4_lz v{{.*}} dmask:0x8{{$}}
; GFX10-DAG: image_gather4_lz v{{.*}} dmask:0x8 dim:SQ_RSRC_IMG_2D{{$}}
define amdgpu_cs <4 x float> @sampled_2d(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c, float %lod) {
  %q = call <4 x i32> @lgc.image.query.size(i32 1, i32 0, <8 x i32> %t, i32 0)
  %f = uitofp <4 x i32> %q to <4 x float>
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 1, i32 4, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %r = fadd <4 x float> %a, %f
  %g = call <4 x float> @lgc.image.gather.v4f32(i32 1, i32 0, i32 3, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, i32 poison, float poison, float poison)
  %r2 = fadd <4 x float> %r, %g
  ret <4 x float> %r2
}

; CHECK-LABEL: sampled_3d:
; GFX9-DAG: image_get_resinfo v{{.*}} unorm{{( a16)?}}{{$}}
; GFX10-DAG: image_get_resinfo v{{.*}} dim:SQ_RSRC_IMG_3D{{( .*)?$}}
; GFX9-DAG: image_sample_l v{{.*}} dmask:0xf{{$}}
; GFX10-DAG: image_sample_l v{{.*}} dmask:0xf dim:SQ_RSRC_IMG_3D{{$}}
define amdgpu_cs <4 x float> @sampled_3d(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c, float %lod) {
  %q = call <4 x i32> @lgc.image.query.size(i32 2, i32 0, <8 x i32> %t, i32 0)
  %f = uitofp <4 x i32> %q to <4 x float>
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 2, i32 4, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %r = fadd <4 x float> %a, %f
  ret <4 x float> %r
}

; CHECK-LABEL: sampled_cube:
; GFX9-DAG: image_get_resinfo v{{.*}} unorm{{( a16)?}} da{{$}}
; GFX10-DAG: image_get_resinfo v{{.*}} dim:SQ_RSRC_IMG_CUBE{{( .*)?$}}
; GFX9-DAG: image_sample_l v{{.*}} dmask:0xf da{{$}}
; GFX10-DAG: image_sample_l v{{.*}} dmask:0xf dim:SQ_RSRC_IMG_CUBE{{$}}
; GFX9-DAG: image_gather4_lz v{{.*}} dmask:0x8 da{{$}}
; GFX10-DAG: image_gather4_lz v{{.*}} dmask:0x8 dim:SQ_RSRC_IMG_CUBE{{$}}
define amdgpu_cs <4 x float> @sampled_cube(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c, float %lod) {
  %q = call <4 x i32> @lgc.image.query.size(i32 3, i32 0, <8 x i32> %t, i32 0)
  %f = uitofp <4 x i32> %q to <4 x float>
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 3, i32 4, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %r = fadd <4 x float> %a, %f
  %g = call <4 x float> @lgc.image.gather.v4f32(i32 3, i32 0, i32 3, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, i32 poison, float poison, float poison)
  %r2 = fadd <4 x float> %r, %g
  ret <4 x float> %r2
}

; CHECK-LABEL: sampled_1darray:
; GFX9-DAG: image_get_resinfo v{{.*}} unorm{{( a16)?}} da{{$}}
; GFX10-DAG: image_get_resinfo v{{.*}} dim:SQ_RSRC_IMG_1D_ARRAY{{( .*)?$}}
; GFX9-DAG: image_sample_l v{{.*}} dmask:0xf da{{$}}
; GFX10-DAG: image_sample_l v{{.*}} dmask:0xf dim:SQ_RSRC_IMG_1D_ARRAY{{$}}
define amdgpu_cs <4 x float> @sampled_1darray(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c, float %lod) {
  %q = call <4 x i32> @lgc.image.query.size(i32 4, i32 0, <8 x i32> %t, i32 0)
  %f = uitofp <4 x i32> %q to <4 x float>
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 4, i32 4, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %r = fadd <4 x float> %a, %f
  ret <4 x float> %r
}

; CHECK-LABEL: sampled_2darray:
; GFX9-DAG: image_get_resinfo v{{.*}} unorm{{( a16)?}} da{{$}}
; GFX10-DAG: image_get_resinfo v{{.*}} dim:SQ_RSRC_IMG_2D_ARRAY{{( .*)?$}}
; GFX9-DAG: image_sample_l v{{.*}} dmask:0xf da{{$}}
; GFX10-DAG: image_sample_l v{{.*}} dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY{{$}}
; GFX9-DAG: image_gather4_lz v{{.*}} dmask:0x8 da{{$}}
; GFX10-DAG: image_gather4_lz v{{.*}} dmask:0x8 dim:SQ_RSRC_IMG_2D_ARRAY{{$}}
define amdgpu_cs <4 x float> @sampled_2darray(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c, float %lod) {
  %q = call <4 x i32> @lgc.image.query.size(i32 5, i32 0, <8 x i32> %t, i32 0)
  %f = uitofp <4 x i32> %q to <4 x float>
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 5, i32 4, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %r = fadd <4 x float> %a, %f
  %g = call <4 x float> @lgc.image.gather.v4f32(i32 5, i32 0, i32 3, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, i32 poison, float poison, float poison)
  %r2 = fadd <4 x float> %r, %g
  ret <4 x float> %r2
}

; CHECK-LABEL: sampled_cubearray:
; GFX9-DAG: image_get_resinfo v{{.*}} unorm{{( a16)?}} da{{$}}
; GFX10-DAG: image_get_resinfo v{{.*}} dim:SQ_RSRC_IMG_CUBE{{( .*)?$}}
; GFX9-DAG: image_sample_l v{{.*}} dmask:0xf da{{$}}
; GFX10-DAG: image_sample_l v{{.*}} dmask:0xf dim:SQ_RSRC_IMG_CUBE{{$}}
; GFX9-DAG: image_gather4_lz v{{.*}} dmask:0x8 da{{$}}
; GFX10-DAG: image_gather4_lz v{{.*}} dmask:0x8 dim:SQ_RSRC_IMG_CUBE{{$}}
define amdgpu_cs <4 x float> @sampled_cubearray(<8 x i32> inreg %t, <4 x i32> inreg %s, <4 x float> %c, float %lod) {
  %q = call <4 x i32> @lgc.image.query.size(i32 6, i32 0, <8 x i32> %t, i32 0)
  %f = uitofp <4 x i32> %q to <4 x float>
  %a = call <4 x float> @lgc.image.sample.v4f32(i32 6, i32 4, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, float %lod, <3 x float> poison, <3 x float> poison, i32 poison, float poison, float poison)
  %r = fadd <4 x float> %a, %f
  %g = call <4 x float> @lgc.image.gather.v4f32(i32 6, i32 0, i32 3, <8 x i32> %t, <4 x i32> %s, <4 x float> %c, i32 poison, float poison, float poison)
  %r2 = fadd <4 x float> %r, %g
  ret <4 x float> %r2
}

!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1100"}
