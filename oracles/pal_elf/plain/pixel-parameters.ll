; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A pixel shader of GFX9 and GFX10: interpolation, discard, a texture, depth and packed colours.
define amdgpu_ps void @_amdgpu_ps_main(i32 inreg %mask, <8 x i32> inreg %image, <4 x i32> inreg %sampler, <2 x float> %sample, <2 x float> %center, <2 x float> %centroid, <3 x float> %pull, <2 x float> %ls, <2 x float> %lc, <2 x float> %lcd, float %stipple, float %x, float %y, float %z, float %w, i32 %face) #0 {
  %i = extractelement <2 x float> %center, i32 0
  %j = extractelement <2 x float> %center, i32 1
  %p1 = call float @llvm.amdgcn.interp.p1(float %i, i32 0, i32 0, i32 %mask)
  %u = call float @llvm.amdgcn.interp.p2(float %p1, float %j, i32 0, i32 0, i32 %mask)
  %q1 = call float @llvm.amdgcn.interp.p1(float %i, i32 1, i32 0, i32 %mask)
  %v = call float @llvm.amdgcn.interp.p2(float %q1, float %j, i32 1, i32 0, i32 %mask)
  %alive = fcmp olt float %u, 0.5
  call void @llvm.amdgcn.kill(i1 %alive)
  %texel = call <4 x float> @llvm.amdgcn.image.sample.2d.v4f32.f32(i32 15, float %u, float %v, <8 x i32> %image, <4 x i32> %sampler, i1 false, i32 0, i32 0)
  %r = extractelement <4 x float> %texel, i32 0
  %g = extractelement <4 x float> %texel, i32 1
  %b = fmul float %g, %x
  call void @llvm.amdgcn.exp.f32(i32 8, i32 1, float %r, float poison, float poison, float poison, i1 false, i1 false)
  %lo = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %r, float %g)
  %hi = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %b, float %w)
  call void @llvm.amdgcn.exp.compr.v2f16(i32 0, i32 15, <2 x half> %lo, <2 x half> %hi, i1 true, i1 true)
  ret void
}
attributes #0 = { "InitialPSInputAddr"="6" }
