; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A compute shader with what chips do not interlock by themselves or encode in odd ways: division, operations across lanes,
; computed lane numbers and registers, rounding modes, clocks, images with residency, 64-bit arithmetic.
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(1) inreg %out, <8 x i32> inreg %image, <4 x i32> inreg %sampler, i32 inreg %s, i32 %lane) #0 {
  %f = sitofp i32 %lane to float
  %d = sitofp i32 %lane to double
  %quotient = fdiv float 3.0, %f
  %wide = fdiv double 3.0, %d
  %root = call double @llvm.sqrt.f64(double %wide)
  %narrow = fptrunc double %root to float
  %sum = fadd float %quotient, %narrow
  %bits = bitcast float %sum to i32
  %moved = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %bits, i32 273, i32 15, i32 15, i1 false)
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %moved)
  %turned = and i32 %first, 31
  %read = call i32 @llvm.amdgcn.readlane.i32(i32 %moved, i32 %turned)
  %written = call i32 @llvm.amdgcn.writelane.i32(i32 %read, i32 %s, i32 %moved)
  %swizzled = call i32 @llvm.amdgcn.ds.bpermute(i32 %bits, i32 %written)
  %mask = call i64 @llvm.amdgcn.icmp.i64.i32(i32 %swizzled, i32 %s, i32 32)
  %low = trunc i64 %mask to i32
  %vector = insertelement <8 x i32> %image, i32 %low, i32 %turned
  %picked = extractelement <8 x i32> %vector, i32 %first
  %time = call i64 @llvm.readcyclecounter()
  %ticks = trunc i64 %time to i32
  %quads = call float @llvm.amdgcn.wqm.f32(float %quotient)
  %texel = call { <4 x float>, i32 } @llvm.amdgcn.image.sample.2d.sl_v4f32i32s.f32(i32 15, float %quads, float %narrow, <8 x i32> %image, <4 x i32> %sampler, i1 false, i32 1, i32 0)
  %resident = extractvalue { <4 x float>, i32 } %texel, 1
  %color = extractvalue { <4 x float>, i32 } %texel, 0
  %red = extractelement <4 x float> %color, i32 0
  %rounded = call float @llvm.experimental.constrained.fadd.f32(float %red, float %f, metadata !"round.tonearest", metadata !"fpexcept.ignore") strictfp
  %upward = call half @llvm.fptrunc.round.f16.f32(float %rounded, metadata !"round.upward")
  %back = fpext half %upward to float
  %again = fadd float %back, %f
  %redBits = bitcast float %again to i32
  %product = mul i64 %mask, %time
  %shifted = ashr i64 %product, 7
  %half = trunc i64 %shifted to i32
  %a = xor i32 %resident, %redBits
  %b = add i32 %a, %picked
  %c = sub i32 %b, %ticks
  %e = mul i32 %c, %half
  %address = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store i32 %e, ptr addrspace(1) %address
  %other = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %lane
  %four = insertelement <4 x i32> poison, i32 %e, i32 0
  %more = insertelement <4 x i32> %four, i32 %a, i32 1
  %all = insertelement <4 x i32> %more, i32 %b, i32 2
  store <4 x i32> %all, ptr addrspace(1) %other
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
