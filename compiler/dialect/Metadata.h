// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specialized metadata of dialects: nodes that a .td describes, with a C++ class and a text form
// with named fields. In memory and in bitcode a node is a tuple that begins with its tag, therefore
// every stock LLVM tool keeps it.
#pragma once

#include "compiler/dialect/Dialect.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/raw_ostream.h"

namespace assay {

/// Type of a field: integers of 32 or 64 bits, text, or a node.
enum class MetadataFieldKind : uint8_t {
  I32,
  I64,
  Text,
  Node, ///< Another node, or null.
};

/// A field, named as in the text form.
struct MetadataField {
  llvm::StringLiteral name;
  MetadataFieldKind kind;
};

/// A kind of node as its .td describes it; a row of a generated table. The node is the tuple
/// !{!"TAG", FIELD...}.
struct MetadataDescription {
  llvm::StringLiteral name; ///< "lgc.hash".
  llvm::StringLiteral tag;  ///< "hash".
  llvm::ArrayRef<MetadataField> fields;
  unsigned optional = 0; ///< So many fields at the end may be left out.
};

/// A dialect: the tables that its .td generates.
struct DialectDescription {
  llvm::StringLiteral prefix; ///< "lgc".
  llvm::ArrayRef<OpDescription> ops;
  llvm::ArrayRef<MetadataDescription> metadata;
};

/// Registers \p dialect with \p context while it lives. Both must outlive it.
class DialectRegistration {
public:
  DialectRegistration(llvm::LLVMContext &context, const DialectDescription &dialect);
  ~DialectRegistration();
  DialectRegistration(const DialectRegistration &) = delete;
  DialectRegistration &operator=(const DialectRegistration &) = delete;

private:
  llvm::LLVMContext &m_context;
  const DialectDescription &m_dialect;
};

/// Of \p context, in the order of their registration.
llvm::SmallVector<const DialectDescription *, 2> listDialects(llvm::LLVMContext &context);

/// Whether \p metadata is a node of \p kind.
bool isMetadata(const llvm::Metadata *metadata, const MetadataDescription &kind);

/// \p module as text. Nodes of the dialects of its context have the form
///   !3 = !lgc.hash(low: 1, high: 2, previous: !2, reader: "front-end", datum: "size", bytes:
///   "\00")
void printModule(const llvm::Module &module, llvm::raw_ostream &os);

/// The module of \p text: LLVM IR whose nodes of the dialects of \p context have either form, their
/// fields in any order. InvalidInput, with the line, for text that can't be parsed; the module is
/// not verified.
llvm::Expected<std::unique_ptr<llvm::Module>> parseModule(llvm::StringRef text,
                                                          llvm::LLVMContext &context);

// For the generated classes.
llvm::MDTuple *makeMetadata(llvm::LLVMContext &context, const MetadataDescription &kind,
                            llvm::ArrayRef<llvm::Metadata *> fields);
llvm::Metadata *makeField(llvm::LLVMContext &context, unsigned width, uint64_t value);
uint64_t getNumberField(const llvm::MDTuple &node, unsigned index);
llvm::StringRef getTextField(const llvm::MDTuple &node, unsigned index);

} // namespace assay
