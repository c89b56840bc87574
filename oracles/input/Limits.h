// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds on what a case may ask for, so that a hostile script can't exhaust the machine.
#pragma once

#include <cstdint>

namespace assay::input {

constexpr uint64_t maxTextBytes = uint64_t(64) << 20;
constexpr uint64_t maxBufferBytes = uint64_t(256) << 20; ///< All buffers of a case together.
constexpr uint64_t maxGroups = uint64_t(1) << 24;        ///< Workgroups of one dispatch.
constexpr uint64_t maxCommands = 100'000;                ///< Of a case, repetitions counted.
constexpr uint64_t maxGlslBytes = uint64_t(1) << 20;     ///< Of a shader; of all it includes.
constexpr unsigned maxIncludes = 1000;                   ///< Of one GLSL shader.
constexpr unsigned maxIncludeDepth = 32;                 ///< GLSL #include.
constexpr unsigned maxStructScalars = 4096;              ///< Of one structure, nested ones counted.
constexpr unsigned maxStructDepth = 32;                  ///< Structures in structures.
constexpr uint64_t maxStructOffset = 1u << 20;           ///< OFFSET and strides in structures.
constexpr uint32_t maxImageExtent = 1u << 16;            ///< Width, height, depth, layers.
constexpr uint32_t mostMipLevel = 16;                    ///< Of an image of maxImageExtent.
constexpr uint64_t maxPicturePixels = 1u << 24;          ///< Of a PNG.
constexpr uint32_t maxPushConstantBytes = 256;           ///< maxPushConstantsSize of known GPUs.

} // namespace assay::input
