#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Cells { uint cells[]; };
void main() {
  uint id = gl_LocalInvocationIndex;
  cells[id] = 8;
  uint old = atomicAdd(cells[id], 1);
  cells[id] = old + 2;
}
