; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A geometry shader without NGG: LDS, a ring in memory, messages.
@ring = internal addrspace(3) global [64 x float] poison, align 4
define amdgpu_gs void @_amdgpu_gs_main(<4 x i32> inreg %ring, i32 inreg %offset, i32 inreg %wave, i32 %off01, i32 %off23, i32 %prim) {
  %stack = alloca [4 x float], align 4, addrspace(5)
  %slot = getelementptr float, ptr addrspace(3) @ring, i32 %off01
  %x = load float, ptr addrspace(3) %slot
  %index = and i32 %prim, 3
  %local = getelementptr float, ptr addrspace(5) %stack, i32 %index
  store volatile float %x, ptr addrspace(5) %local
  %y = load volatile float, ptr addrspace(5) %stack
  call void @llvm.amdgcn.raw.buffer.store.f32(float %y, <4 x i32> %ring, i32 %off23, i32 %offset, i32 3)
  call void @llvm.amdgcn.s.sendmsg(i32 34, i32 %wave)
  call void @llvm.amdgcn.s.sendmsg(i32 18, i32 %wave)
  call void @llvm.amdgcn.s.sendmsg(i32 3, i32 %wave)
  ret void
}
