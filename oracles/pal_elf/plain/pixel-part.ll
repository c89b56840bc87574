; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A part of a pixel shader: it returns values to what somebody puts after it.
define amdgpu_ps { <4 x float>, float } @_amdgpu_ps_main(float inreg %scale, <2 x float> %center, i32 %face) {
  %a = extractelement <2 x float> %center, i32 0
  %b = fmul float %a, %scale
  %c = insertelement <4 x float> poison, float %b, i32 0
  %d = insertelement <4 x float> %c, float %a, i32 1
  %r = insertvalue { <4 x float>, float } poison, <4 x float> %d, 0
  %s = insertvalue { <4 x float>, float } %r, float %b, 1
  ret { <4 x float>, float } %s
}
