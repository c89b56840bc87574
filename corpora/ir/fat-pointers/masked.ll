; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Masked and gathered accesses.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define <4 x i32> @masked-load(ptr addrspace(7) %p, <4 x i1> %m, <4 x i32> %rest) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7) align 4 %p, <4 x i1> %m, <4 x i32> %rest)
  ret <4 x i32> %v
}

define <4 x i32> @masked-load-constant(ptr addrspace(7) %p, <4 x i32> %rest) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7) align 4 %p, <4 x i1> <i1 1, i1 0, i1 1, i1 1>, <4 x i32> %rest)
  ret <4 x i32> %v
}

define <3 x half> @masked-load-half(ptr addrspace(7) %p, <3 x i1> %m) {
  %v = call <3 x half> @llvm.masked.load.v3f16.p7(ptr addrspace(7) align 2 %p, <3 x i1> %m, <3 x half> zeroinitializer)
  ret <3 x half> %v
}

define void @masked-store(ptr addrspace(7) %p, <4 x i32> %v, <4 x i1> %m) {
  call void @llvm.masked.store.v4i32.p7(<4 x i32> %v, ptr addrspace(7) align 4 %p, <4 x i1> %m)
  ret void
}

define void @masked-store-bytes(ptr addrspace(7) %p, <8 x i8> %v, <8 x i1> %m) {
  call void @llvm.masked.store.v8i8.p7(<8 x i8> %v, ptr addrspace(7) align 1 %p, <8 x i1> %m)
  ret void
}

define <4 x float> @gather(ptr addrspace(7) %p, <4 x i32> %index, <4 x i1> %m, <4 x float> %rest) {
  %q = getelementptr float, ptr addrspace(7) %p, <4 x i32> %index
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p7(<4 x ptr addrspace(7)> align 4 %q, <4 x i1> %m, <4 x float> %rest)
  ret <4 x float> %v
}

define <2 x i64> @gather-two-resources(ptr addrspace(7) %p, ptr addrspace(7) %q, <2 x i1> %m) {
  %a = insertelement <2 x ptr addrspace(7)> poison, ptr addrspace(7) %p, i32 0
  %b = insertelement <2 x ptr addrspace(7)> %a, ptr addrspace(7) %q, i32 1
  %v = call <2 x i64> @llvm.masked.gather.v2i64.v2p7(<2 x ptr addrspace(7)> align 8 %b, <2 x i1> %m, <2 x i64> zeroinitializer)
  ret <2 x i64> %v
}

; Elements that meet at one place are written in order.
define void @scatter(ptr addrspace(7) %p, <4 x i32> %index, <4 x i32> %v, <4 x i1> %m) {
  %low = and <4 x i32> %index, <i32 3, i32 3, i32 3, i32 3>
  %q = getelementptr i32, ptr addrspace(7) %p, <4 x i32> %low
  call void @llvm.masked.scatter.v4i32.v4p7(<4 x i32> %v, <4 x ptr addrspace(7)> align 4 %q, <4 x i1> %m)
  ret void
}

declare <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7), <4 x i1>, <4 x i32>)
declare <3 x half> @llvm.masked.load.v3f16.p7(ptr addrspace(7), <3 x i1>, <3 x half>)
declare void @llvm.masked.store.v4i32.p7(<4 x i32>, ptr addrspace(7), <4 x i1>)
declare void @llvm.masked.store.v8i8.p7(<8 x i8>, ptr addrspace(7), <8 x i1>)
declare <4 x float> @llvm.masked.gather.v4f32.v4p7(<4 x ptr addrspace(7)>, <4 x i1>, <4 x float>)
declare <2 x i64> @llvm.masked.gather.v2i64.v2p7(<2 x ptr addrspace(7)>, <2 x i1>, <2 x i64>)
declare void @llvm.masked.scatter.v4i32.v4p7(<4 x i32>, <4 x ptr addrspace(7)>, <4 x i1>)
