#version 450
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { int64_t v; };
layout(set = 0, binding = 1, r64i) uniform i64imageBuffer image;
void main() { v = imageAtomicLoad(image, 0, gl_ScopeDevice, 0, 0); }
