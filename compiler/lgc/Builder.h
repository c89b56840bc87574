// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The front-end's door into the middle-end: an IRBuilder with methods for what needs the pipeline
// or the target to be known. BuilderRecorder writes each call down as an lgc op, to be replayed
// later by the pass BuilderReplayer; BuilderImpl makes the real IR at once.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "compiler/lgc/FloatMode.h"
#include "compiler/lgc/Image.h"
#include "compiler/lgc/InOut.h"
#include "llvm/IR/IRBuilder.h"
#include <memory>

namespace assay {

/// Address spaces, with the numbers of AMDGPU (LLVM's AMDGPUUsage, "Address Spaces").
/// Synchronization scopes have its names, too: "agent", "workgroup", "wavefront", "singlethread",
/// and "" for all.
enum AddressSpace : unsigned {
  GlobalAddressSpace = 1,
  LocalAddressSpace = 3,     ///< LDS: SPIR-V Workgroup.
  ConstantAddressSpace = 4,  ///< Push constants, descriptor tables.
  PrivateAddressSpace = 5,   ///< Scratch: SPIR-V Function and Private.
  BufferFatPointerSpace = 7, ///< {V#, 32-bit offset}: SPIR-V StorageBuffer and Uniform.
};

/// The memory that a fence orders.
enum class FencedMemory { All, Workgroup };

/// Says of \p fence which memory it orders, by metadata `!lgc.fenced.memory !{!"workgroup"}`. A
/// pass may drop it: the fence orders all memory then.
void setFencedMemory(llvm::FenceInst &fence, FencedMemory memory);
FencedMemory getFencedMemory(const llvm::FenceInst &fence);

/// Compute built-ins (SPIR-V BuiltIn of the same name). The numbers are in the IR.
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
  SubgroupEqMask = 10,           ///< <4 x i32>
  SubgroupGeMask = 11,           ///< <4 x i32>
  SubgroupGtMask = 12,           ///< <4 x i32>
  SubgroupLeMask = 13,           ///< <4 x i32>
  SubgroupLtMask = 14,           ///< <4 x i32>
};

/// What reductions and scans combine with. The numbers are in the IR.
enum class SubgroupOperation : unsigned {
  IAdd = 0,
  FAdd = 1,
  IMul = 2,
  FMul = 3,
  SMin = 4,
  UMin = 5,
  FMin = 6,
  SMax = 7,
  UMax = 8,
  FMax = 9,
  And = 10,
  Or = 11,
  Xor = 12,
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
/// be scalars or vectors of f16, f32 or f64; fast-math flags are taken from the builder.
class Builder : public llvm::IRBuilder<> {
public:
  using IRBuilder::IRBuilder;
  virtual ~Builder();

  /// The mode that the methods below round by; at first, to nearest even.
  void setFloatMode(const FloatMode &mode) { m_floatMode = mode; }
  const FloatMode &getFloatMode() const { return m_floatMode; }

  // What must be correctly rounded (FloatBuilder.cpp): instead of IRBuilder's methods of the same
  // names, which know of rounding to nearest even alone.
  llvm::Value *CreateBinOp(llvm::Instruction::BinaryOps opcode, llvm::Value *x, llvm::Value *y);
  llvm::Value *CreateFAdd(llvm::Value *x, llvm::Value *y) {
    return CreateBinOp(llvm::Instruction::FAdd, x, y);
  }
  llvm::Value *CreateFSub(llvm::Value *x, llvm::Value *y) {
    return CreateBinOp(llvm::Instruction::FSub, x, y);
  }
  llvm::Value *CreateFMul(llvm::Value *x, llvm::Value *y) {
    return CreateBinOp(llvm::Instruction::FMul, x, y);
  }
  llvm::Value *createFma(llvm::Value *x, llvm::Value *y, llvm::Value *z);
  llvm::Value *CreateFPTrunc(llvm::Value *x, llvm::Type *type);
  llvm::Value *CreateFPCast(llvm::Value *x, llvm::Type *type);
  llvm::Value *CreateSIToFP(llvm::Value *x, llvm::Type *type);
  llvm::Value *CreateUIToFP(llvm::Value *x, llvm::Type *type);
  /// CreateFPTrunc to f16 with a rounding of its own.
  llvm::Value *createHalf(llvm::Value *x, bool towardZero);

