#version 450
void main() { nobody = 1; }
