#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of vertices, elsewhere than where the fragment is shaded made of those of two; inputs by vertex.
// RUN: assay compile %s --emit=lgc | FileCheck %s
// CHECK: ; stage fragment
#extension GL_EXT_fragment_shader_barycentric : require
layout(location = 2) pervertexEXT in vec2 corner[];
layout(location = 0) out vec4 result;
void main() {
  // CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 5286, i32 0)
  // CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 5286, i32 2)
  // CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 5287, i32 1)
  // CHECK-DAG: call i32 @lgc.read.vertex.input(i32 2, i32 0, i32 0, i32 0)
  // CHECK-DAG: call i32 @lgc.read.vertex.input(i32 2, i32 1, i32 0, i32 2)
  vec3 w = gl_BaryCoordEXT;
  result.xy = corner[0] * w.x + corner[1] * w.y + corner[2] * w.z;
  result.zw = gl_BaryCoordNoPerspEXT.yz;
}
