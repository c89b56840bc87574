; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; What lower-buffer-fat-pointers makes of accesses that are, or are not, the same in all lanes.
; RUN: %opt -mcpu=gfx1100 -passes=lower-buffer-fat-pointers,verify %s | FileCheck %s
; RUN: %opt -mcpu=gfx1201 -passes=lower-buffer-fat-pointers,verify %s | FileCheck %s --check-prefix=SMALL
; RUN: %opt -mcpu=gfx1100 -passes=lower-buffer-fat-pointers %s | %llc -mcpu=gfx1100 | FileCheck %s --check-prefix=ASM

; Bytes and shorts have scalar loads since GFX12, at their own alignment.
; CHECK-LABEL: define amdgpu_cs void @small(
; CHECK-NOT: s.buffer.load
; SMALL-LABEL: define amdgpu_cs void @small(
; SMALL: call i8 @llvm.amdgcn.s.buffer.load.i8
; SMALL: call i16 @llvm.amdgcn.s.buffer.load.i16
; SMALL-NOT: s.buffer.load
; SMALL: ret void
define amdgpu_cs void @small(ptr addrspace(8) inreg %descriptor, i32 inreg %n, i32 %x) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %p = getelementptr i8, ptr addrspace(7) %buffer, i32 %n
  %byte = load i8, ptr addrspace(7) %p, align 1, !invariant.load !0
  %q = getelementptr i16, ptr addrspace(7) %buffer, i32 %n
  %short = load half, ptr addrspace(7) %q, align 2, !invariant.load !0
  %mine = getelementptr i8, ptr addrspace(7) %buffer, i32 %x
  %own = load i8, ptr addrspace(7) %mine, align 1, !invariant.load !0
  store volatile i8 %byte, ptr addrspace(1) null
  store volatile half %short, ptr addrspace(1) null
  store volatile i8 %own, ptr addrspace(1) null
  ret void
}

; Neighbours are one load, at the place of the earliest, where no offset between them can wrap; what has no neighbour is
; alone.
; CHECK-LABEL: define amdgpu_cs void @neighbours(
; CHECK: [[AT:%.*]] = add i32 {{%.*}}, 8
; CHECK: [[X4:%.*]] = call <4 x i32> @llvm.amdgcn.s.buffer.load.v4i32(<4 x i32> {{.*}}, i32 [[AT]], i32 0)
; CHECK: extractelement <4 x i32> [[X4]], i64 0
; CHECK: shufflevector <4 x i32> [[X4]], <4 x i32> poison, <2 x i32> <i32 1, i32 2>
; CHECK: extractelement <4 x i32> [[X4]], i64 3
; CHECK: call i32 @llvm.amdgcn.s.buffer.load.i32
; CHECK-NOT: buffer.load
; CHECK: ret void
define amdgpu_cs void @neighbours(ptr addrspace(8) inreg %descriptor, i32 inreg %n) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %row = getelementptr [8 x i32], ptr addrspace(7) %buffer, i32 %n
  %p1 = getelementptr i8, ptr addrspace(7) %row, i32 12
  %b = load i64, ptr addrspace(7) %p1, align 4, !invariant.load !0
  %p0 = getelementptr i8, ptr addrspace(7) %row, i32 8
  %a = load i32, ptr addrspace(7) %p0, align 4, !invariant.load !0
  %p2 = getelementptr i8, ptr addrspace(7) %row, i32 20
  %c = load float, ptr addrspace(7) %p2, align 4, !invariant.load !0
  %p3 = getelementptr i8, ptr addrspace(7) %row, i32 28
  %d = load i32, ptr addrspace(7) %p3, align 4, !invariant.load !0
  store volatile i32 %a, ptr addrspace(1) null
  store volatile i64 %b, ptr addrspace(1) null
  store volatile float %c, ptr addrspace(1) null
  store volatile i32 %d, ptr addrspace(1) null
  ret void
}

; A load and a store by one divergent resource share a loop.
; CHECK-LABEL: define amdgpu_cs i32 @waterfall(
; CHECK: waterfall:
; CHECK-COUNT-2: readfirstlane
; CHECK: br i1 [[SERVED:%.*]], label %waterfall.body, label %waterfall.next
; CHECK: waterfall.body:
; CHECK: buffer.load
; CHECK: buffer.store
; CHECK: br label %waterfall.next
; CHECK: waterfall.next:
; CHECK: phi i32 [ %v, %waterfall.body ], [ poison, %waterfall ]
; CHECK: br i1 [[SERVED]], label %waterfall.done, label %waterfall
; ASM-LABEL: waterfall:
; ASM-COUNT-4: v_readfirstlane
; ASM-NOT: v_readfirstlane
; ASM: buffer_load_b32
; ASM-NOT: v_readfirstlane
; ASM: buffer_store_b32
define amdgpu_cs i32 @waterfall(ptr addrspace(8) %descriptor, i32 %x) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %p = getelementptr i32, ptr addrspace(7) %buffer, i32 %x
  %v = load i32, ptr addrspace(7) %p, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(7) %p, align 4
  ret i32 %v
}

; Not over what all lanes do together, and not for one access.
; CHECK-LABEL: define amdgpu_cs i32 @together(
; CHECK-NOT: readfirstlane
; CHECK: ret i32
define amdgpu_cs i32 @together(ptr addrspace(8) %descriptor, i32 %x) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %v = load i32, ptr addrspace(7) %buffer, align 4
  call void @llvm.amdgcn.s.barrier()
  store i32 %x, ptr addrspace(7) %buffer, align 4
  ret i32 %v
}

!0 = !{}
