// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, constants, capabilities and imports of a Program: found where they are, added where not.
#pragma once

#include "fuzz/program/Program.h"
#include <map>

namespace assay::fuzz {

/// Keeps \p program, which must outlive it, free of doubles among the types that SPIR-V wants
/// unique (and constants). Adding capabilities is the caller's: a type of 16 bits needs Int16.
class Pool {
public:
  explicit Pool(Program &program);

  Id voidType();
  Id boolType();
  Id intType(unsigned width, bool isSigned);
  Id floatType(unsigned width);
  Id vectorType(Id component, unsigned count);
  Id matrixType(Id column, unsigned count);
  /// With the decoration ArrayStride where \p stride is not 0; another stride is another type.
  Id arrayType(Id element, Id length, uint32_t stride = 0);
  Id runtimeArrayType(Id element, uint32_t stride);
  Id pointerType(spv::StorageClass storage, Id pointee, uint32_t stride = 0);
  /// \p sampled is 1 with a sampler, 2 for storage images.
  struct ImageType {
    Id texel = 0; ///< The type of a component.
    spv::Dim dim = spv::Dim::Dim2D;
    bool isDepth = false, isArrayed = false, isMultisampled = false;
    uint32_t sampled = 2;
    spv::ImageFormat format = spv::ImageFormat::Unknown;
  };
  Id imageType(const ImageType &type);
  Id samplerType();
  Id sampledImageType(Id image);
  Id functionType(Id result, llvm::ArrayRef<Id> parameters);
  /// Always a new one: equal members may be laid out differently.
  Id structType(llvm::ArrayRef<Id> members);

  /// \p bits: of a scalar of 8 to 64 bits, as the type has them; extended as SPIR-V wants.
  Id constant(Id type, uint64_t bits);
  Id constantBool(bool value);
  Id constantComposite(Id type, llvm::ArrayRef<Id> parts);
  Id constantNull(Id type);
  /// OpSpecConstant* with these operands: always a new one.
  Id specialization(spv::Op opcode, Id type, llvm::ArrayRef<Operand> operands);
  /// u32.
  Id number(uint32_t value) { return constant(intType(32, false), value); }

  void require(spv::Capability capability);
  void extension(llvm::StringRef name);
  Id import(llvm::StringRef name);

  void decorate(Id target, spv::Decoration decoration, llvm::ArrayRef<uint32_t> literals = {});
  void decorateMember(Id structure, uint32_t member, spv::Decoration decoration,
                      llvm::ArrayRef<uint32_t> literals = {});
  /// A module-scope variable of pointer type \p type; on the interface of every entry point that
  /// wants it there.
  Id variable(Id type, spv::StorageClass storage, Id initializer = 0);
  /// What has \p builtIn (findBuiltIn()); where nothing has, a variable of \p type, an input.
  Id builtIn(spv::BuiltIn builtIn, Id type);

  /// The instruction that defines type or constant \p id, which must be a global.
  const Instruction &definition(Id id) const;
  Program &program() { return m_program; }

private:
  using Key = std::vector<uint32_t>;
  static Key keyOf(const Instruction &instruction, uint32_t stride);
  Id findOrAdd(Instruction instruction, uint32_t stride = 0);

  Program &m_program;
  std::map<Key, Id> m_known;
  std::map<Id, size_t> m_index; ///< Into globals.
};

} // namespace assay::fuzz
