// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a compute shader of a function of LLVM IR: each invocation of one workgroup calls it with
// arguments from a buffer and puts the result into another.
#pragma once

#include "compiler/api/Target.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay::fat_pointers {

/// The scalars of a first-class type in the order of its elements, as they lie in a record: each
/// begins at a dword and has as many dwords as its bits need.
class RecordLayout {
public:
  /// Unsupported for a type with parts that have no fixed size.
  static llvm::Expected<RecordLayout> create(llvm::ArrayRef<llvm::Type *> types,
                                             const llvm::DataLayout &layout);

  /// Dwords of the whole record.
  unsigned getDwords() const { return m_dwords; }
  /// By type of those given, then scalar: first dword and bits.
  struct Field {
    llvm::Type *type;
    unsigned dword;
    unsigned bits;
  };
  llvm::ArrayRef<Field> getFields(size_t type) const { return m_fields[type]; }
  /// The number of types.
  size_t size() const { return m_fields.size(); }

private:
  std::vector<std::vector<Field>> m_fields;
  unsigned m_dwords = 0;
};

/// Push constants of the shader: device addresses of the arguments (a record a lane; a parameter
/// marked inreg is read from lane 0's by all), of the results (a record a lane), and of what LDS
/// holds before and after; then how many lanes call the function.
enum PushConstantByte : unsigned {
  ArgumentsByte = 0,
  ResultsByte = 8,
  LdsByte = 16,
  LaneCountByte = 24,
  PushConstantBytes = 28 ///< Bytes of all.
};

/// A compute shader that calls a function in each lane, with the layout of its buffers.
struct FunctionShader {
  std::string ir; ///< Of phase Lgc: for Compiler::compileIr.
  RecordLayout arguments;
  RecordLayout results; ///< Of no type where the function returns nothing.
  bool usesLds = false; ///< By pointers that it gets.
};

/// A function with pointers into LDS among its parameters gets \p ldsBytes of it, from address 0
/// on; Unsupported if there are variables in LDS, too. InvalidInput where \p functions has no body
/// for \p name.
llvm::Expected<FunctionShader> makeShader(const llvm::Module &functions, llvm::StringRef name,
                                          const CompileOptions &options, unsigned lanes,
                                          uint64_t ldsBytes);

} // namespace assay::fat_pointers
