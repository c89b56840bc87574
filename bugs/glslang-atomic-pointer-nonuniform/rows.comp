#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Rows { uint hits; } rows[];
void main() { atomicAdd(rows[nonuniformEXT(gl_LocalInvocationIndex)].hits, 1u); }
