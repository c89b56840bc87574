; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-fragment-inputs %s | FileCheck %s

declare i32 @lgc.read.input(i32, i32, i32, i32)

; Components 6 and 7 are the halves of component 1, which is read once.
; CHECK-LABEL: define void @main()
; CHECK: [[BOTH:%.*]] = call float @llvm.amdgcn.interp.mov(i32 2, i32 1, i32 0, i32 {{%.*}})
; CHECK: [[BITS:%.*]] = bitcast float [[BOTH]] to i32
; CHECK: [[LOW:%.*]] = and i32 [[BITS]], 65535
; CHECK: [[HIGH:%.*]] = lshr i32 [[BITS]], 16
; CHECK-NOT: interp.mov
; CHECK: store volatile i32 [[LOW]]
; CHECK: store volatile i32 [[HIGH]]
define void @main() !lgc.stage !0 {
  %low = call i32 @lgc.read.input(i32 2, i32 6, i32 2, i32 1)
  %high = call i32 @lgc.read.input(i32 2, i32 7, i32 3, i32 1)
  store volatile i32 %low, ptr addrspace(1) null
  store volatile i32 %high, ptr addrspace(1) null
  ret void
}

!0 = !{i32 7, i32 0}
!lgc.pipeline.state = !{!1}
!1 = !{!"target", !"gfx1030"}
