; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-clock %s | FileCheck %s --check-prefixes=CHECK,CYCLES
; RUN: sed 's/gfx1030/gfx1100/' %s | %opt -passes=lower-clock - | FileCheck %s --check-prefixes=CHECK,REAL

declare i64 @lgc.read.clock(i1)

; Cycles within a subgroup where there are enough bits of them, real time on the device.
; CHECK-LABEL: define void @main(
; CYCLES: [[A:%.*]] = call i64 @llvm.readcyclecounter()
; CYCLES: [[B:%.*]] = call i64 @llvm.readsteadycounter()
; REAL: [[A:%.*]] = call i64 @llvm.readsteadycounter()
; REAL: [[B:%.*]] = call i64 @llvm.readsteadycounter()
; CHECK: sub i64 [[B]], [[A]]
define void @main(ptr addrspace(1) %out) {
  %a = call i64 @lgc.read.clock(i1 false)
  %b = call i64 @lgc.read.clock(i1 true)
  %d = sub i64 %b, %a
  store i64 %d, ptr addrspace(1) %out
  ret void
}

!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1030"}
