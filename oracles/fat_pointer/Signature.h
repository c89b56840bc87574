// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How values of a function before the lowering correspond to those after it.
#pragma once

#include "oracles/ir/Interpreter.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include <vector>

namespace assay {

/// A value of \p type before as it must be after: of each fat pointer the resource and the offset
/// (strided: resource, index, offset) as scalars of their own; of a vector of fat pointers all
/// resources, then all indices, then all offsets. A part of poison is poison.
ir::Value lowerValue(llvm::Type *type, llvm::ArrayRef<ir::Scalar> value);

/// Arguments of \p before as arguments of \p after, whose scalars are in the same order whatever
/// struct or parameter they are in.
class SignatureMap {
public:
  /// Compares the widths of all scalars of parameters and results. \p before must outlive the map.
  SignatureMap(const llvm::Function &before, const llvm::Function &after);

  /// Why the signatures do not correspond; empty when they do.
  const std::string &problem() const { return m_problem; }
  /// Returns one value for each parameter of the function after the lowering. \p arguments are
  /// those of the function before, one for each of its parameters. Requires that problem() is
  /// empty.
  std::vector<ir::Value> lowerArguments(llvm::ArrayRef<ir::Value> arguments) const;

private:
  const llvm::Function &m_before;
  std::vector<size_t> m_counts; ///< Scalars of each parameter of after.
  std::string m_problem;
};

} // namespace assay
