#version 450
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
layout(location = 0) out vec4 color;
uniform vec2 resolution;
void main() { color = vec4(gl_FragCoord.xy / resolution, 0.5, 1.0); }
