#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse reads give a residency first; least levels. Flags: 2048 least level, 4096 sparse.
// RUN: assay compile %s --emit=lgc | FileCheck %s
// CHECK: ; stage fragment
#extension GL_ARB_sparse_texture2 : require
#extension GL_ARB_sparse_texture_clamp : require
layout(set = 0, binding = 0) uniform sampler2D t;
layout(set = 0, binding = 1, rgba32f) uniform image2D s;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
void main() {
  vec4 texel;
  // CHECK: call{{.*}} { <4 x float>, i32 } @lgc.image.sample.sv4f32i32(i32 1, i32 5120,
  int code = sparseTextureARB(t, at, texel);
  // CHECK: insertvalue { i32, <4 x float> }
  // CHECK: icmp eq i32 %{{.*}}, 0
  result = sparseTexelsResidentARB(code) ? texel : vec4(0);
  // CHECK: call{{.*}} { <4 x float>, i32 } @lgc.image.sample.sv4f32i32(i32 1, i32 4104,
  code = sparseTextureGradARB(t, at, vec2(0), vec2(1), texel);
  // CHECK: call{{.*}} { <4 x float>, i32 } @lgc.image.gather.sv4f32i32(i32 1, i32 4096, i32 1,
  code |= sparseTextureGatherARB(t, at, texel, 1);
  // CHECK: call{{.*}} { <4 x float>, i32 } @lgc.image.load.sv4f32i32(i32 1, i32 4100,
  code |= sparseTexelFetchARB(t, ivec2(1), 0, texel);
  // CHECK: call{{.*}} { <4 x float>, i32 } @lgc.image.load.sv4f32i32(i32 1, i32 4160,
  code |= sparseImageLoadARB(s, ivec2(2), texel);
  // CHECK: call{{.*}} <4 x float> @lgc.image.sample.v4f32(i32 1, i32 3072, {{.*}}, float 1.500000e+00)
  result += textureClampARB(t, at, 1.5) + texel * float(code);
  // CHECK: call{{.*}} { <4 x float>, i32 } @lgc.image.sample.sv4f32i32(i32 1, i32 6152, {{.*}}, float 2.000000e+00)
  code = sparseTextureGradClampARB(t, at, vec2(0), vec2(1), 2.0, texel);
}
