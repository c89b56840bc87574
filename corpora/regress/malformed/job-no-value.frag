#version 450
layout(location = 0) out vec4 color;
uniform vec2 size;
void main() { color = vec4(size, 0, 1); }
