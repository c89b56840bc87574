; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-primitive-shader %s | FileCheck %s
; RUN: sed s/gfx1030/gfx1100/ %s | %opt -passes=lower-primitive-shader - | FileCheck %s --check-prefix=G11
; RUN: sed 's/i32 16}/i32 0}/' %s | %opt -passes=lower-primitive-shader - | FileCheck %s --check-prefix=VS

declare i32 @lgc.stage.input.i32(i32)

; CHECK-LABEL: define void @main()
; CHECK: start:
; CHECK: call void @llvm.amdgcn.init.exec(i64 -1)
; CHECK: br i1 {{%.*}}, label %request, label %request.end
; CHECK: %primitiveId = load i32, ptr addrspace(3)
; CHECK: store volatile i32 %primitiveId
; CHECK: request:
; CHECK: call void @llvm.amdgcn.s.sendmsg(i32 9, i32
; Vertices that provoke no primitive have number 0.
; CHECK: store i32 0, ptr addrspace(3)
; CHECK: call void @llvm.amdgcn.s.barrier()
; CHECK: br i1 {{%.*}}, label %primitive, label %primitive.end
; CHECK: primitive:
; CHECK: call void @llvm.amdgcn.exp.i32(i32 20, i32 1, i32 {{%.*}}, i32 poison, i32 poison, i32 poison, i1 true, i1 false)
; A provoking vertex finds the number of its primitive in LDS.
; CHECK: [[PLACE:%.*]] = getelementptr i32, ptr addrspace(3) @primitiveIds, i32
; CHECK: store i32 {{%.*}}, ptr addrspace(3) [[PLACE]]
; CHECK: call void @llvm.amdgcn.s.barrier()
; From GFX11 on the hardware asks for the space.
; G11-NOT: sendmsg
; G11: call void @llvm.amdgcn.exp.i32(i32 20
; Without NGG nothing changes.
; VS-NOT: init.exec
define void @main() !lgc.stage !0 {
  %id = call i32 @lgc.stage.input.i32(i32 10)
  store volatile i32 %id, ptr addrspace(1) null
  ret void
}

!0 = !{i32 1, i32 0}
!lgc.pipeline.state = !{!1, !2}
!1 = !{!"target", !"gfx1030"}
!2 = !{!"graphics", i32 3, i32 1, i32 16}
