#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
layout(location = 0) out vec4 color;
uniform vec2 resolution;
void main() {
  vec2 place = gl_FragCoord.xy / resolution;
  float sum = 0.0;
  for (int i = 0; i < 40; ++i)
    sum += sin(place.x * float(i) * 0.05) * cos(place.y) * 0.02;
  color = vec4(sum, sqrt(place.x), place.y * place.y, 1.0);
}
