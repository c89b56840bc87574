// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The front-end's door into the middle-end: an IRBuilder with methods for what needs the pipeline
// or the target to be known. BuilderRecorder writes each call down as an lgc op, to be replayed
// later by the pass BuilderReplayer; BuilderImpl makes the real IR at once.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "llvm/IR/IRBuilder.h"
#include <memory>

namespace assay {

/// Address spaces of AMDGPU as the front-end uses them (LLVM's AMDGPUUsage, "Address Spaces").
enum AddressSpace : unsigned {
  GlobalAddressSpace = 1,
  LocalAddressSpace = 3,     ///< LDS: SPIR-V Workgroup.
  ConstantAddressSpace = 4,  ///< Push constants, descriptor tables.
  PrivateAddressSpace = 5,   ///< Scratch: SPIR-V Function and Private.
  BufferFatPointerSpace = 7, ///< {V#, 32-bit offset}: SPIR-V StorageBuffer and Uniform.
};

/// Compute built-ins (SPIR-V BuiltIn of the same name). The numbers stand in the IR.
enum class BuiltIn : unsigned {
  NumWorkgroups = 0,             ///< <3 x i32>
  WorkgroupId = 1,               ///< <3 x i32>
  LocalInvocationId = 2,         ///< <3 x i32>
  GlobalInvocationId = 3,        ///< <3 x i32>
  LocalInvocationIndex = 4,      ///< i32
  WorkgroupSize = 5,             ///< <3 x i32>
  SubgroupSize = 6,              ///< i32
  SubgroupLocalInvocationId = 7, ///< i32
  SubgroupId = 8,                ///< i32
  NumSubgroups = 9,              ///< i32
};

/// The type of \p builtIn's value.
llvm::Type *getBuiltInType(llvm::LLVMContext &context, BuiltIn builtIn);

/// What the middle-end must know of a compute shader; lives in the IR as metadata of the entry
/// point, written by setComputeEntryPoint and read back by the passes.
struct ComputeMode {
  unsigned workgroupSize[3] = {1, 1, 1};

  unsigned getInvocations() const { return workgroupSize[0] * workgroupSize[1] * workgroupSize[2]; }
};

/// Every method inserts at the builder's insertion point and returns the result. Float operands may
/// be scalars or vectors of f32; fast-math flags are taken from the builder.
class Builder : public llvm::IRBuilder<> {
public:
  using IRBuilder::IRBuilder;
  virtual ~Builder();

  /// Fat pointer (ptr addrspace(7)) to the start of buffer \p arrayIndex (i32) at (set, binding).
  virtual llvm::Value *createLoadBufferDesc(uint32_t set, uint32_t binding,
                                            llvm::Value *arrayIndex) = 0;
  /// i32: bytes of that buffer, for OpArrayLength.
  virtual llvm::Value *createBufferLength(uint32_t set, uint32_t binding,
                                          llvm::Value *arrayIndex) = 0;
  /// ptr addrspace(4) to byte 0 of the push constants.
  virtual llvm::Value *createPushConstantsPtr() = 0;
  /// The built-in's value, of the type named at its enumerator.
  virtual llvm::Value *createReadBuiltIn(BuiltIn builtIn) = 0;
  /// Execution barrier for the workgroup. Memory fences are separate (CreateFence).
  virtual llvm::Value *createBarrier() = 0;

  /// Within 2.5 ULP for |divisor| in [2^-126, 2^126] (Vulkan 1.3, "Precision of SPIR-V
  /// Instructions").
  virtual llvm::Value *createFDiv(llvm::Value *dividend, llvm::Value *divisor) = 0;
  /// 1 / sqrt(x) within 2 ULP.
  virtual llvm::Value *createInverseSqrt(llvm::Value *x) = 0;
  /// x - y * floor(x / y).
  virtual llvm::Value *createFMod(llvm::Value *x, llvm::Value *y) = 0;
  /// x - floor(x), below 1.
  virtual llvm::Value *createFract(llvm::Value *x) = 0;
  /// min(max(x, lo), hi).
  virtual llvm::Value *createFClamp(llvm::Value *x, llvm::Value *lo, llvm::Value *hi) = 0;
  /// Sine and cosine, absolute error 2^-11 in [-pi, pi].
  virtual llvm::Value *createSin(llvm::Value *x) = 0;
  virtual llvm::Value *createCos(llvm::Value *x) = 0;
  /// Powers and logarithms to base 2; exp2: (3 + 2|x|) ULP, log2: 3 ULP outside [0.5, 2].
  virtual llvm::Value *createExp2(llvm::Value *x) = 0;
  virtual llvm::Value *createLog2(llvm::Value *x) = 0;
  /// Remainder with the sign of the divisor (OpSMod), i32 scalars or vectors.
  virtual llvm::Value *createSMod(llvm::Value *x, llvm::Value *y) = 0;
  /// Bit fields of i32 scalars or vectors; \p offset and \p count are i32 scalars. A count of 0
  /// gives 0 (extract) or \p base (insert); a count of 32 is the whole word.
  virtual llvm::Value *createExtractBitField(llvm::Value *base, llvm::Value *offset,
                                             llvm::Value *count, bool isSigned) = 0;
  virtual llvm::Value *createInsertBitField(llvm::Value *base, llvm::Value *insert,
                                            llvm::Value *offset, llvm::Value *count) = 0;
  /// Index of the most significant bit that differs from the sign bit (signed) or is set
  /// (unsigned); -1 when there is none.
  virtual llvm::Value *createFindMsb(llvm::Value *x, bool isSigned) = 0;
};

/// Makes a Builder that records. The module gets declarations of the ops it uses.
std::unique_ptr<Builder> createBuilderRecorder(llvm::LLVMContext &context);

/// Makes a Builder that builds real IR at once. What depends on the entry point or on the resource
/// layout (descriptors, push constants, built-ins) is an op all the same, for the pass that lowers
/// it.
std::unique_ptr<Builder> createBuilderImpl(llvm::LLVMContext &context);

/// Gives \p module the triple and data layout of all our targets. Whoever builds IR calls it first:
/// the address space of allocas and the sizes of pointers depend on it.
void initializeModule(llvm::Module &module);

/// Marks \p entry as the module's compute entry point with \p mode. Every other function of the
/// module must be alwaysinline.
void setComputeEntryPoint(llvm::Function &entry, const ComputeMode &mode);

/// The module's compute entry point, or null when there is none or more than one.
llvm::Function *findComputeEntryPoint(llvm::Module &module);

/// What setComputeEntryPoint was told. InvalidInput when \p entry is none or its metadata is
/// broken.
llvm::Expected<ComputeMode> getComputeMode(const llvm::Function &entry);

} // namespace assay
