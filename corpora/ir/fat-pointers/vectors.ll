; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Vectors and aggregates of fat pointers.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define i32 @vector-gep(ptr addrspace(7) %p, <2 x i32> %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, <2 x i32> %index
  %a = extractelement <2 x ptr addrspace(7)> %q, i32 0
  %b = extractelement <2 x ptr addrspace(7)> %q, i32 1
  %v = load i32, ptr addrspace(7) %a, align 4
  %w = load i32, ptr addrspace(7) %b, align 4
  %s = sub i32 %v, %w
  ret i32 %s
}

define i32 @vector-select(ptr addrspace(7) %p, ptr addrspace(7) %q, <2 x i1> %c) {
  %a0 = insertelement <2 x ptr addrspace(7)> poison, ptr addrspace(7) %p, i32 0
  %a = insertelement <2 x ptr addrspace(7)> %a0, ptr addrspace(7) %q, i32 1
  %b = shufflevector <2 x ptr addrspace(7)> %a, <2 x ptr addrspace(7)> poison, <2 x i32> <i32 1, i32 0>
  %s = select <2 x i1> %c, <2 x ptr addrspace(7)> %a, <2 x ptr addrspace(7)> %b
  %x = extractelement <2 x ptr addrspace(7)> %s, i32 0
  %y = extractelement <2 x ptr addrspace(7)> %s, i32 1
  %v = load i32, ptr addrspace(7) %x, align 4
  %w = load i32, ptr addrspace(7) %y, align 4
  %d = sub i32 %v, %w
  ret i32 %d
}

define <2 x i1> @vector-equal(ptr addrspace(7) %p, ptr addrspace(7) %q, <2 x i32> %index) {
  %a = getelementptr i32, ptr addrspace(7) %p, <2 x i32> %index
  %b0 = insertelement <2 x ptr addrspace(7)> poison, ptr addrspace(7) %p, i32 0
  %b = insertelement <2 x ptr addrspace(7)> %b0, ptr addrspace(7) %q, i32 1
  %e = icmp eq <2 x ptr addrspace(7)> %a, %b
  ret <2 x i1> %e
}

define i32 @vector-dynamic-element(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
  %a0 = insertelement <4 x ptr addrspace(7)> poison, ptr addrspace(7) %p, i32 0
  %a1 = insertelement <4 x ptr addrspace(7)> %a0, ptr addrspace(7) %q, i32 1
  %a2 = insertelement <4 x ptr addrspace(7)> %a1, ptr addrspace(7) %q, i32 2
  %a3 = insertelement <4 x ptr addrspace(7)> %a2, ptr addrspace(7) %p, i32 3
  %low = and i32 %n, 3
  %r = extractelement <4 x ptr addrspace(7)> %a3, i32 %low
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

define <2 x ptr addrspace(7)> @vector-of-resources(<2 x ptr addrspace(8)> %r) {
  %p = addrspacecast <2 x ptr addrspace(8)> %r to <2 x ptr addrspace(7)>
  %q = getelementptr i8, <2 x ptr addrspace(7)> %p, <2 x i32> <i32 4, i32 8>
  ret <2 x ptr addrspace(7)> %q
}

define ptr addrspace(7) @structure-of-pointers(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %index) {
  %a = insertvalue { ptr addrspace(7), [2 x ptr addrspace(7)], i32 } poison, ptr addrspace(7) %p, 0
  %b = insertvalue { ptr addrspace(7), [2 x ptr addrspace(7)], i32 } %a, ptr addrspace(7) %q, 1, 1
  %c = insertvalue { ptr addrspace(7), [2 x ptr addrspace(7)], i32 } %b, i32 %index, 2
  %r = extractvalue { ptr addrspace(7), [2 x ptr addrspace(7)], i32 } %c, 1, 1
  %i = extractvalue { ptr addrspace(7), [2 x ptr addrspace(7)], i32 } %c, 2
  %s = getelementptr i8, ptr addrspace(7) %r, i32 %i
  ret ptr addrspace(7) %s
}

define { ptr addrspace(7), i32 } @structure-phi(ptr addrspace(7) %p, ptr addrspace(7) %q, i1 %c) {
entry:
  br i1 %c, label %yes, label %no
yes:
  %a0 = insertvalue { ptr addrspace(7), i32 } poison, ptr addrspace(7) %p, 0
  %a = insertvalue { ptr addrspace(7), i32 } %a0, i32 1, 1
  br label %end
no:
  %b0 = insertvalue { ptr addrspace(7), i32 } poison, ptr addrspace(7) %q, 0
  %b = insertvalue { ptr addrspace(7), i32 } %b0, i32 2, 1
  br label %end
end:
  %r = phi { ptr addrspace(7), i32 } [ %a, %yes ], [ %b, %no ]
  ret { ptr addrspace(7), i32 } %r
}

define ptr addrspace(7) @frozen(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr inbounds i8, ptr addrspace(7) %p, i32 %index
  %r = freeze ptr addrspace(7) %q
  ret ptr addrspace(7) %r
}

define internal amdgpu_gfx i1 @equal(ptr addrspace(7) %p, ptr addrspace(7) %q) noinline {
  %c = icmp eq ptr addrspace(7) %p, %q
  ret i1 %c
}

; What was never set is the same whenever one looks.
define i1 @frozen-unset(ptr addrspace(7) %p, i1 %c) {
entry:
  %slot = alloca ptr addrspace(7), align 32, addrspace(5)
  br i1 %c, label %set, label %end
set:
  store ptr addrspace(7) %p, ptr addrspace(5) %slot, align 32
  br label %end
end:
  %q = load ptr addrspace(7), ptr addrspace(5) %slot, align 32
  %r = freeze ptr addrspace(7) %q
  %same = call amdgpu_gfx i1 @equal(ptr addrspace(7) %r, ptr addrspace(7) %r)
  ret i1 %same
}

define ptr addrspace(7) @frozen-vector(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
  %a = insertelement <2 x ptr addrspace(7)> poison, ptr addrspace(7) %p, i32 0
  %b = insertelement <2 x ptr addrspace(7)> %a, ptr addrspace(7) %q, i32 1
  %f = freeze <2 x ptr addrspace(7)> %b
  %low = and i32 %n, 1
  %r = extractelement <2 x ptr addrspace(7)> %f, i32 %low
  ret ptr addrspace(7) %r
}

define ptr addrspace(7) @masked-pointer(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %index
  %r = call ptr addrspace(7) @llvm.ptrmask.p7.i32(ptr addrspace(7) %q, i32 -16)
  ret ptr addrspace(7) %r
}
declare ptr addrspace(7) @llvm.ptrmask.p7.i32(ptr addrspace(7), i32)
