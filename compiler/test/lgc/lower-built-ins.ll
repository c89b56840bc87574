; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-built-ins %s | FileCheck %s
; RUN: sed 's/i32 64}/i32 32}/' %s | %opt -passes=lower-built-ins - | FileCheck %s --check-prefix=W32
; RUN: sed 's/v3i32(i32 3)/v3i32(i32 99)/' %s | not %opt -passes=lower-built-ins - 2>&1 | FileCheck %s --check-prefix=BAD

; BAD: error: built-in 99 does not exist with this type

declare <3 x i32> @lgc.read.built.in.v3i32(i32)
declare i32 @lgc.read.built.in.i32(i32)

; The three that the hardware gives are read once, in the entry block.
; CHECK-LABEL: define void @main(
; CHECK: [[GROUP:%.*]] = call <3 x i32> @lgc.read.built.in.v3i32(i32 1)
; CHECK: [[LOCAL:%.*]] = call <3 x i32> @lgc.read.built.in.v3i32(i32 2)
; CHECK: [[BASE:%.*]] = mul <3 x i32> [[GROUP]], <i32 8, i32 4, i32 2>
; CHECK: [[GLOBAL:%.*]] = add <3 x i32> [[BASE]], [[LOCAL]]
; CHECK-DAG: [[Z:%.*]] = extractelement <3 x i32> [[LOCAL]], i64 2
; CHECK-DAG: [[ZY:%.*]] = mul i32 [[Z]], 4
; CHECK-DAG: [[Y:%.*]] = extractelement <3 x i32> [[LOCAL]], i64 1
; CHECK: [[ROW:%.*]] = add i32 [[ZY]], [[Y]]
; CHECK: [[BEFORE:%.*]] = mul i32 [[ROW]], 8
; CHECK: [[X:%.*]] = extractelement <3 x i32> [[LOCAL]], i64 0
; CHECK: [[INDEX:%.*]] = add i32 [[BEFORE]], [[X]]
; CHECK: [[WAVE:%.*]] = lshr i32 [[INDEX]], 6
; W32: lshr i32 {{%.*}}, 5
; CHECK: call i32 @lgc.subgroup.broadcast.first.i32(i32 [[WAVE]])
; CHECK: [[LANE:%.*]] = call i32 @lgc.subgroup.count.below(<4 x i32> splat (i32 -1))
; CHECK: br label %body
; CHECK-NOT: call <3 x i32>
; CHECK: store volatile <3 x i32> [[GLOBAL]]
; CHECK: store volatile i32 [[INDEX]]
; CHECK: store volatile i32 [[LANE]]
; CHECK: store volatile i32 64,
; CHECK: store volatile i32 1,
; CHECK: store volatile <3 x i32> <i32 8, i32 4, i32 2>
; W32: store volatile i32 32,
; W32: store volatile i32 2,
define void @main() !lgc.compute.mode !0 {
  br label %body
body:
  %global = call <3 x i32> @lgc.read.built.in.v3i32(i32 3)
  %index = call i32 @lgc.read.built.in.i32(i32 4)
  %wave = call i32 @lgc.read.built.in.i32(i32 8)
  %lane = call i32 @lgc.read.built.in.i32(i32 7)
  %waveSize = call i32 @lgc.read.built.in.i32(i32 6)
  %waves = call i32 @lgc.read.built.in.i32(i32 9)
  %size = call <3 x i32> @lgc.read.built.in.v3i32(i32 5)
  store volatile <3 x i32> %global, ptr addrspace(1) null
  store volatile i32 %index, ptr addrspace(1) null
  store volatile i32 %wave, ptr addrspace(1) null
  store volatile i32 %lane, ptr addrspace(1) null
  store volatile i32 %waveSize, ptr addrspace(1) null
  store volatile i32 %waves, ptr addrspace(1) null
  store volatile <3 x i32> %size, ptr addrspace(1) null
  ret void
}

!0 = !{i32 8, i32 4, i32 2}
!lgc.pipeline.state = !{!1, !2}
!1 = !{!"target", !"gfx1100"}
!2 = !{!"wave-size", i32 64}
