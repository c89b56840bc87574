; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=mutate-stage-entry-point %s | FileCheck %s
; RUN: sed s/gfx1030/gfx900/ %s | %opt -passes=mutate-stage-entry-point - | FileCheck %s --check-prefix=G9
; RUN: sed s/gfx1030/gfx1100/ %s | %opt -passes=mutate-stage-entry-point - | FileCheck %s --check-prefix=G11
; RUN: sed s/gfx1030/gfx1201/ %s | %opt -passes=mutate-stage-entry-point - | FileCheck %s --check-prefix=G12
; RUN: sed 's/i32 9)/i32 40)/' %s | not %opt -passes=mutate-stage-entry-point - 2>&1 | FileCheck %s --check-prefix=BAD
; RUN: sed 's/".use_vtx_point_size"/".no_such_key"/' %s | not %opt -passes=mutate-stage-entry-point - 2>&1 | FileCheck %s --check-prefix=FACT

; BAD: error: input 40 of another stage or type
; FACT: error: !amdgpu.stage: no register '.pa_cl_vs_out_cntl' has '.no_such_key'

declare i32 @lgc.stage.input.i32(i32)
declare ptr addrspace(4) @lgc.descriptor.table(i32)

; Entry 0 is the table of set 3. BaseInstance comes with BaseVertex.
; CHECK: define amdgpu_vs void @_amdgpu_vs_main(i32 inreg {{%.*}}, i32 inreg %userData0, i32 inreg [[BASE:%.*]], i32 inreg {{%.*}}, i32 %vertexId, i32 %unused1, i32 %primitiveId, i32 %instanceId) #[[ATTRIBUTES:[0-9]+]] {
; G9: define amdgpu_vs void @_amdgpu_vs_main({{((i32 inreg [^,]*, ){4})}}i32 %vertexId, i32 %instanceId, i32 %primitiveId)
; G11: define amdgpu_gs void @_amdgpu_gs_main({{((i32 inreg [^,]*, ){12})}}i32 %primitiveData, i32 %unused1, i32 %primitiveId, i32 %unused3, i32 %unused4, i32 %vertexId, i32 %unused6, i32 %unused7, i32 %instanceId)
; G12: define amdgpu_gs void @_amdgpu_gs_main({{((i32 inreg [^,]*, ){12})}}i32 %primitiveData, i32 %primitiveId, i32 %unused2, i32 %vertexId, i32 %instanceId)
; CHECK: store volatile i32 [[BASE]]
; CHECK: store volatile i32 %instanceId
; CHECK: attributes #[[ATTRIBUTES]] = { nounwind {{.*}}"target-cpu"="gfx1030" "target-features"="+wavefrontsize32" }
; CHECK: !amdgpu.pal.metadata.msgpack = !{
define void @main() !lgc.stage !0 {
  %base = call i32 @lgc.stage.input.i32(i32 2)
  %instance = call i32 @lgc.stage.input.i32(i32 9)
  %table = call ptr addrspace(4) @lgc.descriptor.table(i32 3)
  store volatile i32 %base, ptr addrspace(1) null
  store volatile i32 %instance, ptr addrspace(1) null
  store volatile ptr addrspace(4) %table, ptr addrspace(1) null
  ret void
}

!0 = !{i32 1, i32 0}
!lgc.pipeline.state = !{!1, !2, !3, !4}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"push-constants", i32 0}
!3 = !{!"table", i32 3, i32 0, i32 4}
!4 = !{!"node", i32 3, i32 0, i32 1, i32 0, i32 4}
!amdgpu.stage = !{!5, !6}
!5 = !{!"positions", i32 1}
!6 = !{!"register", !".pa_cl_vs_out_cntl", !".use_vtx_point_size", i32 1}
