#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
layout(location = 0) out vec4 color;
uniform vec2 resolution;
void main() {
  int n = int(gl_FragCoord.x) + 256 * int(gl_FragCoord.y) + 1, steps = 0;
  while (n != 1 && steps < 100) {
    n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
    ++steps;
  }
  color = vec4(float(steps) / 100.0, n == 1, 0.0, 1.0);
}
