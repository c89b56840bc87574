; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -mcpu=gfx1100 -passes=lower-buffer-fat-pointers %s | FileCheck %s
; RUN: %opt -mcpu=gfx1100 -passes=lower-buffer-fat-pointers %s | %llc -mcpu=gfx1100 | FileCheck %s --check-prefix=ASM

; ASM: s_buffer_load_b128
; ASM: buffer_load_b32

; CHECK-LABEL: define amdgpu_cs void @main(
; CHECK: [[R:%.*]] = ptrtoint ptr addrspace(8) %descriptor to i128
; CHECK: [[V:%.*]] = bitcast i128 [[R]] to <4 x i32>
; CHECK: [[L:%.*]] = call <4 x i32> @llvm.amdgcn.s.buffer.load.v4i32(<4 x i32> [[V]], i32 {{.*}}, i32 0)
; CHECK: bitcast <4 x i32> [[L]] to <4 x float>
; One of a lane's own, one of a buffer that is written, a volatile one, one of bytes, and one by a
; descriptor of the lane's own stay.
; CHECK-NOT: s.buffer.load
; CHECK: %own = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32
; CHECK: %written = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32
; CHECK: %again = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) align 4 %descriptor, i32 {{.*}}, i32 0, i32 -2147483648)
; CHECK: %byte = call i8 @llvm.amdgcn.raw.ptr.buffer.load.i8
; CHECK: %far = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32
define amdgpu_cs void @main(ptr addrspace(8) inreg %descriptor, ptr addrspace(4) inreg %table, i32 inreg %n, i32 %x) {
  %buffer = addrspacecast ptr addrspace(8) %descriptor to ptr addrspace(7)
  %row = getelementptr [16 x i8], ptr addrspace(7) %buffer, i32 %n
  %at = getelementptr i8, ptr addrspace(7) %row, i32 32
  %same = load <4 x float>, ptr addrspace(7) %at, align 4, !invariant.load !0
  %mine = getelementptr i32, ptr addrspace(7) %buffer, i32 %x
  %own = load i32, ptr addrspace(7) %mine, align 4, !invariant.load !0
  %written = load i32, ptr addrspace(7) %at, align 4
  %again = load volatile i32, ptr addrspace(7) %at, align 4, !invariant.load !0
  %byte = load i8, ptr addrspace(7) %at, align 1, !invariant.load !0
  %place = getelementptr [16 x i8], ptr addrspace(4) %table, i32 %x
  %other = load ptr addrspace(8), ptr addrspace(4) %place, align 4, !invariant.load !0
  %many = addrspacecast ptr addrspace(8) %other to ptr addrspace(7)
  %far = load i32, ptr addrspace(7) %many, align 4, !invariant.load !0
  store volatile <4 x float> %same, ptr addrspace(1) null
  store volatile i32 %own, ptr addrspace(1) null
  store volatile i32 %written, ptr addrspace(1) null
  store volatile i32 %again, ptr addrspace(1) null
  store volatile i8 %byte, ptr addrspace(1) null
  store volatile i32 %far, ptr addrspace(1) null
  ret void
}

!0 = !{}
