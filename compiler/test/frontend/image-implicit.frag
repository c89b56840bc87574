#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implicit levels with every operand that they may have. Flags: 16 offset, 32 compare, 512 bias, 1024 implicit.
// RUN: assay compile %s --emit=lgc | FileCheck %s
// CHECK: ; stage fragment
layout(set = 0, binding = 0) uniform sampler1D t1;
layout(set = 0, binding = 1) uniform sampler2D t2;
layout(set = 0, binding = 2) uniform sampler2DShadow shadow;
layout(set = 0, binding = 3) uniform samplerCubeArray cubes;
layout(location = 0) in vec4 at;
layout(location = 0) out vec4 result;
void main() {
  // CHECK: call{{.*}} <4 x float> @lgc.image.sample.v4f32(i32 0, i32 1024, {{.*}}, i32 poison, float poison, float poison) #[[CONVERGENT:[0-9]+]]
  result = texture(t1, at.x);
  // CHECK: call{{.*}} <4 x float> @lgc.image.sample.v4f32(i32 1, i32 1552, {{.*}}, float 2.500000e+00, <3 x float> poison, <3 x float> poison, i32 16131, float poison, float poison)
  result += textureOffset(t2, at.xy, ivec2(3, -1), 2.5);
  // CHECK: call{{.*}} float @lgc.fdiv.f32
  // CHECK: call{{.*}} <4 x float> @lgc.image.sample.v4f32(i32 1, i32 1024,
  result += textureProj(t2, at.xyz);
  // CHECK: call{{.*}} float @lgc.image.sample.f32(i32 1, i32 1056,
  result += texture(shadow, at.xyz);
  // CHECK: call{{.*}} <4 x float> @lgc.image.sample.v4f32(i32 6, i32 1536,
  result += texture(cubes, at, 1.0);
  // The dimension of a query has no layers.
  // CHECK: call{{.*}} <2 x float> @lgc.image.query.lod(i32 3,
  result.xy += textureQueryLod(cubes, at.xyz);
  // A gather without operands reads level 0.
  // CHECK: call{{.*}} <4 x float> @lgc.image.gather.v4f32(i32 1, i32 0, i32 2,
  result += textureGather(t2, at.xy, 2);
}
// CHECK: attributes #[[CONVERGENT]] = { convergent }
