; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Function boundaries: arguments, results, structures, indirect calls, recursion of pointers.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

define internal amdgpu_gfx i32 @read(ptr addrspace(7) %p) noinline {
  %v = load i32, ptr addrspace(7) %p, align 4
  ret i32 %v
}

define internal amdgpu_gfx i32 @read-next(ptr addrspace(7) %p) noinline {
  %q = getelementptr i8, ptr addrspace(7) %p, i32 4
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define internal amdgpu_gfx ptr addrspace(7) @advance(ptr addrspace(7) %p, i32 %by) noinline {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %by
  ret ptr addrspace(7) %q
}

define internal amdgpu_gfx { ptr addrspace(7), i32 } @read-and-advance(ptr addrspace(7) %p) noinline {
  %v = load i32, ptr addrspace(7) %p, align 4
  %q = getelementptr i8, ptr addrspace(7) %p, i32 4
  %a = insertvalue { ptr addrspace(7), i32 } poison, ptr addrspace(7) %q, 0
  %b = insertvalue { ptr addrspace(7), i32 } %a, i32 %v, 1
  ret { ptr addrspace(7), i32 } %b
}

define internal amdgpu_gfx i32 @read-second({ i32, ptr addrspace(7) } %pair) noinline {
  %p = extractvalue { i32, ptr addrspace(7) } %pair, 1
  %n = extractvalue { i32, ptr addrspace(7) } %pair, 0
  %v = load i32, ptr addrspace(7) %p, align 4
  %s = add i32 %v, %n
  ret i32 %s
}

define internal amdgpu_gfx <2 x ptr addrspace(7)> @both(ptr addrspace(7) %p, ptr addrspace(7) %q) noinline {
  %a = insertelement <2 x ptr addrspace(7)> poison, ptr addrspace(7) %p, i32 0
  %b = insertelement <2 x ptr addrspace(7)> %a, ptr addrspace(7) %q, i32 1
  ret <2 x ptr addrspace(7)> %b
}

define i32 @call-argument(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %v = call amdgpu_gfx i32 @read(ptr addrspace(7) %q)
  ret i32 %v
}

define i32 @call-attributes(ptr addrspace(7) %p) {
  %v = call amdgpu_gfx i32 @read(ptr addrspace(7) nonnull noundef align 4 %p)
  ret i32 %v
}

define i32 @call-result(ptr addrspace(7) %p, i32 %index) {
  %q = call amdgpu_gfx ptr addrspace(7) @advance(ptr addrspace(7) %p, i32 %index)
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
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

define i32 @call-structure-argument(ptr addrspace(7) %p, i32 %n) {
  %a = insertvalue { i32, ptr addrspace(7) } poison, i32 %n, 0
  %b = insertvalue { i32, ptr addrspace(7) } %a, ptr addrspace(7) %p, 1
  %v = call amdgpu_gfx i32 @read-second({ i32, ptr addrspace(7) } %b)
  ret i32 %v
}

define i32 @call-vector-result(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
  %both = call amdgpu_gfx <2 x ptr addrspace(7)> @both(ptr addrspace(7) %p, ptr addrspace(7) %q)
  %low = and i32 %n, 1
  %r = extractelement <2 x ptr addrspace(7)> %both, i32 %low
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

define i32 @call-indirect(ptr addrspace(7) %p, i1 inreg %c) {
  %f = select i1 %c, ptr @read, ptr @read-next
  %v = call amdgpu_gfx i32 %f(ptr addrspace(7) %p)
  ret i32 %v
}

define i32 @call-in-loop(ptr addrspace(7) %p, i32 %n) {
entry:
  %count = and i32 %n, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %q = phi ptr addrspace(7) [ %p, %entry ], [ %step, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %v = call amdgpu_gfx i32 @read(ptr addrspace(7) %q)
  %more = add i32 %sum, %v
  %step = call amdgpu_gfx ptr addrspace(7) @advance(ptr addrspace(7) %q, i32 2)
  %next = add i32 %i, 1
  %go = icmp ult i32 %next, %count
  br i1 %go, label %loop, label %end
end:
  ret i32 %more
}
