; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A compute shader: LDS, scratch, a table of constants, a loop, divergence, atomics.
@lds = internal addrspace(3) global [256 x i32] poison, align 4
@table = private unnamed_addr addrspace(4) constant [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6], align 4
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(1) inreg %out, <4 x i32> inreg %resource, i32 inreg %count, i32 %lane) #0 {
entry:
  %stack = alloca [16 x i32], align 4, addrspace(5)
  %slot = getelementptr i32, ptr addrspace(3) @lds, i32 %lane
  store i32 %lane, ptr addrspace(3) %slot
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = and i32 %i, 7
  %entryOf = getelementptr i32, ptr addrspace(4) @table, i32 %at
  %constant = load i32, ptr addrspace(4) %entryOf
  %index = and i32 %lane, 15
  %local = getelementptr i32, ptr addrspace(5) %stack, i32 %index
  store volatile i32 %constant, ptr addrspace(5) %local
  %back = load volatile i32, ptr addrspace(5) %local
  %bytes = shl i32 %i, 2
  %loaded = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %resource, i32 %bytes, i32 0, i32 0)
  %mixed = add i32 %back, %loaded
  %more = add i32 %sum, %mixed
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %loop, label %then
then:
  %other = getelementptr i32, ptr addrspace(3) @lds, i32 %more
  %isOdd = trunc i32 %lane to i1
  br i1 %isOdd, label %odd, label %end
odd:
  %shared = load i32, ptr addrspace(3) %slot
  %old = atomicrmw add ptr addrspace(1) %out, i32 %shared monotonic
  br label %end
end:
  %value = phi i32 [ %more, %then ], [ %old, %odd ]
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store i32 %value, ptr addrspace(1) %place
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
