; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Atomics: every operation, width, ordering and scope.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define i32 @rmw-xchg-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw xchg ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-add-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw add ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-sub-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw sub ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-and-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw and ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-or-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw or ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-xor-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw xor ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-nand-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw nand ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-max-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw max ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-min-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw min ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-umax-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw umax ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-umin-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw umin ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-uinc_wrap-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw uinc_wrap ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-udec_wrap-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw udec_wrap ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-usub_cond-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw usub_cond ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i32 @rmw-usub_sat-i32(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw usub_sat ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

define i64 @rmw-xchg-i64(ptr addrspace(7) %p, i64 %v) {
  %old = atomicrmw xchg ptr addrspace(7) %p, i64 %v syncscope("agent") monotonic, align 8
  ret i64 %old
}

define i64 @rmw-add-i64(ptr addrspace(7) %p, i64 %v) {
  %old = atomicrmw add ptr addrspace(7) %p, i64 %v syncscope("agent") monotonic, align 8
  ret i64 %old
}

define i64 @rmw-sub-i64(ptr addrspace(7) %p, i64 %v) {
  %old = atomicrmw sub ptr addrspace(7) %p, i64 %v syncscope("agent") monotonic, align 8
  ret i64 %old
}

define i64 @rmw-and-i64(ptr addrspace(7) %p, i64 %v) {
  %old = atomicrmw and ptr addrspace(7) %p, i64 %v syncscope("agent") monotonic, align 8
  ret i64 %old
}

define i64 @rmw-xor-i64(ptr addrspace(7) %p, i64 %v) {
  %old = atomicrmw xor ptr addrspace(7) %p, i64 %v syncscope("agent") monotonic, align 8
  ret i64 %old
}

define i64 @rmw-min-i64(ptr addrspace(7) %p, i64 %v) {
  %old = atomicrmw min ptr addrspace(7) %p, i64 %v syncscope("agent") monotonic, align 8
  ret i64 %old
}

define i64 @rmw-umax-i64(ptr addrspace(7) %p, i64 %v) {
  %old = atomicrmw umax ptr addrspace(7) %p, i64 %v syncscope("agent") monotonic, align 8
  ret i64 %old
}

define i64 @rmw-uinc_wrap-i64(ptr addrspace(7) %p, i64 %v) {
  %old = atomicrmw uinc_wrap ptr addrspace(7) %p, i64 %v syncscope("agent") monotonic, align 8
  ret i64 %old
}

define i64 @rmw-nand-i64(ptr addrspace(7) %p, i64 %v) {
  %old = atomicrmw nand ptr addrspace(7) %p, i64 %v syncscope("agent") monotonic, align 8
  ret i64 %old
}

define float @rmw-fadd-float(ptr addrspace(7) %p, float %v) {
  %old = atomicrmw fadd ptr addrspace(7) %p, float %v syncscope("agent") monotonic, align 4
  ret float %old
}

define float @rmw-fsub-float(ptr addrspace(7) %p, float %v) {
  %old = atomicrmw fsub ptr addrspace(7) %p, float %v syncscope("agent") monotonic, align 4
  ret float %old
}

define float @rmw-fmax-float(ptr addrspace(7) %p, float %v) {
  %old = atomicrmw fmax ptr addrspace(7) %p, float %v syncscope("agent") monotonic, align 4
  ret float %old
}

define float @rmw-fmin-float(ptr addrspace(7) %p, float %v) {
  %old = atomicrmw fmin ptr addrspace(7) %p, float %v syncscope("agent") monotonic, align 4
  ret float %old
}

define float @rmw-fmaximum-float(ptr addrspace(7) %p, float %v) {
  %old = atomicrmw fmaximum ptr addrspace(7) %p, float %v syncscope("agent") monotonic, align 4
  ret float %old
}

define float @rmw-fminimum-float(ptr addrspace(7) %p, float %v) {
  %old = atomicrmw fminimum ptr addrspace(7) %p, float %v syncscope("agent") monotonic, align 4
  ret float %old
}

define float @rmw-xchg-float(ptr addrspace(7) %p, float %v) {
  %old = atomicrmw xchg ptr addrspace(7) %p, float %v syncscope("agent") monotonic, align 4
  ret float %old
}

define double @rmw-fadd-double(ptr addrspace(7) %p, double %v) {
  %old = atomicrmw fadd ptr addrspace(7) %p, double %v syncscope("agent") monotonic, align 8
  ret double %old
}

define double @rmw-fmin-double(ptr addrspace(7) %p, double %v) {
  %old = atomicrmw fmin ptr addrspace(7) %p, double %v syncscope("agent") monotonic, align 8
  ret double %old
}

define double @rmw-xchg-double(ptr addrspace(7) %p, double %v) {
  %old = atomicrmw xchg ptr addrspace(7) %p, double %v syncscope("agent") monotonic, align 8
  ret double %old
}

define half @rmw-fadd-half(ptr addrspace(7) %p, half %v) {
  %old = atomicrmw fadd ptr addrspace(7) %p, half %v syncscope("agent") monotonic, align 2
  ret half %old
}

define <2 x half> @rmw-fadd-v2xhalf(ptr addrspace(7) %p, <2 x half> %v) {
  %old = atomicrmw fadd ptr addrspace(7) %p, <2 x half> %v syncscope("agent") monotonic, align 4
  ret <2 x half> %old
}

define i8 @rmw-add-i8(ptr addrspace(7) %p, i32 %index, i8 %v) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %old = atomicrmw add ptr addrspace(7) %q, i8 %v syncscope("agent") monotonic, align 1
  ret i8 %old
}

