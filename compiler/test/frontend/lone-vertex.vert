#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vertex shader that is alone in its file is a pipeline.
// RUN: assay compile %s --emit=lgc | FileCheck %s
layout(location = 1) in dvec3 wide;
layout(location = 0) out vec4 passed;
// CHECK-DAG: call i32 @lgc.read.input(i32 1, i32 3, i32 1, i32 1)
// CHECK-DAG: call i32 @lgc.read.input(i32 2, i32 1, i32 1, i32 1)
// CHECK-DAG: call i32 @lgc.read.stage.built.in(i32 42, i32 0)
// CHECK: call void @lgc.write.output(i32 0, i32 3, i32 0, i32 0,
void main() {
  gl_Position = vec4(vec3(wide), gl_VertexIndex);
  passed = gl_Position;
}
