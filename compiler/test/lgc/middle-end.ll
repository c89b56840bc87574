; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The whole middle-end, and LLVM's code generator after it, for every target and level.
; DEFINE: %{target} = gfx1100
; DEFINE: %{wave} = 32
; DEFINE: %{level} = 2
; DEFINE: %{compile} = sed -e s/gfx1100/%{target}/ -e 's/i32 99/i32 %{wave}/' %s | %opt -mcpu=%{target} -passes=middle-end-o%{level} - | %llc -O%{level} -mcpu=%{target} | FileCheck %s
; RUN: %{compile}
; REDEFINE: %{wave} = 64
; RUN: %{compile}
; REDEFINE: %{target} = gfx900
; RUN: %{compile}
; REDEFINE: %{target} = gfx1030
; RUN: %{compile}
; REDEFINE: %{wave} = 32
; RUN: %{compile}
; REDEFINE: %{target} = gfx1201
; RUN: %{compile}
; REDEFINE: %{level} = 0
; RUN: %{compile}
; REDEFINE: %{wave} = 64
; RUN: %{compile}
; REDEFINE: %{target} = gfx900
; RUN: %{compile}
; REDEFINE: %{target} = gfx1030
; RUN: %{compile}
; REDEFINE: %{target} = gfx1100
; RUN: %{compile}

; CHECK: .globl _amdgpu_cs_main
; CHECK: s_barrier
; CHECK: buffer_store_{{b32|dword}}
; CHECK: s_endpgm
; CHECK: .lds_size: 0x200

@counter = internal addrspace(5) global i32 7
@shared = internal addrspace(3) global [128 x i32] poison
declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)
declare i32 @lgc.buffer.length(i32, i32, i32)
declare ptr addrspace(4) @lgc.push.constants.ptr()
declare <3 x i32> @lgc.read.built.in.v3i32(i32)
declare i32 @lgc.read.built.in.i32(i32)
declare float @lgc.fdiv.f32(float, float)
declare void @lgc.barrier()

define internal void @store(i32 %i, float %v) alwaysinline {
  %b = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 1, i32 0)
  %p = getelementptr float, ptr addrspace(7) %b, i32 %i
  store float %v, ptr addrspace(7) %p
  ret void
}

define void @main() !lgc.compute.mode !0 {
  %g = call <3 x i32> @lgc.read.built.in.v3i32(i32 3)
  %n = call <3 x i32> @lgc.read.built.in.v3i32(i32 0)
  %index = call i32 @lgc.read.built.in.i32(i32 4)
  %x = extractelement <3 x i32> %g, i32 0
  %nx = extractelement <3 x i32> %n, i32 1
  %pc = call ptr addrspace(4) @lgc.push.constants.ptr()
  %pc1 = getelementptr i8, ptr addrspace(4) %pc, i32 4
  %a = load <2 x float>, ptr addrspace(4) %pc1
  %a0 = extractelement <2 x float> %a, i32 0
  %a1 = extractelement <2 x float> %a, i32 1
  %q = call float @lgc.fdiv.f32(float %a0, float %a1)
  %l = call i32 @lgc.buffer.length(i32 0, i32 1, i32 0)
  %c = load i32, ptr addrspace(5) @counter
  %lc = add i32 %l, %c
  %ln = add i32 %lc, %nx
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %index
  store i32 %ln, ptr addrspace(3) %own
  fence syncscope("workgroup") acq_rel
  call void @lgc.barrier()
  %other = xor i32 %index, 127
  %next = getelementptr i32, ptr addrspace(3) @shared, i32 %other
  %read = load i32, ptr addrspace(3) %next
  %f = uitofp i32 %read to float
  %s = fadd float %f, %q
  call void @store(i32 %x, float %s)
  ret void
}

!0 = !{i32 64, i32 2, i32 1}
!lgc.pipeline.state = !{!1, !2, !3, !4, !5}
!1 = !{!"target", !"gfx1100"}
!2 = !{!"wave-size", i32 99}
!3 = !{!"push-constants", i32 4}
!4 = !{!"table", i32 0, i32 4, i32 8}
!5 = !{!"node", i32 0, i32 1, i32 1, i32 4, i32 4}
