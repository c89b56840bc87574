// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library of functions: no stage has an entry point of its own that a dispatch could start.
	.text
	.globl f
	.p2align 8
	.type f,@function
f:
	s_setpc_b64 s[30:31]
.Lend:
	.size f, .Lend-f
	.fill 64, 4, 0xbf9f0000
	.amdgpu_pal_metadata
---
amdpal.version: [3, 0]
amdpal.pipelines:
  - .api: Vulkan
    .shader_functions:
      f: {.stack_frame_size_in_bytes: 16, .shader_subtype: AnyHit}
...
	.end_amdgpu_pal_metadata