define i8 @rmw-xchg-i8(ptr addrspace(7) %p, i32 %index, i8 %v) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %old = atomicrmw xchg ptr addrspace(7) %q, i8 %v syncscope("agent") monotonic, align 1
  ret i8 %old
}

define half @rmw-xchg-half(ptr addrspace(7) %p, i32 %index, half %v) {
  %q = getelementptr half, ptr addrspace(7) %p, i32 %index
  %old = atomicrmw xchg ptr addrspace(7) %q, half %v syncscope("agent") monotonic, align 2
  ret half %old
}

define i8 @rmw-umax-i8(ptr addrspace(7) %p, i32 %index, i8 %v) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %old = atomicrmw umax ptr addrspace(7) %q, i8 %v syncscope("agent") monotonic, align 1
  ret i8 %old
}

define i16 @rmw-add-i16(ptr addrspace(7) %p, i32 %index, i16 %v) {
  %q = getelementptr i16, ptr addrspace(7) %p, i32 %index
  %old = atomicrmw add ptr addrspace(7) %q, i16 %v syncscope("agent") monotonic, align 2
  ret i16 %old
}

define i16 @rmw-xchg-i16(ptr addrspace(7) %p, i32 %index, i16 %v) {
  %q = getelementptr i16, ptr addrspace(7) %p, i32 %index
  %old = atomicrmw xchg ptr addrspace(7) %q, i16 %v syncscope("agent") monotonic, align 2
  ret i16 %old
}

define i16 @rmw-umax-i16(ptr addrspace(7) %p, i32 %index, i16 %v) {
  %q = getelementptr i16, ptr addrspace(7) %p, i32 %index
  %old = atomicrmw umax ptr addrspace(7) %q, i16 %v syncscope("agent") monotonic, align 2
  ret i16 %old
}

define i32 @rmw-add-acquire(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %v) {
  store i32 1, ptr addrspace(7) %q, align 4
  %old = atomicrmw add ptr addrspace(7) %p, i32 %v syncscope("agent") acquire, align 4
  %x = load i32, ptr addrspace(7) %q, align 4
  %s = add i32 %old, %x
  ret i32 %s
}

define i32 @rmw-add-release(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %v) {
  store i32 1, ptr addrspace(7) %q, align 4
  %old = atomicrmw add ptr addrspace(7) %p, i32 %v syncscope("agent") release, align 4
  %x = load i32, ptr addrspace(7) %q, align 4
  %s = add i32 %old, %x
  ret i32 %s
}

define i32 @rmw-add-acq-rel(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %v) {
  store i32 1, ptr addrspace(7) %q, align 4
  %old = atomicrmw add ptr addrspace(7) %p, i32 %v syncscope("agent") acq_rel, align 4
  %x = load i32, ptr addrspace(7) %q, align 4
  %s = add i32 %old, %x
  ret i32 %s
}

define i32 @rmw-add-seq-cst(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %v) {
  store i32 1, ptr addrspace(7) %q, align 4
  %old = atomicrmw add ptr addrspace(7) %p, i32 %v syncscope("agent") seq_cst, align 4
  %x = load i32, ptr addrspace(7) %q, align 4
  %s = add i32 %old, %x
  ret i32 %s
}

define i32 @rmw-or-system(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw or ptr addrspace(7) %p, i32 %v seq_cst, align 4
  ret i32 %old
}

define i32 @rmw-or-workgroup(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw or ptr addrspace(7) %p, i32 %v syncscope("workgroup") seq_cst, align 4
  ret i32 %old
}

define i32 @rmw-or-wavefront(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw or ptr addrspace(7) %p, i32 %v syncscope("wavefront") seq_cst, align 4
  ret i32 %old
}

define i32 @rmw-or-singlethread(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw or ptr addrspace(7) %p, i32 %v syncscope("singlethread") seq_cst, align 4
  ret i32 %old
}

define i32 @rmw-or-agent-one-as(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw or ptr addrspace(7) %p, i32 %v syncscope("agent-one-as") seq_cst, align 4
  ret i32 %old
}

define i32 @rmw-volatile(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw volatile add ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4
  ret i32 %old
}

