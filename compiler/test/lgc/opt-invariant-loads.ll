; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=opt-invariant-loads %s | FileCheck %s

declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)
declare void @lgc.texel.store(i32, <4 x i32>, i32, <4 x i32>)
declare void @lgc.barrier()
declare void @lgc.anchor()
declare half @lgc.fptrunc.f16(float, i1)
declare void @elsewhere(ptr addrspace(7))

; What is read only is invariant, whatever is written next to it; volatile loads stay what they are.
; CHECK-LABEL: define void @reads
; CHECK: %first = load i32, ptr addrspace(7) %in, align 4, !invariant.load
; CHECK: %second = load i32, ptr addrspace(7) %step, align 4, !invariant.load
; CHECK: %third = load volatile i32, ptr addrspace(7) %in, align 4{{$}}
; CHECK: %fourth = load i32, ptr addrspace(7) %out, align 4{{$}}
define void @reads(i32 %i) {
  %in = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0), !lgc.unaliased !0
  %out = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 1, i32 0), !lgc.unaliased !0
  %first = load i32, ptr addrspace(7) %in, align 4
  store i32 %first, ptr addrspace(7) %out, align 4
  %step = getelementptr i32, ptr addrspace(7) %in, i32 %i
  %second = load i32, ptr addrspace(7) %step, align 4
  %third = load volatile i32, ptr addrspace(7) %in, align 4
  %fourth = load i32, ptr addrspace(7) %out, align 4
  fence syncscope("workgroup") release
  call void @lgc.barrier()
  call void @lgc.anchor()
  %half = call half @lgc.fptrunc.f16(float 1.0, i1 true)
  fence syncscope("workgroup") acquire
  ret void
}

; Elements of one binding may be one buffer; so may two variables of it.
; CHECK-LABEL: define void @elements
; CHECK-NOT: !invariant.load
; CHECK: ret void
define void @elements(i32 %i) {
  %one = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0), !lgc.unaliased !0
  %other = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 1), !lgc.unaliased !0
  %v = load i32, ptr addrspace(7) %one, align 4
  %old = atomicrmw add ptr addrspace(7) %other, i32 %v monotonic
  ret void
}

; A pointer into one of two buffers, of which one is written.
; CHECK-LABEL: define void @chosen
; CHECK: %v = load i32, ptr addrspace(7) %p, align 4{{$}}
; CHECK: %w = load i32, ptr addrspace(7) %read, align 4, !invariant.load
define void @chosen(i1 %c) {
  %read = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0), !lgc.unaliased !0
  %written = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 1, i32 0), !lgc.unaliased !0
  %p = select i1 %c, ptr addrspace(7) %read, ptr addrspace(7) %written
  %v = load i32, ptr addrspace(7) %p, align 4
  %w = load i32, ptr addrspace(7) %read, align 4
  store i32 %w, ptr addrspace(7) %written, align 4
  ret void
}

; CHECK-LABEL: define void @aliased
; CHECK-NOT: !invariant.load
; CHECK: ret void
define void @aliased() {
  %in = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0)
  %v = load i32, ptr addrspace(7) %in, align 4
  ret void
}

; A texel buffer is of another variable.
; CHECK-LABEL: define void @texels
; CHECK: !invariant.load
define void @texels(<4 x i32> %buffer) {
  %in = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0), !lgc.unaliased !0
  %v = load i32, ptr addrspace(7) %in, align 4
  call void @lgc.texel.store(i32 0, <4 x i32> %buffer, i32 %v, <4 x i32> zeroinitializer)
  ret void
}

; Writes that no descriptor leads to: by device addresses, and by pointers that went away.
; CHECK-LABEL: define void @addresses
; CHECK-NOT: !invariant.load
; CHECK: ret void
define void @addresses(ptr addrspace(1) %address) {
  %in = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0), !lgc.unaliased !0
  %v = load i32, ptr addrspace(7) %in, align 4
  store i32 %v, ptr addrspace(1) %address
  ret void
}

; CHECK-LABEL: define void @escapes
; CHECK-NOT: !invariant.load
; CHECK: ret void
define void @escapes() {
  %slot = alloca ptr addrspace(7), addrspace(5)
  %in = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0), !lgc.unaliased !0
  %out = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 1, i32 0), !lgc.unaliased !0
  %v = load i32, ptr addrspace(7) %in, align 4
  store ptr addrspace(7) %out, ptr addrspace(5) %slot
  ret void
}

; CHECK-LABEL: define void @passes
; CHECK-NOT: !invariant.load
; CHECK: ret void
define void @passes() {
  %in = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0), !lgc.unaliased !0
  %v = load i32, ptr addrspace(7) %in, align 4
  call void @elsewhere(ptr addrspace(7) %in)
  ret void
}

; What other dispatches wrote becomes visible.
; CHECK-LABEL: define void @acquires
; CHECK-NOT: !invariant.load
; CHECK: ret void
define void @acquires() {
  %in = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0), !lgc.unaliased !0
  %before = load i32, ptr addrspace(7) %in, align 4
  fence syncscope("agent") acquire
  %after = load i32, ptr addrspace(7) %in, align 4
  ret void
}

!0 = !{}
