// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a reader of cases is told in addition to the text.
#pragma once

#include <cstdint>
#include <optional>

namespace assay {

struct ReadOptions {
  /// SPIR-V version of assembly whose script does not say one (`--spirv-env`). Empty: the reader
  /// chooses.
  std::optional<uint32_t> spirvVersion = std::nullopt;
};

} // namespace assay
