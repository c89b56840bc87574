; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Loads of every kind of type; what the hardware lacks is made of pieces.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define i8 @load-i8(ptr addrspace(7) %p) {
  %v = load i8, ptr addrspace(7) %p, align 1
  ret i8 %v
}

define i16 @load-i16(ptr addrspace(7) %p) {
  %v = load i16, ptr addrspace(7) %p, align 2
  ret i16 %v
}

define i32 @load-i32(ptr addrspace(7) %p) {
  %v = load i32, ptr addrspace(7) %p, align 4
  ret i32 %v
}

define i64 @load-i64(ptr addrspace(7) %p) {
  %v = load i64, ptr addrspace(7) %p, align 8
  ret i64 %v
}

define i128 @load-i128(ptr addrspace(7) %p) {
  %v = load i128, ptr addrspace(7) %p, align 16
  ret i128 %v
}

define half @load-half(ptr addrspace(7) %p) {
  %v = load half, ptr addrspace(7) %p, align 2
  ret half %v
}

define bfloat @load-bfloat(ptr addrspace(7) %p) {
  %v = load bfloat, ptr addrspace(7) %p, align 2
  ret bfloat %v
}

define float @load-float(ptr addrspace(7) %p) {
  %v = load float, ptr addrspace(7) %p, align 4
  ret float %v
}

define double @load-double(ptr addrspace(7) %p) {
  %v = load double, ptr addrspace(7) %p, align 8
  ret double %v
}

define <2 x i8> @load-v2xi8(ptr addrspace(7) %p) {
  %v = load <2 x i8>, ptr addrspace(7) %p, align 2
  ret <2 x i8> %v
}

define <3 x i8> @load-v3xi8(ptr addrspace(7) %p) {
  %v = load <3 x i8>, ptr addrspace(7) %p, align 1
  ret <3 x i8> %v
}

define <4 x i8> @load-v4xi8(ptr addrspace(7) %p) {
  %v = load <4 x i8>, ptr addrspace(7) %p, align 4
  ret <4 x i8> %v
}

define <6 x i8> @load-v6xi8(ptr addrspace(7) %p) {
  %v = load <6 x i8>, ptr addrspace(7) %p, align 2
  ret <6 x i8> %v
}

define <2 x i16> @load-v2xi16(ptr addrspace(7) %p) {
  %v = load <2 x i16>, ptr addrspace(7) %p, align 4
  ret <2 x i16> %v
}

define <3 x i16> @load-v3xi16(ptr addrspace(7) %p) {
  %v = load <3 x i16>, ptr addrspace(7) %p, align 2
  ret <3 x i16> %v
}

define <2 x half> @load-v2xhalf(ptr addrspace(7) %p) {
  %v = load <2 x half>, ptr addrspace(7) %p, align 4
  ret <2 x half> %v
}

define <2 x i32> @load-v2xi32(ptr addrspace(7) %p) {
  %v = load <2 x i32>, ptr addrspace(7) %p, align 8
  ret <2 x i32> %v
}

define <3 x i32> @load-v3xi32(ptr addrspace(7) %p) {
  %v = load <3 x i32>, ptr addrspace(7) %p, align 4
  ret <3 x i32> %v
}

define <3 x float> @load-v3xfloat(ptr addrspace(7) %p) {
  %v = load <3 x float>, ptr addrspace(7) %p, align 4
  ret <3 x float> %v
}

define <4 x i32> @load-v4xi32(ptr addrspace(7) %p) {
  %v = load <4 x i32>, ptr addrspace(7) %p, align 16
  ret <4 x i32> %v
}

define <4 x float> @load-v4xfloat(ptr addrspace(7) %p) {
  %v = load <4 x float>, ptr addrspace(7) %p, align 16
  ret <4 x float> %v
}

define <5 x i32> @load-v5xi32(ptr addrspace(7) %p) {
  %v = load <5 x i32>, ptr addrspace(7) %p, align 4
  ret <5 x i32> %v
}

define <8 x i32> @load-v8xi32(ptr addrspace(7) %p) {
  %v = load <8 x i32>, ptr addrspace(7) %p, align 16
  ret <8 x i32> %v
}

define <16 x float> @load-v16xfloat(ptr addrspace(7) %p) {
  %v = load <16 x float>, ptr addrspace(7) %p, align 16
  ret <16 x float> %v
}

define <32 x i32> @load-v32xi32(ptr addrspace(7) %p) {
  %v = load <32 x i32>, ptr addrspace(7) %p, align 16
  ret <32 x i32> %v
}

define <2 x i64> @load-v2xi64(ptr addrspace(7) %p) {
  %v = load <2 x i64>, ptr addrspace(7) %p, align 16
  ret <2 x i64> %v
}

