; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; One wave of 64 fibers in a loop of arithmetic with the waits that it needs, as compilers write it: for assay-bench-exec.
(rpt2)nop
cov.u32f32 r1.x, r0.x
mov.u32u32 r2.x, 0x3f800000
mov.u32u32 r2.y, 0x3f000000
mov.u32u32 r3.x, 0x12345
mov.u32u32 r3.y, 77
mov.u32u32 r3.z, 5
mov.u32u32 r0.w, 0
mov.u32u32 r5.x, 0x30000
loop:
(jp)(nop3) add.f r2.x, r1.x, r2.x
mul.f r2.z, r2.x, (0.5)
(nop2) add.u r3.x, r3.x, r3.y
(nop3) mad.f32 r2.x, r2.z, r2.y, r1.x
xor.b r3.y, r3.x, r3.z
max.f r2.z, r2.x, r2.z
(nop1) add.u r0.w, r0.w, 1
(nop1) shl.b r3.z, r3.y, 3
cmps.f.gt p0.y, r2.x, r2.z
and.b r3.w, r3.y, r3.x
(nop3) add.u r4.x, r3.z, r3.x
(nop1) sel.b32 r4.y, r3.x, r3.w, r3.z
min.u r4.z, r3.w, r4.x
(nop2) shr.b r4.w, r4.x, 4
cmps.s.lt p0.x, r0.w, r5.x
xor.b r3.x, r4.z, r4.y
add.f r2.x, r2.z, (neg)r1.x
(nop1) or.b r3.z, r4.w, r3.z
(nop2) sub.u r3.y, r3.y, r4.z
br p0.x, #loop
(jp)nop
end
