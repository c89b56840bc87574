#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { vec2 data[]; } b;
void main() { b.data[0] = unpackUnorm2x16(0xffff0000u); b.data[1] = unpackSnorm2x16(0x80007fffu); }
