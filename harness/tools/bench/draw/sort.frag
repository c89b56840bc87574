#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
layout(location = 0) out vec4 color;
uniform vec2 resolution;
void main() {
  int data[10];
  for (int i = 0; i < 10; ++i)
    data[i] = (int(gl_FragCoord.x) * (i + 3) + int(gl_FragCoord.y) * 7) % 31;
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9 - i; ++j)
      if (data[j] > data[j + 1]) {
        int swap = data[j];
        data[j] = data[j + 1];
        data[j + 1] = swap;
      }
  color = vec4(float(data[0]), float(data[4]), float(data[9]), 31.0) / 31.0;
}
