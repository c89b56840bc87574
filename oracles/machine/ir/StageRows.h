// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of !amdgpu.stage: what passes leave in the module of a graphics stage for its metadata.
#pragma once

#include "oracles/pal_elf/MsgPack.h"
#include "llvm/IR/Module.h"
#include <optional>
#include <vector>

namespace assay::irm {

/// What the passes have found out for the PAL metadata so far.
struct StageRows {
  /// An output of a vertex stage and the number of the parameter that exports it.
  struct Parameter {
    uint32_t location = 0, index = 0;
  };
  /// The output that an attribute of a fragment stage is interpolated from.
  struct Interpolant {
    std::optional<uint32_t> location; ///< Nothing: the place in a point.
    bool isFlat = false;
    bool hasHalves = false; ///< Each component is two of 16 bits, interpolated as such.
  };
  MsgValue registers = MsgValue::makeEmpty(MsgKind::Map); ///< As `.graphics_registers` has them.
  std::vector<Parameter> parameters;                      ///< That a vertex stage exports.
  std::vector<Interpolant> interpolants;                  ///< By attribute of a fragment stage.
};

/// The rows of \p module, which must outlive them. InvalidInput where one can't be understood.
llvm::Expected<StageRows> readStageRows(const llvm::Module &module);

} // namespace assay::irm
