#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fetches a texel of an image that is bound to memory as a whole, and asks whether it is resident.
#extension GL_ARB_sparse_texture2 : require
layout(binding = 0) buffer Out { uint result[]; };
layout(binding = 1) uniform sampler2D image;
void main() {
  vec4 texel;
  result[0] = uint(sparseTexelsResidentARB(sparseTexelFetchARB(image, ivec2(0), 0, texel)));
}
