#version 450
layout(location = 0) out uint result;
void main() { result = 1; }
