#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interpolation functions: places become weights, of values and derivatives at the start of the entry point.
// RUN: assay compile %s --emit=lgc | FileCheck %s
// CHECK: ; stage fragment
layout(location = 0) in vec2 smoothly;
layout(location = 1) noperspective in float linear;
layout(location = 2) flat in int which;
layout(location = 3) flat in float same;
layout(location = 4) in vec2 many[2];
layout(location = 0) out vec4 result;
// CHECK: define {{.*}}void @main
// Of both kinds of interpolation.
// CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 4992, i32 0)
// CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 4998, i32 2)
// CHECK-DAG: call{{.*}} float @lgc.derivative.f32(
void main() {
  // CHECK: call i32 @lgc.read.input(i32 0, i32 0, i32 0, i32 4)
  // CHECK: call i32 @lgc.read.input(i32 0, i32 1, i32 0, i32 4)
  result.xy = interpolateAtCentroid(smoothly);
  // CHECK: call i32 @lgc.read.input(i32 1, i32 0, i32 0, i32 6)
  result.x += interpolateAtCentroid(linear);
  // CHECK: call{{.*}} <2 x float> @lgc.sample.offset(i32 %
  // CHECK: call{{.*}} float @lgc.fdiv.f32(
  // CHECK: call i32 @lgc.interpolate.input(i32 0, i32 1, i32 0, float %{{.*}}, float %{{.*}})
  result.y += interpolateAtSample(smoothly, which).y;
  // Without perspective nothing is divided.
  // CHECK-NOT: lgc.fdiv
  // CHECK: call i32 @lgc.interpolate.input(i32 1, i32 0, i32 0, float %{{.*}}, float %{{.*}})
  result.z = interpolateAtOffset(linear, vec2(0.25, -0.5));
  // CHECK: call i32 @lgc.read.input(i32 3, i32 0, i32 0, i32 1)
  result.z += interpolateAtOffset(same, vec2(0.25, -0.5));
  // All elements, for the index is not constant.
  // CHECK: call i32 @lgc.interpolate.input(i32 4, i32 0,
  // CHECK: call i32 @lgc.interpolate.input(i32 5, i32 1,
  result.w = interpolateAtOffset(many[which], vec2(0)).x;
}
