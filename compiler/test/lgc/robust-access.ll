; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-desc,mutate-entry-point %s | %llc | FileCheck %s --check-prefix=APART
; RUN: sed 's/"robustness", i32 2/"robustness", i32 1/' %s | %opt -passes=lower-desc,mutate-entry-point - | %llc | FileCheck %s --check-prefix=JOINED
; RUN: sed 's/"robustness", i32 2/"robustness", i32 3/' %s | not %opt -passes=lower-desc - 2>&1 | FileCheck %s --check-prefix=BAD

; BAD: error: {{.*}}robustness 3 does not exist

declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)
declare <3 x i32> @lgc.read.built.in.v3i32(i32)

; With robustBufferAccess2 a word outside of a buffer must not take its neighbour inside along.
; APART: buffer_load_b32
; APART: buffer_load_b32
; APART-NOT: b64
; APART: buffer_store_b32
; APART: buffer_store_b32
; JOINED: buffer_load_b64
; JOINED: buffer_store_b64
define void @main() !lgc.compute.mode !0 {
  %buffer = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0)
  %id = call <3 x i32> @lgc.read.built.in.v3i32(i32 2)
  %x = extractelement <3 x i32> %id, i32 0
  %at = getelementptr i32, ptr addrspace(7) %buffer, i32 %x
  %next = getelementptr i8, ptr addrspace(7) %at, i32 4
  %a = load i32, ptr addrspace(7) %at
  %b = load i32, ptr addrspace(7) %next
  store i32 %b, ptr addrspace(7) %at
  store i32 %a, ptr addrspace(7) %next
  ret void
}

!0 = !{i32 32, i32 1, i32 1}
!lgc.pipeline.state = !{!1, !2, !3, !4}
!1 = !{!"target", !"gfx1100"}
!2 = !{!"table", i32 0, i32 0, i32 4}
!3 = !{!"node", i32 0, i32 0, i32 1, i32 0, i32 4}
!4 = !{!"robustness", i32 2}
