#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input attachments are read at the fragment's pixel; those with samples at a sample.
// RUN: assay compile %s --emit=lgc | FileCheck %s
// CHECK: ; stage fragment
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput one;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform usubpassInputMS many;
layout(location = 0) out vec4 result;
void main() {
  // CHECK: call i32 @lgc.read.stage.built.in(i32 15, i32 0)
  // CHECK: fptoui float
  // CHECK: call i32 @lgc.read.stage.built.in(i32 15, i32 1)
  // CHECK: call{{.*}} <4 x float> @lgc.image.load.v4f32(i32 1, i32 64,
  // CHECK: call{{.*}} <4 x i32> @lgc.image.load.v4i32(i32 7, i32 64,
  result = subpassLoad(one) + vec4(subpassLoad(many, 3));
}