  /// Fat pointer (ptr addrspace(7)) to the start of buffer \p arrayIndex (i32) at (set, binding).
  virtual llvm::Value *createLoadBufferDesc(uint32_t set, uint32_t binding,
                                            llvm::Value *arrayIndex) = 0;
  /// i32: the bitwise or of the dwords in which two fat pointers (resource and offset) differ: 0
  /// where they are the same. An op in every Builder.
  llvm::Value *createBufferPtrDifference(llvm::Value *x, llvm::Value *y);
  /// i32: bytes of that buffer, for OpArrayLength.
  virtual llvm::Value *createBufferLength(uint32_t set, uint32_t binding,
                                          llvm::Value *arrayIndex) = 0;
  /// ptr addrspace(4) to byte 0 of the push constants.
  virtual llvm::Value *createPushConstantsPtr() = 0;
  /// The built-in's value, of the type named at its enumerator.
  virtual llvm::Value *createReadBuiltIn(BuiltIn builtIn) = 0;
  /// i64: a clock that never goes back within the subgroup, or on the whole device. An op in every
  /// Builder, for LowerClock.
  llvm::Value *createReadClock(bool isDevice);
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
  /// Sine and cosine (here and below not of f64), absolute error 2^-11 in [-pi, pi].
  virtual llvm::Value *createSin(llvm::Value *x) = 0;
  virtual llvm::Value *createCos(llvm::Value *x) = 0;
  /// Powers and logarithms to base 2; exp2: (3 + 2|x|) ULP, log2: 3 ULP outside [0.5, 2].
  virtual llvm::Value *createExp2(llvm::Value *x) = 0;
  virtual llvm::Value *createLog2(llvm::Value *x) = 0;
  /// Remainder with the sign of the divisor (OpSMod), integer scalars or vectors.
  virtual llvm::Value *createSMod(llvm::Value *x, llvm::Value *y) = 0;
  /// Bit fields of integer scalars or vectors; \p offset and \p count are i32 scalars. A count of 0
  /// gives 0 (extract) or \p base (insert); a count of base's width is the whole word.
  virtual llvm::Value *createExtractBitField(llvm::Value *base, llvm::Value *offset,
                                             llvm::Value *count, bool isSigned) = 0;
  virtual llvm::Value *createInsertBitField(llvm::Value *base, llvm::Value *insert,
                                            llvm::Value *offset, llvm::Value *count) = 0;
  /// Index of the most significant bit that differs from the sign bit (signed) or is set
  /// (unsigned); -1 when there is none.
  virtual llvm::Value *createFindMsb(llvm::Value *x, bool isSigned) = 0;

  // Images (ImageBuilder.cpp). They are ops in every Builder, for LowerDesc and LowerImage. Results
  // are of \p type: f32, i32 or i64, or a vector of up to four of them; with ImageSparse they are
  // structures of that and an i32, which is 0 where all that was read is resident.
  /// ptr addrspace(4) to descriptor \p arrayIndex (i32) at (set, binding), or to a part of it.
  llvm::Value *createDescriptorPtr(uint32_t set, uint32_t binding, DescriptorPart part,
                                   llvm::Value *arrayIndex);
  /// A texel without a sampler, of level \p lod (i32; null: the only level, or a multisampled one).
  llvm::Value *createImageLoad(llvm::Type *type, const ImageAccess &access,
                               llvm::Value *lod = nullptr);
  /// \p texel: a scalar or vector of f32, i32 or i64; components that it lacks are written as 0.
  void createImageStore(const ImageAccess &access, llvm::Value *texel);
  /// With a depth reference, \p type is f32. Level 0 without lod, gradients and isImplicit.
  llvm::Value *createImageSample(llvm::Type *type, const ImageAccess &access,
                                 const SampleOperands &operands);
  /// Component \p component (0 with a depth reference) of the four texels that a linear filter
  /// would read, at level 0 without lod and isImplicit; \p operands have no gradients.
  llvm::Value *createImageGather(llvm::Type *type, const ImageAccess &access,
                                 const SampleOperands &operands, unsigned component);
  /// What was there before. \p value is i32, i64, or f32 for Swap and those of floats; \p
  /// comparator, of the same type, is for CompareSwap.
  llvm::Value *createImageAtomic(ImageAtomic operation, const ImageAccess &access,
                                 llvm::Value *value, llvm::Value *comparator = nullptr);
  /// i32 or a vector of them: width, height, depth (those that exist), then layers (whole cubes),
  /// of level \p lod (i32, null: 0); the elements of a Buffer.
  llvm::Value *createImageQuerySize(llvm::Type *type, const ImageAccess &access,
                                    llvm::Value *lod = nullptr);
  /// <2 x float>: the level that sampling with an implicit one would read, and that level before it
  /// is clamped to those that there are. The coordinate has no layer; \p access.dim is no array.
  llvm::Value *createImageQueryLod(const ImageAccess &access, llvm::Value *sampler);
  /// i32.
  llvm::Value *createImageQueryLevels(const ImageAccess &access);
  llvm::Value *createImageQuerySamples(const ImageAccess &access);

