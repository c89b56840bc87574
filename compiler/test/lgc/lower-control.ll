; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-control %s | FileCheck %s

declare void @lgc.barrier()
declare i1 @lgc.opaque.true()
declare void @lgc.anchor()

; CHECK-LABEL: @barrier(
; CHECK: fence syncscope("workgroup") release, !mmra [[LOCAL:![0-9]+]]
; CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
; CHECK-NEXT: fence syncscope("agent") acquire{{$}}
define void @barrier() {
  fence syncscope("workgroup") release, !lgc.fenced.memory !0
  call void @lgc.barrier()
  fence syncscope("agent") acquire
  ret void
}

; CHECK-LABEL: @control(
; CHECK: call void asm sideeffect "", ""() [[ANCHOR:#[0-9]+]]
; CHECK: [[ONE:%.*]] = call i32 asm "", "=s,0"(i32 1)
; CHECK: icmp ne i32 [[ONE]], 0
define i1 @control() {
  call void @lgc.anchor()
  %t = call i1 @lgc.opaque.true()
  ret i1 %t
}

; CHECK-LABEL: @atomics(
; CHECK: atomicrmw add {{.*}}, !amdgpu.no.fine.grained.memory {{![0-9]+}}, !amdgpu.no.remote.memory {{![0-9]+$}}
; CHECK: atomicrmw fadd {{.*}}, !amdgpu.ignore.denormal.mode
; CHECK: cmpxchg {{.*}}, !amdgpu.no.remote.memory {{![0-9]+$}}
define void @atomics(ptr addrspace(7) %p) {
  %a = atomicrmw add ptr addrspace(7) %p, i32 1 monotonic, align 4
  %b = atomicrmw fadd ptr addrspace(7) %p, float 1.0 monotonic, align 4
  %c = cmpxchg ptr addrspace(7) %p, i32 1, i32 2 monotonic monotonic, align 4
  ret void
}

; CHECK-LABEL: @preservesDenormals(
; CHECK: atomicrmw fadd {{.*}}, !amdgpu.no.remote.memory {{![0-9]+$}}
define void @preservesDenormals(ptr addrspace(7) %p) "denormal-fp-math-f32"="ieee,ieee" {
  %b = atomicrmw fadd ptr addrspace(7) %p, float 1.0 monotonic, align 4
  ret void
}

; CHECK: attributes [[ANCHOR]] = { convergent noduplicate nounwind }
; CHECK: [[LOCAL]] = !{!"amdgpu-synchronize-as", !"local"}
!0 = !{!"workgroup"}
