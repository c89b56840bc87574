#version 450
layout(location = 0) out float u;
void main() {
  // In pixels of the target the triangle is that which covers all; w is 1 on the left and 8 at x = 3.
  float x = gl_VertexIndex == 1 ? 3 : -1, y = gl_VertexIndex == 2 ? 3 : -1;
  float w = gl_VertexIndex == 1 ? 8 : 1;
  gl_Position = vec4(x * w, y * w, 0.5 * w, w);
  u = gl_VertexIndex == 1 ? 1 : 0;
}
