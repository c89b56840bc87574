// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small pieces of msgpack documents.
#pragma once

#include "support/Hash.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include <array>
#include <optional>

namespace llvm {
class Module;
} // namespace llvm

namespace assay::pal {

/// An array of \p values, which are numbers or strings.
template <typename Range>
llvm::msgpack::DocNode makeArray(llvm::msgpack::Document &document, const Range &values) {
  llvm::msgpack::ArrayDocNode array = document.getArrayNode();
  for (auto value : values)
    array.push_back(document.getNode(value));
  return array;
}

/// The two numbers of a hash, the low one first.
inline llvm::msgpack::DocNode makeHash(llvm::msgpack::Document &document, const Hash128 &hash) {
  return makeArray(document, std::array{hash.low, hash.high});
}

/// The bytes of metadata of \p version with the one pipeline \p pipeline.
std::string finishMetadata(llvm::msgpack::Document &document, llvm::msgpack::DocNode pipeline,
                           std::array<unsigned, 2> version);

/// The metadata of \p module, if it has any.
std::optional<llvm::StringRef> getModuleBlob(const llvm::Module &module);
/// Puts \p blob where LLVM's back-end looks for metadata.
void setModuleBlob(llvm::Module &module, llvm::StringRef blob);

} // namespace assay::pal
