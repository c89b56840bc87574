// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where two runs part: one of a module with probes, one of what a pass has made of it.
#pragma once

#include "oracles/divergence/Probes.h"
#include "oracles/ir/ExecutionLog.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace assay {

/// What is wrong of an instruction after the pass whose operands are right.
enum class DivergenceKind : uint8_t {
  Value,   ///< Its value.
  Part,    ///< Its value, except for the first elements.
  Stop,    ///< The run ends there, or control goes another way.
  Stored,  ///< It writes something else to where it should.
  Address, ///< It writes somewhere else.
  Width,   ///< It writes more than it should, or less.
  Lost,    ///< It writes nothing.
  Access,  ///< What others see of it: volatile, atomic, whether an exchange succeeds.
  Order,   ///< Its order among other accesses.
};
struct Divergence {
  uint32_t number = 0; ///< Of the probed instruction.
  DivergenceKind kind = DivergenceKind::Value;
  bool isExchange = false; ///< After the pass it compares and exchanges.
};
/// "value", "lost by exchange".
std::string describeDivergence(const Divergence &divergence);

/// The first, in the order in which \p before was run, that \p after does not do; nothing where
/// there is none. Of logs of which one is cut, what probes saw before is compared, and nothing
/// else. Of \p probed are both. Accesses may be split, merged and moved, and what is overwritten
/// may go: a write is wrong where a byte holds something else in the end. Bytes of poison may be
/// anything.
std::optional<Divergence> findDivergence(const ir::ExecutionLog &before,
                                         const ir::ExecutionLog &after,
                                         llvm::ArrayRef<ProbedInstruction> probed);

} // namespace assay
