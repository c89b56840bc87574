; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A push constant at an offset that only the shader knows is read from the spill table.
; RUN: %opt -passes=mutate-entry-point %s | FileCheck %s
; RUN: %opt -passes=mutate-entry-point %s | %llc -mcpu=gfx1030 | FileCheck %s --check-prefix=PAL

declare ptr addrspace(4) @lgc.push.constants.ptr()

; CHECK: define amdgpu_cs void @_amdgpu_cs_main(i32 inreg %globalTable, i32 inreg %userData2, i32 inreg %spillTable, i32 range(i32 0, 64) %localId)
; CHECK: [[LOW:%.*]] = zext i32 %spillTable to i64
; CHECK: [[ADDRESS:%.*]] = or i64 {{%.*}}, [[LOW]]
; CHECK: [[TABLE:%.*]] = inttoptr i64 [[ADDRESS]] to ptr addrspace(4)
; CHECK: %p = getelementptr i32, ptr addrspace(4) [[TABLE]], i32 %i
; CHECK: load i32, ptr addrspace(4) %p
; CHECK: store volatile i32 %userData2

; PAL: .user_data_reg_map:
; PAL-NEXT: - 0x10000000
; PAL-NEXT: - 0x2
; PAL-NEXT: - 0x10000002
; PAL-NEXT: - 0xffffffff
; PAL: .user_sgprs: 0x3
; PAL: .spill_threshold: 0
; PAL: .user_data_limit: 0x4
define void @main() !lgc.compute.mode !0 {
  %pc = call ptr addrspace(4) @lgc.push.constants.ptr()
  %i = load volatile i32, ptr addrspace(1) null
  %p = getelementptr i32, ptr addrspace(4) %pc, i32 %i
  %v = load i32, ptr addrspace(4) %p
  %p2 = getelementptr i8, ptr addrspace(4) %pc, i32 8
  %w = load i32, ptr addrspace(4) %p2
  store volatile i32 %v, ptr addrspace(1) null
  store volatile i32 %w, ptr addrspace(1) null
  ret void
}

!0 = !{i32 64, i32 1, i32 1}
!lgc.pipeline.state = !{!1, !2}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"push-constants", i32 4}
