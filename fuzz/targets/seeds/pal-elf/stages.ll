; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Code as LLVM makes it of plain IR, with loops, waits, LDS, images, exports; a function a stage.
@lds = internal addrspace(3) global [64 x i32] poison, align 4
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)
declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32)
declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), i32, i32, i32)
declare <4 x float> @llvm.amdgcn.image.sample.2d.v4f32.f32(i32, float, float, <8 x i32>, <4 x i32>, i1, i32, i32)
declare void @llvm.amdgcn.s.barrier()

define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(4) inreg %descriptors, i32 inreg %count, i32 %lane) #0 {
entry:
  %buffer = load ptr addrspace(8), ptr addrspace(4) %descriptors, align 16
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %offset = shl i32 %i, 2
  %x = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %buffer, i32 %offset, i32 0, i32 0)
  %more = add i32 %sum, %x
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %loop, label %done
done:
  %place = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %lane
  store i32 %more, ptr addrspace(3) %place
  call void @llvm.amdgcn.s.barrier()
  %other = xor i32 %lane, 1
  %there = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %other
  %y = load i32, ptr addrspace(3) %there
  %z = atomicrmw add ptr addrspace(3) @lds, i32 %y monotonic
  %at = shl i32 %lane, 2
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %z, ptr addrspace(8) %buffer, i32 %at, i32 0, i32 0)
  ret void
}

define amdgpu_ps void @_amdgpu_ps_main(ptr addrspace(4) inreg %descriptors, i32 inreg %mask, <2 x float> %uv, float %z) #1 {
  %u = extractelement <2 x float> %uv, i32 0
  %v = extractelement <2 x float> %uv, i32 1
  %image = load <8 x i32>, ptr addrspace(4) %descriptors
  %next = getelementptr i8, ptr addrspace(4) %descriptors, i32 32
  %sampler = load <4 x i32>, ptr addrspace(4) %next
  %texel = call <4 x float> @llvm.amdgcn.image.sample.2d.v4f32.f32(i32 15, float %u, float %v, <8 x i32> %image, <4 x i32> %sampler, i1 false, i32 0, i32 0)
  %r = extractelement <4 x float> %texel, i32 0
  %g = extractelement <4 x float> %texel, i32 1
  %c = fcmp ogt float %r, %z
  br i1 %c, label %then, label %done
then:
  %w = fmul float %g, %r
  br label %done
done:
  %b = phi float [ %w, %then ], [ 0.0, %0 ]
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %r, float %g, float %b, float 1.0, i1 true, i1 true)
  ret void
}
attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" }
attributes #1 = { nounwind }
