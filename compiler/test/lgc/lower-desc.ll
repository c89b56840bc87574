; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-desc %s | FileCheck %s
; RUN: sed 's/desc(i32 1, i32 3/desc(i32 1, i32 4/' %s | not %opt -passes=lower-desc - 2>&1 | FileCheck %s --check-prefix=BAD

; BAD: error: the resource layout has no set 1, binding 4

declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)
declare i32 @lgc.buffer.length(i32, i32, i32)
declare ptr addrspace(4) @lgc.descriptor.ptr(i32, i32, i32, i32)

; One table a set, at the start of the function; 8 dwords are 32 bytes.
; CHECK-LABEL: define void @main(
; CHECK-DAG: %set1 = call ptr addrspace(4) @lgc.descriptor.table(i32 1)
; CHECK-DAG: %set0 = call ptr addrspace(4) @lgc.descriptor.table(i32 0)
; CHECK: br label %body
; CHECK: [[A0:%.*]] = getelementptr i8, ptr addrspace(4) %set1, i32 32
; CHECK: [[D0:%.*]] = load ptr addrspace(8), ptr addrspace(4) [[A0]], align 4, !invariant.load
; CHECK: [[F0:%.*]] = addrspacecast ptr addrspace(8) [[D0]] to ptr addrspace(7)
; CHECK: [[M:%.*]] = mul i32 %i, 16
; CHECK: [[O:%.*]] = add i32 [[M]], 16
; CHECK: [[A1:%.*]] = getelementptr i8, ptr addrspace(4) %set0, i32 [[O]]
; CHECK: [[D1:%.*]] = load ptr addrspace(8), ptr addrspace(4) [[A1]]
; CHECK: [[F1:%.*]] = addrspacecast ptr addrspace(8) [[D1]]
; CHECK: [[N:%.*]] = getelementptr inbounds i8, ptr addrspace(4) {{%.*}}, i32 8
; CHECK: load i32, ptr addrspace(4) [[N]], align 4, !invariant.load
; CHECK: load i32, ptr addrspace(7) [[F0]]
; CHECK: store i32 {{%.*}}, ptr addrspace(7) [[F1]]
define void @main(i32 %i) {
  br label %body
body:
  %b0 = call ptr addrspace(7) @lgc.load.buffer.desc(i32 1, i32 3, i32 0)
  %b1 = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 2, i32 %i)
  %n = call i32 @lgc.buffer.length(i32 0, i32 2, i32 %i)
  %v = load i32, ptr addrspace(7) %b0
  %s = add i32 %v, %n
  store i32 %s, ptr addrspace(7) %b1
  ret void
}

; The parts of a combined image sampler stand side by side; a sampler alone has one.
; CHECK-LABEL: define void @parts(
define void @parts(ptr %p, i32 %i) {
; CHECK: [[M:%.*]] = mul i32 %i, 48
; CHECK: [[O:%.*]] = add i32 [[M]], 64
; CHECK: [[IMAGE:%.*]] = getelementptr i8, ptr addrspace(4) %set0{{.*}}, i32 [[O]]
; CHECK: store ptr addrspace(4) [[IMAGE]]
  %image = call ptr addrspace(4) @lgc.descriptor.ptr(i32 0, i32 5, i32 0, i32 %i)
  store ptr addrspace(4) %image, ptr %p
; CHECK: [[COMBINED:%.*]] = getelementptr i8, ptr addrspace(4) %set0{{.*}}, i32 112
; CHECK: [[S0:%.*]] = getelementptr inbounds i8, ptr addrspace(4) [[COMBINED]], i32 32
; CHECK: store ptr addrspace(4) [[S0]]
  %s0 = call ptr addrspace(4) @lgc.descriptor.ptr(i32 0, i32 5, i32 1, i32 1)
  store ptr addrspace(4) %s0, ptr %p
; CHECK: [[S1:%.*]] = getelementptr i8, ptr addrspace(4) %set0{{.*}}, i32 160
; CHECK: store ptr addrspace(4) [[S1]]
  %s1 = call ptr addrspace(4) @lgc.descriptor.ptr(i32 0, i32 6, i32 1, i32 0)
  store ptr addrspace(4) %s1, ptr %p
  ret void
}

!lgc.pipeline.state = !{!1, !2, !3, !6, !7, !4, !5}
!1 = !{!"target", !"gfx1100"}
!2 = !{!"table", i32 0, i32 0, i32 44}
!3 = !{!"node", i32 0, i32 2, i32 3, i32 4, i32 4}
!4 = !{!"table", i32 1, i32 1, i32 12}
!5 = !{!"node", i32 1, i32 3, i32 1, i32 8, i32 4}
!6 = !{!"node", i32 0, i32 5, i32 2, i32 16, i32 12, i32 4}
!7 = !{!"node", i32 0, i32 6, i32 1, i32 40, i32 4, i32 3}
