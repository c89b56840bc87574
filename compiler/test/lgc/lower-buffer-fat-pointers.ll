; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=lower-buffer-fat-pointers,verify %s | FileCheck %s
; RUN: %opt -mcpu=gfx1100 -passes=lower-buffer-fat-pointers %s | FileCheck %s --check-prefix=GONE

; GONE-NOT: addrspace(7)
; GONE-NOT: addrspace(9)

; In memory: 20 bytes in slots of 32.
; CHECK: @slots = internal addrspace(3) global [2 x <{ i160, [8 x i8] }>] undef, align 32
@slots = internal addrspace(3) global [2 x ptr addrspace(7)] undef
; CHECK: @known = addrspace(1) constant <{ i32, [28 x i8], <{ i160, [8 x i8] }> }> <{ i32 7, [28 x i8] undef, <{ i160, [8 x i8] }> <{ i160 77, [8 x i8] undef }> }>, align 32
@known = addrspace(1) constant {i32, ptr addrspace(7)} {i32 7, ptr addrspace(7) inttoptr (i160 77 to ptr addrspace(7))}

; A constant step stays last.
; CHECK-LABEL: define amdgpu_gfx float @steps({ ptr addrspace(8), i32 } inreg %p, i32 %i)
; CHECK: %p.rsrc = extractvalue { ptr addrspace(8), i32 } %p, 0
; CHECK: %p.off = extractvalue { ptr addrspace(8), i32 } %p, 1
; CHECK: [[STEP:%.*]] = mul nsw i32 %i, 4
; CHECK: %q.off = add i32 %p.off, [[STEP]]
; CHECK: %r.off = add nuw i32 %q.off, 16
; CHECK: %x = call float @llvm.amdgcn.raw.ptr.buffer.load.f32(ptr addrspace(8) align 4 %p.rsrc, i32 %r.off, i32 0, i32 0)
; CHECK: [[SUM:%.*]] = add i32 %q.off, %i
; CHECK: %s.off = add i32 [[SUM]], 16
; CHECK: call void @llvm.amdgcn.raw.ptr.buffer.store.f32(float %x, ptr addrspace(8) align 4 %p.rsrc, i32 %s.off, i32 0, i32 0)
define amdgpu_gfx float @steps(ptr addrspace(7) inreg %p, i32 %i) {
  %q = getelementptr inbounds float, ptr addrspace(7) %p, i32 %i
  %r = getelementptr inbounds i8, ptr addrspace(7) %q, i32 16
  %x = load float, ptr addrspace(7) %r, align 4
  %s = getelementptr inbounds i8, ptr addrspace(7) %r, i32 %i
  store float %x, ptr addrspace(7) %s, align 4
  ret float %x
}

; One resource in the whole loop, one offset that moves.
; CHECK-LABEL: define void @loop(
; CHECK-NOT: phi ptr
; CHECK: %p.off = phi i32 [ 0, %entry ], [ %next.off, %body ]
; CHECK: call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 7, ptr addrspace(8) align 4 %r, i32 %p.off,
; CHECK: %next.off = add i32 %p.off, 4
; CHECK: %done = icmp eq i32 %next.off, 64
define void @loop(ptr addrspace(8) inreg %r) {
entry:
  %base = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %end = getelementptr i8, ptr addrspace(7) %base, i32 64
  br label %body
body:
  %p = phi ptr addrspace(7) [%base, %entry], [%next, %body]
  store i32 7, ptr addrspace(7) %p
  %next = getelementptr i32, ptr addrspace(7) %p, i32 1
  %done = icmp eq ptr addrspace(7) %next, %end
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; Different ones: both parts are chosen. The order is that of a number of 160 bits.
; CHECK-LABEL: define i1 @choose(
; CHECK: %s.rsrc = select i1 %c, ptr addrspace(8) %a.rsrc, ptr addrspace(8) %b.rsrc
; CHECK: %s.off = select i1 %c, i32 %a.off, i32 %b.off
; CHECK: [[A:%.*]] = ptrtoint ptr addrspace(8) %a.rsrc to i128
; CHECK: [[S:%.*]] = ptrtoint ptr addrspace(8) %s.rsrc to i128
; CHECK: [[LOW:%.*]] = icmp ult i32 %a.off, %s.off
; CHECK: [[HIGH:%.*]] = icmp slt i128 [[A]], [[S]]
; CHECK: [[SAME:%.*]] = icmp eq i128 [[A]], [[S]]
; CHECK: %less = select i1 [[SAME]], i1 [[LOW]], i1 [[HIGH]]
define i1 @choose(i1 %c, ptr addrspace(7) %a, ptr addrspace(7) %b) {
  %s = select i1 %c, ptr addrspace(7) %a, ptr addrspace(7) %b
  %less = icmp slt ptr addrspace(7) %a, %s
  ret i1 %less
}

; Calls pass structs; musttail calls have nothing after them.
; CHECK-LABEL: define { ptr addrspace(8), i32 } @calls(
; CHECK: %r = musttail call { ptr addrspace(8), i32 } @calls({ ptr addrspace(8), i32 } {{%.*}}, ptr %f)
; CHECK-NEXT: ret { ptr addrspace(8), i32 } %r
define ptr addrspace(7) @calls(ptr addrspace(7) %p, ptr %f) {
  %q = call ptr addrspace(7) %f({i32, ptr addrspace(7)} {i32 3, ptr addrspace(7) null}, ptr addrspace(7) %p)
  %n = getelementptr i8, ptr addrspace(7) %q, i32 4
  %r = musttail call ptr addrspace(7) @calls(ptr addrspace(7) %n, ptr %f)
  ret ptr addrspace(7) %r
}

; CHECK-LABEL: define void @memory(
; CHECK: [[AT:%.*]] = getelementptr i8, ptr addrspace(3) @slots, i32 {{%.*}}
; CHECK: store i160 {{%.*}}, ptr addrspace(3) [[AT]], align 32
define void @memory(ptr addrspace(7) %p, i32 %i) {
  %slot = getelementptr ptr addrspace(7), ptr addrspace(3) @slots, i32 %i
  store ptr addrspace(7) %p, ptr addrspace(3) %slot, align 32
  ret void
}

; CHECK-LABEL: define void @strided(
; CHECK: call void @llvm.amdgcn.struct.ptr.buffer.store.i32(i32 5, ptr addrspace(8) align 4 %p.rsrc, i32 %p.index, i32 %q.off, i32 0, i32 0)
define void @strided(ptr addrspace(9) %p) {
  %q = getelementptr i8, ptr addrspace(9) %p, i32 8
  store i32 5, ptr addrspace(9) %q
  ret void
}

; CHECK: declare void @outside({ ptr addrspace(8), i32 })
declare void @outside(ptr addrspace(7) noalias nonnull)
; CHECK: !0 = !{{[{][{]}} ptr addrspace(8), i32 } zeroinitializer}
!named = !{!0}
!0 = !{ptr addrspace(7) null}
