; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=mutate-entry-point %s | FileCheck %s
; RUN: sed s/gfx1030/gfx1100/ %s | %opt -passes=mutate-entry-point - | FileCheck %s --check-prefix=G11
; RUN: sed s/gfx1030/gfx1201/ %s | %opt -passes=mutate-entry-point - | FileCheck %s --check-prefix=G12
; RUN: sed 's/i32 2)/i32 3)/' %s | not %opt -passes=mutate-entry-point - 2>&1 | FileCheck %s --check-prefix=BAD

; BAD: error: built-in 3 was not lowered

declare <3 x i32> @lgc.read.built.in.v3i32(i32)
declare ptr addrspace(4) @lgc.descriptor.table(i32)
declare ptr addrspace(4) @lgc.push.constants.ptr()

; Entries 1 and 2 are read as a pair of floats, 3 as its upper half, 5 is the table of set 7.
; CHECK: define amdgpu_cs void @_amdgpu_cs_main(i32 inreg %globalTable, i32 inreg [[NLO:%.*]], i32 inreg [[NHI:%.*]], i32 inreg %userData1, i32 inreg %userData2, i32 inreg %userData3, i32 inreg %userData5, <3 x i32> inreg %workgroupId, i32 range(i32 0, 8) %localId, i32 range(i32 0, 4) [[Y:%.*]]) #[[ATTRIBUTES:[0-9]+]] {
; On gfx1100, a wave32 has 16 user SGPRs; a local id is one register, ten bits a component.
; G11: define amdgpu_cs void @_amdgpu_cs_main({{((i32 inreg [^,]*, ){16})}}<3 x i32> inreg %workgroupId, i32 range(i32 0, 3080) %localId) #
; G12: define amdgpu_cs void @_amdgpu_cs_main({{((i32 inreg [^,]*, ){7})}}i32 range(i32 0, 3080) %localId) #

; CHECK: [[V0:%.*]] = insertelement <2 x i32> poison, i32 %userData1, i64 0
; CHECK: [[V1:%.*]] = insertelement <2 x i32> [[V0]], i32 %userData2, i64 1
; CHECK: [[PAIR:%.*]] = bitcast <2 x i32> [[V1]] to <2 x float>
; CHECK: [[UPPER:%.*]] = lshr i32 %userData3, 16
; CHECK: [[SHORT:%.*]] = trunc i32 [[UPPER]] to i16
; CHECK: [[PC:%.*]] = call i64 @llvm.amdgcn.s.getpc()
; CHECK: [[HIGH:%.*]] = and i64 [[PC]], -4294967296
; CHECK: [[LOW:%.*]] = zext i32 %userData5 to i64
; CHECK: [[ADDRESS:%.*]] = or i64 [[HIGH]], [[LOW]]
; CHECK: [[TABLE:%.*]] = inttoptr i64 [[ADDRESS]] to ptr addrspace(4)
; CHECK: load <3 x i32>, ptr addrspace(4) {{%.*}}, align 4, !invariant.load
; CHECK: store volatile <2 x float> [[PAIR]]
; CHECK: store volatile i16 [[SHORT]]
; CHECK: store volatile ptr addrspace(4) [[TABLE]]
; CHECK: store volatile <3 x i32> %workgroupId
; G11: [[X:%.*]] = and i32 {{.*}}, 1023
; G11: lshr i32 %localId, 10
; G12: call i32 @llvm.amdgcn.workgroup.id.x()
; G12: call i32 @llvm.amdgcn.workgroup.id.y()
; G12: call i32 @llvm.amdgcn.workgroup.id.z()
define void @main() !lgc.compute.mode !0 {
  %pc = call ptr addrspace(4) @lgc.push.constants.ptr()
  %set7 = call ptr addrspace(4) @lgc.descriptor.table(i32 7)
  %groups = call <3 x i32> @lgc.read.built.in.v3i32(i32 0)
  %group = call <3 x i32> @lgc.read.built.in.v3i32(i32 1)
  %local = call <3 x i32> @lgc.read.built.in.v3i32(i32 2)
  %p4 = getelementptr i8, ptr addrspace(4) %pc, i32 4
  %pair = load <2 x float>, ptr addrspace(4) %p4
  %p14 = getelementptr i8, ptr addrspace(4) %p4, i32 10
  %short = load i16, ptr addrspace(4) %p14
  store volatile <2 x float> %pair, ptr addrspace(1) null
  store volatile i16 %short, ptr addrspace(1) null
  store volatile ptr addrspace(4) %set7, ptr addrspace(1) null
  store volatile <3 x i32> %groups, ptr addrspace(1) null
  store volatile <3 x i32> %group, ptr addrspace(1) null
  store volatile <3 x i32> %local, ptr addrspace(1) null
  ret void
}

; CHECK: attributes #[[ATTRIBUTES]] = { nounwind "amdgpu-flat-work-group-size"="32,32" "denormal-fp-math"="ieee,ieee" "denormal-fp-math-f32"="preserve-sign,preserve-sign" "target-cpu"="gfx1030" "target-features"="+wavefrontsize32" }
; G11: attributes #{{.*}}"target-cpu"="gfx1100" "target-features"="+wavefrontsize32,-real-true16"
; CHECK: !amdgpu.pal.metadata.msgpack = !{

!0 = !{i32 8, i32 4, i32 1}
!lgc.pipeline.state = !{!1, !2, !3, !4}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"push-constants", i32 4}
!3 = !{!"table", i32 2, i32 4, i32 4}
!4 = !{!"table", i32 7, i32 5, i32 4}
