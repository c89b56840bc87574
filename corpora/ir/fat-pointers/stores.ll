; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Stores of every kind of type; bytes between and behind are left alone.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define void @store-i8(ptr addrspace(7) %p, i8 %v) {
  store i8 %v, ptr addrspace(7) %p, align 1
  ret void
}

define void @store-i16(ptr addrspace(7) %p, i16 %v) {
  store i16 %v, ptr addrspace(7) %p, align 2
  ret void
}

define void @store-i32(ptr addrspace(7) %p, i32 %v) {
  store i32 %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-i64(ptr addrspace(7) %p, i64 %v) {
  store i64 %v, ptr addrspace(7) %p, align 8
  ret void
}

define void @store-i128(ptr addrspace(7) %p, i128 %v) {
  store i128 %v, ptr addrspace(7) %p, align 16
  ret void
}

define void @store-half(ptr addrspace(7) %p, half %v) {
  store half %v, ptr addrspace(7) %p, align 2
  ret void
}

define void @store-bfloat(ptr addrspace(7) %p, bfloat %v) {
  store bfloat %v, ptr addrspace(7) %p, align 2
  ret void
}

define void @store-float(ptr addrspace(7) %p, float %v) {
  store float %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-double(ptr addrspace(7) %p, double %v) {
  store double %v, ptr addrspace(7) %p, align 8
  ret void
}

define void @store-v2xi8(ptr addrspace(7) %p, <2 x i8> %v) {
  store <2 x i8> %v, ptr addrspace(7) %p, align 2
  ret void
}

define void @store-v3xi8(ptr addrspace(7) %p, <3 x i8> %v) {
  store <3 x i8> %v, ptr addrspace(7) %p, align 1
  ret void
}

define void @store-v4xi8(ptr addrspace(7) %p, <4 x i8> %v) {
  store <4 x i8> %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-v6xi8(ptr addrspace(7) %p, <6 x i8> %v) {
  store <6 x i8> %v, ptr addrspace(7) %p, align 2
  ret void
}

define void @store-v2xi16(ptr addrspace(7) %p, <2 x i16> %v) {
  store <2 x i16> %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-v3xi16(ptr addrspace(7) %p, <3 x i16> %v) {
  store <3 x i16> %v, ptr addrspace(7) %p, align 2
  ret void
}

define void @store-v2xhalf(ptr addrspace(7) %p, <2 x half> %v) {
  store <2 x half> %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-v2xi32(ptr addrspace(7) %p, <2 x i32> %v) {
  store <2 x i32> %v, ptr addrspace(7) %p, align 8
  ret void
}

define void @store-v3xi32(ptr addrspace(7) %p, <3 x i32> %v) {
  store <3 x i32> %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-v3xfloat(ptr addrspace(7) %p, <3 x float> %v) {
  store <3 x float> %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-v4xi32(ptr addrspace(7) %p, <4 x i32> %v) {
  store <4 x i32> %v, ptr addrspace(7) %p, align 16
  ret void
}

define void @store-v4xfloat(ptr addrspace(7) %p, <4 x float> %v) {
  store <4 x float> %v, ptr addrspace(7) %p, align 16
  ret void
}

define void @store-v5xi32(ptr addrspace(7) %p, <5 x i32> %v) {
  store <5 x i32> %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-v8xi32(ptr addrspace(7) %p, <8 x i32> %v) {
  store <8 x i32> %v, ptr addrspace(7) %p, align 16
  ret void
}

define void @store-v16xfloat(ptr addrspace(7) %p, <16 x float> %v) {
  store <16 x float> %v, ptr addrspace(7) %p, align 16
  ret void
}

define void @store-v32xi32(ptr addrspace(7) %p, <32 x i32> %v) {
  store <32 x i32> %v, ptr addrspace(7) %p, align 16
  ret void
}

define void @store-v2xi64(ptr addrspace(7) %p, <2 x i64> %v) {
  store <2 x i64> %v, ptr addrspace(7) %p, align 16
  ret void
}

define void @store-v3xdouble(ptr addrspace(7) %p, <3 x double> %v) {
  store <3 x double> %v, ptr addrspace(7) %p, align 8
  ret void
}

define void @store-i24(ptr addrspace(7) %p, i24 %v) {
  store i24 %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-i48(ptr addrspace(7) %p, i48 %v) {
  store i48 %v, ptr addrspace(7) %p, align 8
  ret void
}

define void @store-i1(ptr addrspace(7) %p, i1 %v) {
  store i1 %v, ptr addrspace(7) %p, align 1
  ret void
}

define void @store-i7(ptr addrspace(7) %p, i7 %v) {
  store i7 %v, ptr addrspace(7) %p, align 1
  ret void
}

define void @store-i96(ptr addrspace(7) %p, i96 %v) {
  store i96 %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-i1024(ptr addrspace(7) %p, i1024 %v) {
  store i1024 %v, ptr addrspace(7) %p, align 16
  ret void
}

define void @store-v8xi1(ptr addrspace(7) %p, <8 x i1> %v) {
  store <8 x i1> %v, ptr addrspace(7) %p, align 1
  ret void
}

define void @store-s-i8-i32(ptr addrspace(7) %p, { i8, i32 } %v) {
  store { i8, i32 } %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-s-i32-s-i64-i8-a3xi16(ptr addrspace(7) %p, { i32, { i64, i8 }, [3 x i16] } %v) {
  store { i32, { i64, i8 }, [3 x i16] } %v, ptr addrspace(7) %p, align 8
  ret void
}

define void @store-a3xi32(ptr addrspace(7) %p, [3 x i32] %v) {
  store [3 x i32] %v, ptr addrspace(7) %p, align 4
  ret void
}

define void @store-a17xv4xfloat(ptr addrspace(7) %p, [17 x <4 x float>] %v) {
  store [17 x <4 x float>] %v, ptr addrspace(7) %p, align 16
  ret void
}

define void @store-packed-i8-i32-i16(ptr addrspace(7) %p, <{ i8, i32, i16 }> %v) {
  store <{ i8, i32, i16 }> %v, ptr addrspace(7) %p, align 1
  ret void
}

define void @store-i16-align-1(ptr addrspace(7) %p, i32 %index, i16 %v) {
  %at = mul i32 %index, 1
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  store i16 %v, ptr addrspace(7) %q, align 1
  ret void
}

define void @store-i32-align-1(ptr addrspace(7) %p, i32 %index, i32 %v) {
  %at = mul i32 %index, 1
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  store i32 %v, ptr addrspace(7) %q, align 1
  ret void
}

define void @store-i32-align-2(ptr addrspace(7) %p, i32 %index, i32 %v) {
  %at = mul i32 %index, 2
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  store i32 %v, ptr addrspace(7) %q, align 2
  ret void
}

define void @store-i64-align-1(ptr addrspace(7) %p, i32 %index, i64 %v) {
  %at = mul i32 %index, 1
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  store i64 %v, ptr addrspace(7) %q, align 1
  ret void
}

define void @store-i64-align-4(ptr addrspace(7) %p, i32 %index, i64 %v) {
  %at = mul i32 %index, 4
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  store i64 %v, ptr addrspace(7) %q, align 4
  ret void
}

define void @store-v4xi32-align-1(ptr addrspace(7) %p, i32 %index, <4 x i32> %v) {
  %at = mul i32 %index, 1
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  store <4 x i32> %v, ptr addrspace(7) %q, align 1
  ret void
}

define void @store-v4xi32-align-4(ptr addrspace(7) %p, i32 %index, <4 x i32> %v) {
  %at = mul i32 %index, 4
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  store <4 x i32> %v, ptr addrspace(7) %q, align 4
  ret void
}

define void @store-v2xi16-align-2(ptr addrspace(7) %p, i32 %index, <2 x i16> %v) {
  %at = mul i32 %index, 2
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  store <2 x i16> %v, ptr addrspace(7) %q, align 2
  ret void
}

define void @store-double-align-2(ptr addrspace(7) %p, i32 %index, double %v) {
  %at = mul i32 %index, 2
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  store double %v, ptr addrspace(7) %q, align 2
  ret void
}
