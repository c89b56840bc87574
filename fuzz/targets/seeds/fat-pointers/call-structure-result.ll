; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

; Function Attrs: noinline
define hidden amdgpu_gfx { ptr addrspace(7), i32 } @read-and-advance(ptr addrspace(7) %p) #0 {
  %v = load i32, ptr addrspace(7) %p, align 4
  %q = getelementptr i8, ptr addrspace(7) %p, i32 4
  %a = insertvalue { ptr addrspace(7), i32 } poison, ptr addrspace(7) %q, 0
  %b = insertvalue { ptr addrspace(7), i32 } %a, i32 %v, 1
  ret { ptr addrspace(7), i32 } %b
}

define i32 @call-structure-result(ptr addrspace(7) %p) {
  %a = call amdgpu_gfx { ptr addrspace(7), i32 } @read-and-advance(ptr addrspace(7) %p)
  %q = extractvalue { ptr addrspace(7), i32 } %a, 0
  %v = extractvalue { ptr addrspace(7), i32 } %a, 1
  %b = call amdgpu_gfx { ptr addrspace(7), i32 } @read-and-advance(ptr addrspace(7) %q)
  %w = extractvalue { ptr addrspace(7), i32 } %b, 1
  %s = sub i32 %v, %w
  ret i32 %s
}

attributes #0 = { noinline }