  // Graphics stages (InOutBuilder.cpp). They are ops in every Builder: what becomes of them depends
  // on the other stages and on the architecture.
  /// A scalar of \p type's width, as an integer or a float.
  llvm::Value *createReadInput(const InOutPlace &place, InOutType type,
                               Interpolation interpolation);
  /// The input with weight \p i (f32) of vertex 1 and \p j of vertex 2; \p type is F32 or F16.
  llvm::Value *createInterpolateInput(const InOutPlace &place, InOutType type, llvm::Value *i,
                                      llvm::Value *j);
  /// What vertex \p vertex (below 3) of the primitive provides.
  llvm::Value *createReadVertexInput(const InOutPlace &place, InOutType type, uint32_t vertex);
  /// <2 x float>: the position of \p sample (i32) less the pixel's center, in pixels; 0 where there
  /// is one sample.
  llvm::Value *createSampleOffset(llvm::Value *sample);
  /// \p value has the LLVM type of \p type.
  void createWriteOutput(const InOutPlace &place, InOutType type, llvm::Value *value);
  /// Scalar \p element of \p builtIn: f32, i32, or i1, as its row says.
  llvm::Value *createReadStageBuiltIn(const StageBuiltIn &builtIn, uint32_t element);
  void createWriteStageBuiltIn(const StageBuiltIn &builtIn, uint32_t element, llvm::Value *value);
  llvm::Value *createDerivative(llvm::Value *x, Derivative kind);
  /// Unreachable must follow.
  void createTerminateInvocation();
  void createDemote();
  /// i1.
  llvm::Value *createIsHelper();

  /// i1: true, though LLVM does not know it.
  llvm::Value *createOpaqueTrue();
  /// Nothing at all, but its block is neither removed nor made twice.
  void createAnchor();

  // Subgroup operations, among the active lanes of a wave (SubgroupBuilder.cpp). They are ops in
  // every Builder, for LowerSubgroups. \p value is an int of 8 to 64 bits or a float; lane masks
  // are <4 x i32>, bit 0 of element 0 for lane 0.
  llvm::Value *createSubgroupBallot(llvm::Value *predicate);
  /// i32: the bits of \p mask that belong to lanes before this one.
  llvm::Value *createSubgroupCountBelow(llvm::Value *mask);
  llvm::Value *createSubgroupBroadcastFirst(llvm::Value *value);
  /// \p lane (i32) is the same in every active lane; that lane is active.
  llvm::Value *createSubgroupBroadcast(llvm::Value *value, llvm::Value *lane);
  /// Each lane chooses its \p lane (i32); any value where that lane is not active.
  llvm::Value *createSubgroupShuffle(llvm::Value *value, llvm::Value *lane);
  llvm::Value *createSubgroupShuffleXor(llvm::Value *value, llvm::Value *mask);
  /// Lane i of a quad reads lane (\p pattern >> 2 * i) & 3 of it.
  llvm::Value *createSubgroupQuadPermute(llvm::Value *value, uint32_t pattern);
  /// \p clusterSize is a power of two, or 0 for the whole subgroup.
  llvm::Value *createSubgroupReduce(SubgroupOperation operation, llvm::Value *value,
                                    uint32_t clusterSize);
  llvm::Value *createSubgroupScan(SubgroupOperation operation, llvm::Value *value,
                                  bool isExclusive);

private:
  llvm::Value *createTowardZero(llvm::Value *integer, llvm::Type *type, bool isSigned);

  FloatMode m_floatMode;
};

/// Makes a Builder that records. The module gets declarations of the ops it uses.
std::unique_ptr<Builder> createBuilderRecorder(llvm::LLVMContext &context);

/// Makes a Builder that builds real IR at once. What depends on the entry point, on the resource
/// layout (descriptors, push constants, built-ins) or on the architecture (division, say) is an op
/// all the same, for the pass that lowers it.
std::unique_ptr<Builder> createBuilderImpl(llvm::LLVMContext &context);

/// Gives \p module the triple and data layout of \p architecture, which must have a back-end.
/// Whoever builds IR calls it first: the address space of allocas and the sizes of pointers depend
/// on it.
void initializeModule(llvm::Module &module, Architecture architecture = Architecture::AmdGpu);

/// Marks \p entry as the module's compute entry point with \p mode. Every other function of the
/// module must be alwaysinline.
void setComputeEntryPoint(llvm::Function &entry, const ComputeMode &mode);

/// What is fixed for a graphics stage before the pipeline is known; lives in the IR as metadata of
/// the entry point: !lgc.stage !{i32 STAGE, i32 FLAGS}.
struct StageMode {
  ShaderStage stage = ShaderStage::Vertex;
  bool earlyFragmentTests = false;
  bool depthGreater = false;
  bool depthLess = false;
  bool sampleShading = false;     ///< An input asks for one invocation a sample.
  bool postDepthCoverage = false; ///< SampleMask is what has passed depth and stencil tests.
};

/// Marks \p entry as the module's entry point of a graphics stage.
void setStageEntryPoint(llvm::Function &entry, const StageMode &mode);

/// What setStageEntryPoint was told. InvalidInput when \p entry is none or its metadata is broken.
llvm::Expected<StageMode> getStageMode(const llvm::Function &entry);

/// The module's entry point of any stage, or null when there is none or more than one.
llvm::Function *findEntryPoint(llvm::Module &module);

/// The module's compute entry point, or null when there is none or more than one.
llvm::Function *findComputeEntryPoint(llvm::Module &module);

/// What setComputeEntryPoint was told. InvalidInput when \p entry is none or its metadata is
/// broken.
llvm::Expected<ComputeMode> getComputeMode(const llvm::Function &entry);

} // namespace assay
