; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A primitive shader: it asks for room, shares by LDS, exports primitives and positions.
@ring = internal addrspace(3) global [256 x float] poison, align 4
define amdgpu_gs void @_amdgpu_gs_main(<4 x i32> inreg %vertices, i32 inreg %info, i32 inreg %wave, i32 %off01, i32 %off23, i32 %prim, i32 %instance, i32 %off45, i32 %vertex) {
entry:
  %isFirst = icmp eq i32 %wave, 0
  br i1 %isFirst, label %alloc, label %go
alloc:
  call void @llvm.amdgcn.s.sendmsg(i32 9, i32 %info)
  br label %go
go:
  %slot = getelementptr float, ptr addrspace(3) @ring, i32 %vertex
  %bytes = shl i32 %vertex, 4
  %p = call <4 x float> @llvm.amdgcn.raw.buffer.load.v4f32(<4 x i32> %vertices, i32 %bytes, i32 0, i32 0)
  %x = extractelement <4 x float> %p, i32 0
  store float %x, ptr addrspace(3) %slot
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %isPrim = icmp ult i32 %off01, 64
  br i1 %isPrim, label %prims, label %verts
prims:
  call void @llvm.amdgcn.exp.i32(i32 20, i32 1, i32 %off01, i32 poison, i32 poison, i32 poison, i1 true, i1 false)
  br label %verts
verts:
  %isVertex = icmp ult i32 %off23, 64
  br i1 %isVertex, label %emit, label %end
emit:
  %other = getelementptr float, ptr addrspace(3) @ring, i32 %off23
  %q = load float, ptr addrspace(3) %other
  %y = extractelement <4 x float> %p, i32 1
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %x, float %y, float %q, float 1.0, i1 true, i1 false)
  br label %end
end:
  ret void
}
