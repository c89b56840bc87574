; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Accesses through fat pointers down to instructions: atomics that are native or loops, loads to LDS
; with and without the hardware's help, alias information.
; RUN: %opt -mcpu=gfx1100 -passes=lower-buffer-fat-pointers,verify %s | FileCheck %s
; RUN: %opt -mcpu=gfx1100 -passes=lower-buffer-fat-pointers %s | %llc -mcpu=gfx1100 | FileCheck %s --check-prefixes=ASM,GFX11
; RUN: %opt -mcpu=gfx900 -passes=lower-buffer-fat-pointers %s | FileCheck %s --check-prefix=GFX9IR
; RUN: %opt -mcpu=gfx900 -passes=lower-buffer-fat-pointers %s | %llc -mcpu=gfx900 | FileCheck %s --check-prefixes=ASM,GFX9

; Native instead of a loop of compare-and-swaps, without promises on the instruction.
; ASM-LABEL: native:
; GFX11: buffer_atomic_max_u32
; GFX11: buffer_atomic_swap_b64
; GFX9: buffer_atomic_umax
; GFX9: buffer_atomic_swap_x2
; ASM-NOT: cmpswap
; ASM: {{s_endpgm|;}}
define amdgpu_cs void @native(ptr addrspace(8) inreg %descriptor, i32 %x, double %d, ptr addrspace(1) %out) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %a = atomicrmw umax ptr addrspace(7) %buffer, i32 %x syncscope("agent") monotonic
  ; LLVM cannot select an exchange of f64 (docs/found-bugs.md).
  %q = getelementptr i8, ptr addrspace(7) %buffer, i32 8
  %b = atomicrmw xchg ptr addrspace(7) %q, double %d syncscope("agent") monotonic
  store double %b, ptr addrspace(1) %out
  ret void
}

; ASM-LABEL: narrow:
; GFX11: buffer_atomic_cmpswap_b32
; GFX9: buffer_atomic_cmpswap
define amdgpu_cs void @narrow(ptr addrspace(8) inreg %descriptor, i32 %i, i8 %x) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %p = getelementptr i8, ptr addrspace(7) %buffer, i32 %i
  %a = atomicrmw add ptr addrspace(7) %p, i8 %x syncscope("agent") monotonic
  ret void
}

; Caches that others' writes do not reach are passed by: upstream's pass does not.
; ASM-LABEL: fresh:
; ASM: buffer_load_{{.*}} glc
define amdgpu_cs i32 @fresh(ptr addrspace(8) inreg %descriptor) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %v = load atomic i32, ptr addrspace(7) %buffer syncscope("agent") monotonic, align 4
  ret i32 %v
}

; ASM-LABEL: to_lds:
; GFX9: buffer_load_dword {{.*}} lds
; GFX11: v_mbcnt_lo_u32_b32
; GFX11: buffer_load_b32
; GFX11: ds_store_b32
define amdgpu_cs void @to_lds(ptr addrspace(8) inreg %descriptor, ptr addrspace(3) inreg %lds, i32 %x) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %p = getelementptr i32, ptr addrspace(7) %buffer, i32 %x
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %p, ptr addrspace(3) %lds, i32 4, i32 16, i32 0)
  ret void
}

; A volatile one stays where it is, and so does what it stores; what is known of its aliases goes with it.
; CHECK-LABEL: define amdgpu_cs void @to_lds_volatile(
; CHECK: call i32 @llvm.amdgcn.raw.ptr.atomic.buffer.load.i32({{.*}} i32 -2147483648), !alias.scope
; CHECK: store volatile i32
; GFX9IR-LABEL: define amdgpu_cs void @to_lds_volatile(
; GFX9IR: call void @llvm.amdgcn.raw.ptr.buffer.load.lds({{.*}} i32 -2147483648), !alias.scope
define amdgpu_cs void @to_lds_volatile(ptr addrspace(8) inreg %descriptor, ptr addrspace(3) inreg %lds) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %buffer, ptr addrspace(3) %lds, i32 4, i32 0, i32 -2147483648), !alias.scope !1
  ret void
}

; Bytes become a dword by shifts, which LLVM takes for permutations.
; ASM-LABEL: bytes:
; GFX11: v_perm_b32
; GFX11: buffer_store_b32
define amdgpu_cs void @bytes(ptr addrspace(8) inreg %descriptor, i8 %a, i8 %b, i8 %c, i8 %d) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %v1 = insertelement <4 x i8> poison, i8 %a, i32 0
  %v2 = insertelement <4 x i8> %v1, i8 %b, i32 1
  %v3 = insertelement <4 x i8> %v2, i8 %c, i32 2
  %v4 = insertelement <4 x i8> %v3, i8 %d, i32 3
  store <4 x i8> %v4, ptr addrspace(7) %buffer, align 4
  ret void
}

; Every piece says what the whole said.
; CHECK-LABEL: define amdgpu_cs void @aliases(
; CHECK: buffer.load.v4i32({{.*}}!alias.scope [[SCOPE:![0-9]+]], !noalias [[OTHER:![0-9]+]], !nontemporal
; CHECK: buffer.load.i32({{.*}}!alias.scope [[SCOPE]], !noalias [[OTHER]], !nontemporal
; CHECK: buffer.store.v4i32({{.*}}!alias.scope [[OTHER]], !noalias [[SCOPE]]
; CHECK: buffer.store.i32({{.*}}!alias.scope [[OTHER]], !noalias [[SCOPE]]
define amdgpu_cs void @aliases(ptr addrspace(8) inreg %a, ptr addrspace(8) inreg %b) {
  %p = addrspacecast ptr addrspace(8) %a to ptr addrspace(7)
  %q = addrspacecast ptr addrspace(8) %b to ptr addrspace(7)
  %v = load [5 x i32], ptr addrspace(7) %p, align 4, !alias.scope !1, !noalias !3, !nontemporal !5
  store [5 x i32] %v, ptr addrspace(7) %q, align 4, !alias.scope !3, !noalias !1
  ret void
}

!0 = distinct !{!0}
!1 = !{!2}
!2 = distinct !{!2, !0}
!3 = !{!4}
!4 = distinct !{!4, !0}
!5 = !{i32 1}
