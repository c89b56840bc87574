; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

; Function Attrs: noinline
define hidden amdgpu_gfx i1 @equal(ptr addrspace(7) %p, ptr addrspace(7) %q) #0 {
  %c = icmp eq ptr addrspace(7) %p, %q
  ret i1 %c
}

define i1 @frozen-unset(ptr addrspace(7) %p, i1 %c) {
entry:
  %slot = alloca ptr addrspace(7), align 32, addrspace(5)
  br i1 %c, label %set, label %end

set:                                              ; preds = %entry
  store ptr addrspace(7) %p, ptr addrspace(5) %slot, align 32
  br label %end

end:                                              ; preds = %set, %entry
  %q = load ptr addrspace(7), ptr addrspace(5) %slot, align 32
  %r = freeze ptr addrspace(7) %q
  %same = call amdgpu_gfx i1 @equal(ptr addrspace(7) %r, ptr addrspace(7) %r)
  ret i1 %same
}

attributes #0 = { noinline }
