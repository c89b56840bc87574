#version 450
void main() { gl_Position = vec4(-1.125, 0, 0.5, 1); gl_PointSize = 4; }
