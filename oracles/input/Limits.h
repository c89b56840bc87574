// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds on what a case may ask for, so that a hostile script can't exhaust the machine.
#pragma once

#include <cstdint>

namespace assay::input {

constexpr uint64_t MaxTextBytes = uint64_t(64) << 20;
constexpr uint64_t MaxBufferBytes = uint64_t(256) << 20; ///< All buffers of a case together.
constexpr uint64_t MaxGroups = uint64_t(1) << 24;        ///< Workgroups of one dispatch.
constexpr uint64_t MaxCommands = 100'000;                ///< Of a case, repetitions counted.
constexpr unsigned MaxIncludeDepth = 32;                 ///< GLSL #include.
constexpr uint32_t MaxPushConstantBytes = 256;           ///< maxPushConstantsSize of known GPUs.

} // namespace assay::input