; Promised to be in ordinary memory: native without a loop.
define i32 @rmw-no-fine-grained(ptr addrspace(7) %p, i32 %v) {
  %old = atomicrmw xor ptr addrspace(7) %p, i32 %v syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0
  ret i32 %old
}

define void @rmw-unused(ptr addrspace(7) %p, i32 %index, i32 %v) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %old = atomicrmw add ptr addrspace(7) %q, i32 %v syncscope("agent") monotonic, align 4
  ret void
}

define void @rmw-chosen-by-lane(ptr addrspace(7) %p, ptr addrspace(7) %q, i1 %c, i32 %v) {
  %r = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %q
  %old = atomicrmw umax ptr addrspace(7) %r, i32 %v syncscope("agent") monotonic, align 4
  ret void
}

define { i8, i1 } @cmpxchg-i8(ptr addrspace(7) %p, i8 %old, i8 %new) {
  %r = cmpxchg ptr addrspace(7) %p, i8 %old, i8 %new syncscope("agent") monotonic monotonic, align 1
  ret { i8, i1 } %r
}

define { i16, i1 } @cmpxchg-i16(ptr addrspace(7) %p, i16 %old, i16 %new) {
  %r = cmpxchg ptr addrspace(7) %p, i16 %old, i16 %new syncscope("agent") monotonic monotonic, align 2
  ret { i16, i1 } %r
}

define { i32, i1 } @cmpxchg-i32(ptr addrspace(7) %p, i32 %old, i32 %new) {
  %r = cmpxchg ptr addrspace(7) %p, i32 %old, i32 %new syncscope("agent") monotonic monotonic, align 4
  ret { i32, i1 } %r
}

define { i64, i1 } @cmpxchg-i64(ptr addrspace(7) %p, i64 %old, i64 %new) {
  %r = cmpxchg ptr addrspace(7) %p, i64 %old, i64 %new syncscope("agent") monotonic monotonic, align 8
  ret { i64, i1 } %r
}

; What is expected is what is there.
define { i32, i1 } @cmpxchg-succeeds(ptr addrspace(7) %p, i32 %new) {
  %old = load i32, ptr addrspace(7) %p, align 4
  %r = cmpxchg ptr addrspace(7) %p, i32 %old, i32 %new syncscope("agent") acq_rel acquire, align 4
  ret { i32, i1 } %r
}

define { i16, i1 } @cmpxchg-succeeds-i16(ptr addrspace(7) %p, i32 %index, i16 %new) {
  %q = getelementptr i16, ptr addrspace(7) %p, i32 %index
  %old = load i16, ptr addrspace(7) %q, align 2
  %r = cmpxchg ptr addrspace(7) %q, i16 %old, i16 %new syncscope("agent") monotonic monotonic, align 2
  ret { i16, i1 } %r
}

define { i64, i1 } @cmpxchg-succeeds-i64(ptr addrspace(7) %p, i64 %new) {
  %old = load i64, ptr addrspace(7) %p, align 8
  %r = cmpxchg weak volatile ptr addrspace(7) %p, i64 %old, i64 %new syncscope("agent") seq_cst monotonic, align 8
  ret { i64, i1 } %r
}

define i32 @load-atomic(ptr addrspace(7) %p) {
  %v = load atomic i32, ptr addrspace(7) %p syncscope("agent") acquire, align 4
  ret i32 %v
}

define i64 @load-atomic-seq-cst(ptr addrspace(7) %p) {
  %v = load atomic i64, ptr addrspace(7) %p syncscope("workgroup") seq_cst, align 8
  ret i64 %v
}

define i16 @load-atomic-unordered(ptr addrspace(7) %p) {
  %v = load atomic i16, ptr addrspace(7) %p unordered, align 2
  ret i16 %v
}

define float @load-atomic-float(ptr addrspace(7) %p) {
  %v = load atomic float, ptr addrspace(7) %p syncscope("agent") monotonic, align 4
  ret float %v
}

define void @store-atomic(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %v) {
  store i32 %v, ptr addrspace(7) %q, align 4
  store atomic i32 1, ptr addrspace(7) %p syncscope("agent") release, align 4
  ret void
}

define void @store-atomic-seq-cst(ptr addrspace(7) %p, i64 %v) {
  store atomic i64 %v, ptr addrspace(7) %p seq_cst, align 8
  ret void
}

define void @store-atomic-i8(ptr addrspace(7) %p, i8 %v) {
  store atomic i8 %v, ptr addrspace(7) %p syncscope("agent") monotonic, align 1
  ret void
}

define i32 @fences(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %v) {
  store i32 %v, ptr addrspace(7) %p, align 4
  fence syncscope("agent") release
  store atomic i32 1, ptr addrspace(7) %q syncscope("agent") monotonic, align 4
  %w = load atomic i32, ptr addrspace(7) %q syncscope("agent") monotonic, align 4
  fence syncscope("agent") acquire
  %x = load i32, ptr addrspace(7) %p, align 4
  %s = add i32 %w, %x
  ret i32 %s
}

!0 = !{}
