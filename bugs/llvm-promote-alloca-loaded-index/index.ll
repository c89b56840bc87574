; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
define amdgpu_cs void @main(i32 %i, ptr addrspace(1) %out) {
  %a = alloca [4 x i32], align 4, addrspace(5)
  store <4 x i32> <i32 3, i32 2, i32 1, i32 0>, ptr addrspace(5) %a, align 4
  %p = getelementptr i32, ptr addrspace(5) %a, i32 %i
  %v = load i32, ptr addrspace(5) %p, align 4
  %q = getelementptr i32, ptr addrspace(5) %a, i32 %v
  %w = load i32, ptr addrspace(5) %q, align 4
  store i32 %w, ptr addrspace(1) %out
  ret void
}
