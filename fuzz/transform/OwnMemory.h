// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that each invocation has for itself, new in the program: where values can be kept.
#pragma once

#include "fuzz/transform/Editing.h"

namespace assay::fuzz {

/// Whether \p type, plain data, can be kept in memory of \p storage: Function, Private, or, where
/// the size of the workgroup is known and the type is small, Workgroup.
bool canKeep(const Context &context, spv::StorageClass storage, Id type);
/// One of the classes that can.
spv::StorageClass pickStorage(const Context &context, Random &random, Id type);

/// A variable of which each invocation has its own; in workgroup memory an array with an element
/// for each.
class OwnMemory {
public:
  /// canKeep must hold. A variable of class Function becomes the first instruction of the function.
  OwnMemory(const Context &context, Emitter &emitter, Function &function, spv::StorageClass storage,
            Id type);

  /// \p value must be of the type that the constructor was given.
  void emitStore(Emitter &emitter, Id value) const;
  /// The value is called \p result.
  void emitLoad(Emitter &emitter, Id result) const;
  /// By how many instructions the function's entry block has grown at its beginning.
  size_t shift() const { return m_storage == spv::StorageClass::Function; }

private:
  Id emitPointer(Emitter &emitter) const;

  spv::StorageClass m_storage;
  Id m_type;
  Id m_variable = 0;
  Id m_index = 0; ///< Workgroup: the variable with this invocation's number.
};

} // namespace assay::fuzz
