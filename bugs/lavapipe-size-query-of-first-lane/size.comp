#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each of two invocations asks for the width of a level of its own.
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 2) in;
layout(binding = 0) buffer Out { int size[]; };
layout(binding = 1) uniform texture2D image;
void main() { size[gl_LocalInvocationIndex] = textureSize(image, int(gl_LocalInvocationIndex)).x; }
