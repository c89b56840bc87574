; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=opt-buffer-atomics %s | FileCheck %s
; RUN: %opt -passes=opt-buffer-atomics %s | %llc -mcpu=gfx1100 | FileCheck %s --check-prefix=ASM
; RUN: %llc -mcpu=gfx1100 < %s | FileCheck %s --check-prefix=LOOP

; CHECK: atomicrmw umax ptr addrspace(7) {{.*}} monotonic, {{.*}}!amdgpu.no.fine.grained.memory
; CHECK: atomicrmw add ptr addrspace(3)
; CHECK-NOT: amdgpu.no.fine
; CHECK: ret void

; Native instead of a loop of compare-and-swaps.
; ASM: buffer_atomic_max_u32
; ASM-NOT: cmpswap
; LOOP: buffer_atomic_cmpswap

@shared = internal addrspace(3) global i32 poison

define amdgpu_cs void @main(ptr addrspace(8) inreg %descriptor, i32 %x) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %a = atomicrmw umax ptr addrspace(7) %buffer, i32 %x syncscope("agent") monotonic
  %b = atomicrmw add ptr addrspace(3) @shared, i32 %x syncscope("workgroup") monotonic
  ret void
}
