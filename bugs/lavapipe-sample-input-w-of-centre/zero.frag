#version 450
layout(location = 0) sample in float u;
layout(location = 0) out float result;
void main() { result = gl_SampleID == 0 ? u * 4 : 0; }
