; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define void @memmove-dynamic(ptr addrspace(7) %p, i32 %index, i32 %n) {
  %a = and i32 %index, 31
  %q = getelementptr i8, ptr addrspace(7) %p, i32 %a
  call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 1 %q, ptr addrspace(7) align 1 %p, i32 %n, i1 false)
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p7.p7.i32(ptr addrspace(7) writeonly captures(none), ptr addrspace(7) readonly captures(none), i32, i1 immarg) #0

attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
