; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

; Function Attrs: noinline
define hidden amdgpu_gfx <2 x ptr addrspace(7)> @both(ptr addrspace(7) %p, ptr addrspace(7) %q) #0 {
  %a = insertelement <2 x ptr addrspace(7)> poison, ptr addrspace(7) %p, i32 0
  %b = insertelement <2 x ptr addrspace(7)> %a, ptr addrspace(7) %q, i32 1
  ret <2 x ptr addrspace(7)> %b
}

define i32 @call-vector-result(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
  %both = call amdgpu_gfx <2 x ptr addrspace(7)> @both(ptr addrspace(7) %p, ptr addrspace(7) %q)
  %low = and i32 %n, 1
  %r = extractelement <2 x ptr addrspace(7)> %both, i32 %low
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

attributes #0 = { noinline }
