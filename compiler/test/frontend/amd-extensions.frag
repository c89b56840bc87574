#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD's extensions of fragment shaders.
// RUN: assay compile %s --emit=lgc | FileCheck %s
// CHECK: ; stage fragment
#extension GL_AMD_shader_explicit_vertex_parameter : require
#extension GL_AMD_shader_trinary_minmax : require
#extension GL_AMD_gcn_shader : require
#extension GL_AMD_texture_gather_bias_lod : require
layout(location = 0) __explicitInterpAMD in vec2 corner;
layout(location = 1) in vec4 at;
layout(set = 0, binding = 0) uniform sampler2D t;
layout(location = 0) out vec4 result;
void main() {
  // CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 4995, i32 1)
  // CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 4998, i32 2)
  // CHECK: call i32 @lgc.read.vertex.input(i32 0, i32 1, i32 0, i32 2)
  result.xy = interpolateAtVertexAMD(corner, 2) * gl_BaryCoordSmoothAMD;
  result.zw = gl_BaryCoordPullModelAMD.zx;
  // CHECK: llvm.minnum
  // CHECK: llvm.maxnum
  result.x += mid3(at.x, at.y, at.z);
  // CHECK: call{{.*}} float @llvm.fabs.f32
  // CHECK: call{{.*}} float @lgc.fdiv.f32(
  result.xy += cubeFaceCoordAMD(at.xyz) * cubeFaceIndexAMD(at.xyz);
  // The level is implicit with this extension; flags: 4 level, 512 bias, 1024 implicit.
  // CHECK: call{{.*}} <4 x float> @lgc.image.gather.v4f32(i32 1, i32 1536, i32 0, {{.*}}, float 2.000000e+00)
  result += textureGather(t, at.xy, 0, 2.0);
  // CHECK: call{{.*}} <4 x float> @lgc.image.gather.v4f32(i32 1, i32 4, i32 1, {{.*}}, float 3.000000e+00)
  result += textureGatherLodAMD(t, at.xy, 3.0, 1);
}
