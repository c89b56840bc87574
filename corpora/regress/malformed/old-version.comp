#version 120
void main() {}
