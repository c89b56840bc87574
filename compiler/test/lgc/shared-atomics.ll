; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; LLVM's atomic optimiser serves LDS, but no buffer: in its code generator it would see those of the project's lowering.
; RUN: %opt -mcpu=gfx1100 -passes=middle-end-o2 %s | FileCheck %s

; CHECK-LABEL: define amdgpu_cs void @_amdgpu_cs_main(
; CHECK: call i32 @llvm.amdgcn.mbcnt.lo
; CHECK: atomicrmw add ptr addrspace(3) @counter
; CHECK-NOT: mbcnt
; CHECK: call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1,
; CHECK: ret void

@counter = internal addrspace(3) global i32 poison
declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)

define void @main() !lgc.compute.mode !0 {
  %a = atomicrmw add ptr addrspace(3) @counter, i32 1 syncscope("workgroup") monotonic
  %b = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 1, i32 0)
  %c = atomicrmw add ptr addrspace(7) %b, i32 1 syncscope("agent") monotonic
  ret void
}

!0 = !{i32 64, i32 2, i32 1}
!lgc.pipeline.state = !{!1, !2, !3, !4, !5}
!1 = !{!"target", !"gfx1100"}
!2 = !{!"wave-size", i32 32}
!3 = !{!"push-constants", i32 0}
!4 = !{!"table", i32 0, i32 0, i32 8}
!5 = !{!"node", i32 0, i32 1, i32 1, i32 4, i32 4}
