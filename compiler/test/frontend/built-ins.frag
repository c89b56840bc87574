#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Built-ins that fragments write and read, built-ins of subgroups among them.
// RUN: assay compile %s --emit=lgc | FileCheck %s
// CHECK: ; stage fragment
#extension GL_ARB_shader_stencil_export : require
#extension GL_ARB_post_depth_coverage : require
#extension GL_KHR_shader_subgroup_basic : require
layout(post_depth_coverage) in;
layout(depth_greater) out float gl_FragDepth;
in float gl_ClipDistance[2];
layout(location = 0) out vec4 result;
void main() {
  // CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 3, i32 1)
  // CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 16, i32 1)
  // CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 20, i32 0)
  // CHECK-DAG: call i32 @lgc.read.built.in.i32(i32 7)
  result = vec4(gl_ClipDistance[1], gl_PointCoord, float(gl_SubgroupInvocationID));
  gl_FragDepth = 0.5;
  gl_FragStencilRefARB = 3;
  gl_SampleMask[0] = gl_SampleMaskIn[0] & 5;
  // CHECK-DAG: call void @lgc.write.stage.built.in(i32 22, i32 0,
  // CHECK-DAG: call void @lgc.write.stage.built.in(i32 5014, i32 0,
  // CHECK-DAG: call void @lgc.write.stage.built.in(i32 20, i32 0,
}
// Flags: 1 early tests, which GLSL's post_depth_coverage implies, 2 depth greater, 16 coverage after tests.
// CHECK: !{i32 7, i32 19}
