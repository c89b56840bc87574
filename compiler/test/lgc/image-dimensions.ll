; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Every dimension on every target: what loads, stores and atomics say of it.
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

declare <4 x float> @lgc.image.load.v4f32(i32, i32, <8 x i32>, <4 x i32>, i32)
declare void @lgc.image.store(i32, i32, <8 x i32>, <4 x i32>, <4 x i32>)
declare i32 @lgc.image.atomic.i32(i32, i32, i32, <8 x i32>, <4 x i32>, i32, i32)

; CHECK-LABEL: texels_1d:
; GFX9: image_load v[{{[0-9:]+}}], v{{.*}} dmask:0xf unorm{{$}}
; GFX10: image_load v[{{[0-9:]+}}], {{.*}} dim:SQ_RSRC_IMG_1D{{( unorm)?$}}
; GFX9: image_atomic_umin v{{.*}} unorm glc{{$}}
; GFX10: image_atomic_{{umin|min_uint}} v{{.*}} dim:SQ_RSRC_IMG_1D {{unorm glc|th:TH_ATOMIC_RETURN scope:SCOPE_DEV}}{{$}}
; GFX9: image_store v{{.*}} dmask:0xf unorm{{$}}
; GFX10: image_store v{{.*}} dim:SQ_RSRC_IMG_1D{{( unorm)?$}}
define amdgpu_cs <4 x float> @texels_1d(<8 x i32> inreg %t, <4 x i32> %c, <4 x i32> %v) {
  %a = call <4 x float> @lgc.image.load.v4f32(i32 0, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  %b = call i32 @lgc.image.atomic.i32(i32 0, i32 64, i32 4, <8 x i32> %t, <4 x i32> %c, i32 7, i32 poison)
  %w = insertelement <4 x i32> %v, i32 %b, i32 0
  call void @lgc.image.store(i32 0, i32 64, <8 x i32> %t, <4 x i32> %c, <4 x i32> %w)
  ret <4 x float> %a
}

; CHECK-LABEL: texels_2d:
; GFX9: image_load v[{{[0-9:]+}}], v{{.*}} dmask:0xf unorm{{$}}
; GFX10: image_load v[{{[0-9:]+}}], {{.*}} dim:SQ_RSRC_IMG_2D{{( unorm)?$}}
; GFX9: image_atomic_umin v{{.*}} unorm glc{{$}}
; GFX10: image_atomic_{{umin|min_uint}} v{{.*}} dim:SQ_RSRC_IMG_2D {{unorm glc|th:TH_ATOMIC_RETURN scope:SCOPE_DEV}}{{$}}
; GFX9: image_store v{{.*}} dmask:0xf unorm{{$}}
; GFX10: image_store v{{.*}} dim:SQ_RSRC_IMG_2D{{( unorm)?$}}
define amdgpu_cs <4 x float> @texels_2d(<8 x i32> inreg %t, <4 x i32> %c, <4 x i32> %v) {
  %a = call <4 x float> @lgc.image.load.v4f32(i32 1, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  %b = call i32 @lgc.image.atomic.i32(i32 1, i32 64, i32 4, <8 x i32> %t, <4 x i32> %c, i32 7, i32 poison)
  %w = insertelement <4 x i32> %v, i32 %b, i32 0
  call void @lgc.image.store(i32 1, i32 64, <8 x i32> %t, <4 x i32> %c, <4 x i32> %w)
  ret <4 x float> %a
}

; CHECK-LABEL: texels_3d:
; GFX9: image_load v[{{[0-9:]+}}], v{{.*}} dmask:0xf unorm{{$}}
; GFX10: image_load v[{{[0-9:]+}}], {{.*}} dim:SQ_RSRC_IMG_3D{{( unorm)?$}}
; GFX9: image_atomic_umin v{{.*}} unorm glc{{$}}
; GFX10: image_atomic_{{umin|min_uint}} v{{.*}} dim:SQ_RSRC_IMG_3D {{unorm glc|th:TH_ATOMIC_RETURN scope:SCOPE_DEV}}{{$}}
; GFX9: image_store v{{.*}} dmask:0xf unorm{{$}}
; GFX10: image_store v{{.*}} dim:SQ_RSRC_IMG_3D{{( unorm)?$}}
define amdgpu_cs <4 x float> @texels_3d(<8 x i32> inreg %t, <4 x i32> %c, <4 x i32> %v) {
  %a = call <4 x float> @lgc.image.load.v4f32(i32 2, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  %b = call i32 @lgc.image.atomic.i32(i32 2, i32 64, i32 4, <8 x i32> %t, <4 x i32> %c, i32 7, i32 poison)
  %w = insertelement <4 x i32> %v, i32 %b, i32 0
  call void @lgc.image.store(i32 2, i32 64, <8 x i32> %t, <4 x i32> %c, <4 x i32> %w)
  ret <4 x float> %a
}

; CHECK-LABEL: texels_cube:
; GFX9: image_load v[{{[0-9:]+}}], v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_load v[{{[0-9:]+}}], {{.*}} dim:SQ_RSRC_IMG_2D_ARRAY{{( unorm)?$}}
; GFX9: image_atomic_umin v{{.*}} unorm glc da{{$}}
; GFX10: image_atomic_{{umin|min_uint}} v{{.*}} dim:SQ_RSRC_IMG_2D_ARRAY {{unorm glc|th:TH_ATOMIC_RETURN scope:SCOPE_DEV}}{{$}}
; GFX9: image_store v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_store v{{.*}} dim:SQ_RSRC_IMG_2D_ARRAY{{( unorm)?$}}
define amdgpu_cs <4 x float> @texels_cube(<8 x i32> inreg %t, <4 x i32> %c, <4 x i32> %v) {
  %a = call <4 x float> @lgc.image.load.v4f32(i32 3, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  %b = call i32 @lgc.image.atomic.i32(i32 3, i32 64, i32 4, <8 x i32> %t, <4 x i32> %c, i32 7, i32 poison)
  %w = insertelement <4 x i32> %v, i32 %b, i32 0
  call void @lgc.image.store(i32 3, i32 64, <8 x i32> %t, <4 x i32> %c, <4 x i32> %w)
  ret <4 x float> %a
}

; CHECK-LABEL: texels_1darray:
; GFX9: image_load v[{{[0-9:]+}}], v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_load v[{{[0-9:]+}}], {{.*}} dim:SQ_RSRC_IMG_1D_ARRAY{{( unorm)?$}}
; GFX9: image_atomic_umin v{{.*}} unorm glc da{{$}}
; GFX10: image_atomic_{{umin|min_uint}} v{{.*}} dim:SQ_RSRC_IMG_1D_ARRAY {{unorm glc|th:TH_ATOMIC_RETURN scope:SCOPE_DEV}}{{$}}
; GFX9: image_store v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_store v{{.*}} dim:SQ_RSRC_IMG_1D_ARRAY{{( unorm)?$}}
define amdgpu_cs <4 x float> @texels_1darray(<8 x i32> inreg %t, <4 x i32> %c, <4 x i32> %v) {
  %a = call <4 x float> @lgc.image.load.v4f32(i32 4, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  %b = call i32 @lgc.image.atomic.i32(i32 4, i32 64, i32 4, <8 x i32> %t, <4 x i32> %c, i32 7, i32 poison)
  %w = insertelement <4 x i32> %v, i32 %b, i32 0
  call void @lgc.image.store(i32 4, i32 64, <8 x i32> %t, <4 x i32> %c, <4 x i32> %w)
  ret <4 x float> %a
}

; CHECK-LABEL: texels_2darray:
; GFX9: image_load v[{{[0-9:]+}}], v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_load v[{{[0-9:]+}}], {{.*}} dim:SQ_RSRC_IMG_2D_ARRAY{{( unorm)?$}}
; GFX9: image_atomic_umin v{{.*}} unorm glc da{{$}}
; GFX10: image_atomic_{{umin|min_uint}} v{{.*}} dim:SQ_RSRC_IMG_2D_ARRAY {{unorm glc|th:TH_ATOMIC_RETURN scope:SCOPE_DEV}}{{$}}
; GFX9: image_store v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_store v{{.*}} dim:SQ_RSRC_IMG_2D_ARRAY{{( unorm)?$}}
define amdgpu_cs <4 x float> @texels_2darray(<8 x i32> inreg %t, <4 x i32> %c, <4 x i32> %v) {
  %a = call <4 x float> @lgc.image.load.v4f32(i32 5, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  %b = call i32 @lgc.image.atomic.i32(i32 5, i32 64, i32 4, <8 x i32> %t, <4 x i32> %c, i32 7, i32 poison)
  %w = insertelement <4 x i32> %v, i32 %b, i32 0
  call void @lgc.image.store(i32 5, i32 64, <8 x i32> %t, <4 x i32> %c, <4 x i32> %w)
  ret <4 x float> %a
}

; CHECK-LABEL: texels_cubearray:
; GFX9: image_load v[{{[0-9:]+}}], v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_load v[{{[0-9:]+}}], {{.*}} dim:SQ_RSRC_IMG_2D_ARRAY{{( unorm)?$}}
; GFX9: image_atomic_umin v{{.*}} unorm glc da{{$}}
; GFX10: image_atomic_{{umin|min_uint}} v{{.*}} dim:SQ_RSRC_IMG_2D_ARRAY {{unorm glc|th:TH_ATOMIC_RETURN scope:SCOPE_DEV}}{{$}}
; GFX9: image_store v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_store v{{.*}} dim:SQ_RSRC_IMG_2D_ARRAY{{( unorm)?$}}
define amdgpu_cs <4 x float> @texels_cubearray(<8 x i32> inreg %t, <4 x i32> %c, <4 x i32> %v) {
  %a = call <4 x float> @lgc.image.load.v4f32(i32 6, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  %b = call i32 @lgc.image.atomic.i32(i32 6, i32 64, i32 4, <8 x i32> %t, <4 x i32> %c, i32 7, i32 poison)
  %w = insertelement <4 x i32> %v, i32 %b, i32 0
  call void @lgc.image.store(i32 6, i32 64, <8 x i32> %t, <4 x i32> %c, <4 x i32> %w)
  ret <4 x float> %a
}

; CHECK-LABEL: texels_2dmsaa:
; GFX9: image_load v[{{[0-9:]+}}], v{{.*}} dmask:0xf unorm{{$}}
; GFX10: image_load v[{{[0-9:]+}}], {{.*}} dim:SQ_RSRC_IMG_2D_MSAA{{( unorm)?$}}
; GFX9: image_atomic_umin v{{.*}} unorm glc{{$}}
; GFX10: image_atomic_{{umin|min_uint}} v{{.*}} dim:SQ_RSRC_IMG_2D_MSAA {{unorm glc|th:TH_ATOMIC_RETURN scope:SCOPE_DEV}}{{$}}
; GFX9: image_store v{{.*}} dmask:0xf unorm{{$}}
; GFX10: image_store v{{.*}} dim:SQ_RSRC_IMG_2D_MSAA{{( unorm)?$}}
define amdgpu_cs <4 x float> @texels_2dmsaa(<8 x i32> inreg %t, <4 x i32> %c, <4 x i32> %v) {
  %a = call <4 x float> @lgc.image.load.v4f32(i32 7, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  %b = call i32 @lgc.image.atomic.i32(i32 7, i32 64, i32 4, <8 x i32> %t, <4 x i32> %c, i32 7, i32 poison)
  %w = insertelement <4 x i32> %v, i32 %b, i32 0
  call void @lgc.image.store(i32 7, i32 64, <8 x i32> %t, <4 x i32> %c, <4 x i32> %w)
  ret <4 x float> %a
}

; CHECK-LABEL: texels_2darraymsaa:
; GFX9: image_load v[{{[0-9:]+}}], v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_load v[{{[0-9:]+}}], {{.*}} dim:SQ_RSRC_IMG_2D_MSAA_ARRAY{{( unorm)?$}}
; GFX9: image_atomic_umin v{{.*}} unorm glc da{{$}}
; GFX10: image_atomic_{{umin|min_uint}} v{{.*}} dim:SQ_RSRC_IMG_2D_MSAA_ARRAY {{unorm glc|th:TH_ATOMIC_RETURN scope:SCOPE_DEV}}{{$}}
; GFX9: image_store v{{.*}} dmask:0xf unorm da{{$}}
; GFX10: image_store v{{.*}} dim:SQ_RSRC_IMG_2D_MSAA_ARRAY{{( unorm)?$}}
define amdgpu_cs <4 x float> @texels_2darraymsaa(<8 x i32> inreg %t, <4 x i32> %c, <4 x i32> %v) {
  %a = call <4 x float> @lgc.image.load.v4f32(i32 8, i32 64, <8 x i32> %t, <4 x i32> %c, i32 poison)
  %b = call i32 @lgc.image.atomic.i32(i32 8, i32 64, i32 4, <8 x i32> %t, <4 x i32> %c, i32 7, i32 poison)
  %w = insertelement <4 x i32> %v, i32 %b, i32 0
  call void @lgc.image.store(i32 8, i32 64, <8 x i32> %t, <4 x i32> %c, <4 x i32> %w)
  ret <4 x float> %a
}

!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1100"}