define <3 x double> @load-v3xdouble(ptr addrspace(7) %p) {
  %v = load <3 x double>, ptr addrspace(7) %p, align 8
  ret <3 x double> %v
}

define i24 @load-i24(ptr addrspace(7) %p) {
  %v = load i24, ptr addrspace(7) %p, align 4
  ret i24 %v
}

define i48 @load-i48(ptr addrspace(7) %p) {
  %v = load i48, ptr addrspace(7) %p, align 8
  ret i48 %v
}

define i96 @load-i96(ptr addrspace(7) %p) {
  %v = load i96, ptr addrspace(7) %p, align 4
  ret i96 %v
}

define i1024 @load-i1024(ptr addrspace(7) %p) {
  %v = load i1024, ptr addrspace(7) %p, align 16
  ret i1024 %v
}

define <8 x i1> @load-v8xi1(ptr addrspace(7) %p) {
  %v = load <8 x i1>, ptr addrspace(7) %p, align 1
  ret <8 x i1> %v
}

define { i8, i32 } @load-s-i8-i32(ptr addrspace(7) %p) {
  %v = load { i8, i32 }, ptr addrspace(7) %p, align 4
  ret { i8, i32 } %v
}

define { i32, { i64, i8 }, [3 x i16] } @load-s-i32-s-i64-i8-a3xi16(ptr addrspace(7) %p) {
  %v = load { i32, { i64, i8 }, [3 x i16] }, ptr addrspace(7) %p, align 8
  ret { i32, { i64, i8 }, [3 x i16] } %v
}

define [3 x i32] @load-a3xi32(ptr addrspace(7) %p) {
  %v = load [3 x i32], ptr addrspace(7) %p, align 4
  ret [3 x i32] %v
}

define [17 x <4 x float>] @load-a17xv4xfloat(ptr addrspace(7) %p) {
  %v = load [17 x <4 x float>], ptr addrspace(7) %p, align 16
  ret [17 x <4 x float>] %v
}

define <{ i8, i32, i16 }> @load-packed-i8-i32-i16(ptr addrspace(7) %p) {
  %v = load <{ i8, i32, i16 }>, ptr addrspace(7) %p, align 1
  ret <{ i8, i32, i16 }> %v
}

define i16 @load-i16-align-1(ptr addrspace(7) %p, i32 %index) {
  %at = mul i32 %index, 1
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  %v = load i16, ptr addrspace(7) %q, align 1
  ret i16 %v
}

define i32 @load-i32-align-1(ptr addrspace(7) %p, i32 %index) {
  %at = mul i32 %index, 1
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  %v = load i32, ptr addrspace(7) %q, align 1
  ret i32 %v
}

define i32 @load-i32-align-2(ptr addrspace(7) %p, i32 %index) {
  %at = mul i32 %index, 2
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  %v = load i32, ptr addrspace(7) %q, align 2
  ret i32 %v
}

define i64 @load-i64-align-1(ptr addrspace(7) %p, i32 %index) {
  %at = mul i32 %index, 1
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  %v = load i64, ptr addrspace(7) %q, align 1
  ret i64 %v
}

define i64 @load-i64-align-4(ptr addrspace(7) %p, i32 %index) {
  %at = mul i32 %index, 4
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  %v = load i64, ptr addrspace(7) %q, align 4
  ret i64 %v
}

define <4 x i32> @load-v4xi32-align-1(ptr addrspace(7) %p, i32 %index) {
  %at = mul i32 %index, 1
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  %v = load <4 x i32>, ptr addrspace(7) %q, align 1
  ret <4 x i32> %v
}

define <4 x i32> @load-v4xi32-align-4(ptr addrspace(7) %p, i32 %index) {
  %at = mul i32 %index, 4
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  %v = load <4 x i32>, ptr addrspace(7) %q, align 4
  ret <4 x i32> %v
}

define <2 x i16> @load-v2xi16-align-2(ptr addrspace(7) %p, i32 %index) {
  %at = mul i32 %index, 2
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  %v = load <2 x i16>, ptr addrspace(7) %q, align 2
  ret <2 x i16> %v
}

define double @load-double-align-2(ptr addrspace(7) %p, i32 %index) {
  %at = mul i32 %index, 2
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %at
  %v = load double, ptr addrspace(7) %q, align 2
  ret double %v
}

define i1 @load-stored-i1(ptr addrspace(7) %p, i1 %v) {
  store i1 %v, ptr addrspace(7) %p, align 1
  %w = load i1, ptr addrspace(7) %p, align 1
  ret i1 %w
}

define i7 @load-stored-i7(ptr addrspace(7) %p, i7 %v) {
  store i7 %v, ptr addrspace(7) %p, align 1
  %w = load i7, ptr addrspace(7) %p, align 1
  ret i7 %w
}
