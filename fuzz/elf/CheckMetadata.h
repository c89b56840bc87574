// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PAL metadata there and back: what the compiler writes of its model, the validator's model must
// say again. The two share no code. Knows no fuzz engine.
#pragma once

#include "compiler/pal/Metadata.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace assay::fuzz {

/// The compiler's model from the fields that \p bytes are, one after the other, little endian; 0
/// where they end. Values are brought into the range that the writer demands.
pal::Metadata readMetadataFields(llvm::ArrayRef<uint8_t> bytes);

/// Reads \p written, what the compiler wrote of \p metadata, by the validator. Returns what is
/// wrong; empty: nothing. Wrong is: bytes that don't read, or that read as another model; a key or
/// a value that the schema reports, except for numbers that are too large for their field; bytes
/// that change on their way through the assembler's YAML.
std::string checkMetadata(const pal::Metadata &metadata, llvm::StringRef written);

} // namespace assay::fuzz
