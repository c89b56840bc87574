// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/triage/Features.h"

#include "compiler/spirv/ExtendedInstructions.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// What a shader needs to be one, to get at its data and to hand out a result.
static constexpr spv::Op enablingOps[] = {
    spv::Op::OpVariable,   spv::Op::OpReturn,           spv::Op::OpReturnValue,
    spv::Op::OpBranch,     spv::Op::OpUnreachable,      spv::Op::OpNop,
    spv::Op::OpUndef,      spv::Op::OpCopyObject,       spv::Op::OpLoad,
    spv::Op::OpStore,      spv::Op::OpAccessChain,      spv::Op::OpInBoundsAccessChain,
    spv::Op::OpCopyMemory, spv::Op::OpCompositeExtract, spv::Op::OpCompositeConstruct,
};

/// In a quarter of corpora/compute or more, or glue between types: mostly there for something else.
static constexpr StringRef commonFeatures[] = {
    "OpIAdd",
    "OpIMul",
    "OpBitcast",
    "OpBitwiseAnd",
    "OpBranchConditional",
    "OpIEqual",
    "OpULessThan",
    "OpConvertSToF",
    "OpConvertUToF",
    "OpVectorShuffle",
    "OpFunctionCall",
    "OpImage",
    "OpSampledImage",
    "UniformConstant",
    "loop",
    "GlobalInvocationId",
    "LocalInvocationId",
    "LocalInvocationIndex",
    "WorkgroupId",
};

/// Storage classes that are no feature.
static constexpr spv::StorageClass plainClasses[] = {
    spv::StorageClass::StorageBuffer, spv::StorageClass::Input, spv::StorageClass::Function};

/// Decorations that change what a shader means; the others name, place or promise.
static constexpr struct {
  spv::Decoration kind;
  StringRef name;
} meaningful[] = {
    {spv::Decoration::NoContraction, "NoContraction"},
    {spv::Decoration::NonUniform, "NonUniform"},
    {spv::Decoration::Volatile, "Volatile"},
    {spv::Decoration::Coherent, "Coherent"},
    {spv::Decoration::SpecId, "SpecId"},
    {spv::Decoration::Aliased, "Aliased"},
};

/// As instructionKind(), with group operations by their opcodes.
static std::string nameOf(spv::Op opcode, ArrayRef<uint32_t> operands) {
  if (opcode == spv::Op::OpSpecConstantOp)
    return spirv::opcodeName(static_cast<spv::Op>(operands[0]));
  // Sets of instructions other than GLSL's have no meaning here.
  return opcode == spv::Op::OpExtInst ? spirv::extendedInstructionName(operands[1])
                                      : spirv::opcodeName(opcode);
}

std::string assay::instructionKind(spv::Op opcode, ArrayRef<uint32_t> operands) {
  static constexpr StringLiteral groupOperations[] = {"Reduce", "InclusiveScan", "ExclusiveScan",
                                                      "ClusteredReduce"};
  bool isOfGroup =
      opcode >= spv::Op::OpGroupNonUniformIAdd && opcode <= spv::Op::OpGroupNonUniformLogicalXor;
  return isOfGroup && operands[1] < std::size(groupOperations)
             ? ("group " + groupOperations[operands[1]]).str()
             : nameOf(opcode, operands);
}

/// What is to be found after an image's coordinates: the operand at which its image operands
/// begin.
static constexpr std::pair<spv::Op, size_t> imageAccesses[] = {
    {spv::Op::OpImageSampleExplicitLod, 2},
    {spv::Op::OpImageSampleDrefExplicitLod, 3},
    {spv::Op::OpImageSampleProjExplicitLod, 2},
    {spv::Op::OpImageSampleProjDrefExplicitLod, 3},
    {spv::Op::OpImageFetch, 2},
    {spv::Op::OpImageGather, 3},
    {spv::Op::OpImageDrefGather, 3},
    {spv::Op::OpImageRead, 2},
    {spv::Op::OpImageWrite, 3},
    {spv::Op::OpImageSparseFetch, 2},
    {spv::Op::OpImageSparseSampleExplicitLod, 2},
    {spv::Op::OpImageSparseRead, 2},
    {spv::Op::OpImageSparseSampleDrefExplicitLod, 3},
    {spv::Op::OpImageSparseGather, 3},
    {spv::Op::OpImageSparseDrefGather, 3}};

/// Image operands that change which texels are meant, in the order in which their ids follow.
static constexpr struct {
  spv::ImageOperandsMask bit;
  size_t ids;
  StringRef name;
} imageOperands[] = {
    {spv::ImageOperandsMask::Bias, 1, "Bias"},
    {spv::ImageOperandsMask::Lod, 1, "Lod"},
    {spv::ImageOperandsMask::Grad, 2, "Grad"},
    {spv::ImageOperandsMask::ConstOffset, 1, "Offset"},
    {spv::ImageOperandsMask::Offset, 1, "Offset"},
    {spv::ImageOperandsMask::ConstOffsets, 1, "ConstOffsets"},
    {spv::ImageOperandsMask::Sample, 1, "Sample"},
    {spv::ImageOperandsMask::MinLod, 1, "MinLod"},
};

/// Whether \p id is a constant zero; false for what is known at run time only.
static bool isZero(const spirv::Module &module, spirv::Id id) {
  auto found =
      find_if(module.globals, [&](const spirv::Instruction &each) { return each.resultId == id; });
  if (found == module.globals.end())
    return false;
  return found->opcode == spv::Op::OpConstantNull ||
         (found->opcode == spv::Op::OpConstant &&
          all_of(found->operands, [](uint32_t word) { return word == 0; }));
}

/// One that is zero asks for nothing.
static void addImageOperands(const spirv::Module &module, const spirv::Instruction &inst,
                             std::set<std::string> &features) {
  const auto *access =
      find_if(imageAccesses, [&](const auto &row) { return row.first == inst.opcode; });
  if (access == std::end(imageAccesses) || inst.size() <= access->second)
    return;
  uint32_t mask = inst.operand(access->second);
  size_t next = access->second + 1;
  for (const auto &[bit, ids, name] : imageOperands) {
    if (!(mask & static_cast<uint32_t>(bit)))
      continue;
    if (!isZero(module, inst.operand(next)))
      features.insert(name.str());
    next += ids;
  }
}

/// Of what accesses memory: the operand at which its memory operands begin.
static constexpr std::pair<spv::Op, size_t> accesses[] = {
    {spv::Op::OpLoad, 1}, {spv::Op::OpStore, 2}, {spv::Op::OpCopyMemory, 2}};

/// Whether a load, store or copy has the memory operand Volatile.
static bool isVolatile(const spirv::Instruction &inst) {
  const auto *access = find_if(accesses, [&](const auto &row) { return row.first == inst.opcode; });
  return access != std::end(accesses) && inst.size() > access->second &&
         (inst.operand(access->second) & static_cast<uint32_t>(spv::MemoryAccessMask::Volatile));
}

/// Adds what the instructions of function bodies show.
static void addBodies(const spirv::Module &module, std::set<std::string> &features) {
  for (const spirv::Function &function : module.functions)
    for (const spirv::Block &block : function.blocks) {
      if (block.merge && block.merge->isLoop)
        features.insert("loop");
      for (const spirv::Instruction &inst : block.instructions) {
        if (!is_contained(enablingOps, inst.opcode))
          features.insert(nameOf(inst.opcode, inst.operands));
        if (isVolatile(inst))
          features.insert("Volatile");
        addImageOperands(module, inst, features);
      }
    }
}

/// Adds widths other than 32 bits, matrices, unusual storage classes and row-major layouts.
static void addType(const spirv::Module &module, const spirv::Type &type,
                    std::set<std::string> &features) {
  if ((type.kind == spirv::TypeKind::Int || type.kind == spirv::TypeKind::Float) &&
      type.width != 32)
    features.insert((type.kind == spirv::TypeKind::Int ? "i" : "f") + std::to_string(type.width));
  if (type.kind == spirv::TypeKind::Matrix)
    features.insert("matrix");
  if (type.kind == spirv::TypeKind::Pointer && !is_contained(plainClasses, type.storageClass))
    features.insert(spirv::storageClassName(type.storageClass));
  if (type.kind == spirv::TypeKind::Struct)
    for (uint32_t member = 0; member < type.members.size(); ++member)
      if (module.memberLayout(type.id, member).rowMajor)
        features.insert("RowMajor");
}

/// One of several of a binding.
static bool isDescriptorArray(const spirv::Module &module, const spirv::Instruction &variable) {
  const spirv::Type *pointer = module.findType(variable.typeId);
  const spirv::Type *pointee = pointer ? module.findType(pointer->element) : nullptr;
  return pointee && module.hasDecoration(variable.resultId, spv::Decoration::Binding) &&
         (pointee->kind == spirv::TypeKind::Array ||
          pointee->kind == spirv::TypeKind::RuntimeArray);
}

/// Adds what types, variables, constants and decorations show.
static void addGlobals(const spirv::Module &module, std::set<std::string> &features) {
  for (const spirv::Instruction &inst : module.globals) {
    if (const spirv::Type *type = module.findType(inst.resultId))
      addType(module, *type, features);
    if (inst.opcode == spv::Op::OpVariable && isDescriptorArray(module, inst))
      features.insert("descriptors");
    if (inst.opcode == spv::Op::OpSpecConstantOp)
      features.insert(nameOf(inst.opcode, inst.operands));
    if (std::optional<uint32_t> builtIn =
            module.decorationValue(inst.resultId, spv::Decoration::BuiltIn))
      features.insert(spirv::builtInName(static_cast<spv::BuiltIn>(*builtIn)));
    for (const auto &[kind, name] : meaningful)
      if (module.hasDecoration(inst.resultId, kind))
        features.insert(name.str());
  }
}

std::set<std::string> assay::featuresOf(const spirv::Module &module) {
  std::set<std::string> features;
  addBodies(module, features);
  addGlobals(module, features);
  return features;
}

std::set<std::string> assay::operationsOf(const spirv::Module &module) {
  std::set<std::string> names = featuresOf(module);
  for (const spirv::Function &function : module.functions)
    for (const spirv::Block &block : function.blocks)
      for (const spirv::Instruction &inst : block.instructions)
        names.insert(spirv::opcodeName(inst.opcode));
  return names;
}

/// What \p namesOf says of all shaders of \p input.
static Expected<std::set<std::string>>
collectNames(const Case &input, std::set<std::string> (*namesOf)(const spirv::Module &)) {
  std::set<std::string> all;
  for (const CasePipeline &pipeline : input.pipelines)
    for (const ShaderDescription &shader : pipeline.description.stages) {
      Expected<spirv::Module> module = spirv::decode(shader.spirv);
      if (!module)
        return addContext(module.takeError(), "pipeline " + pipeline.name);
      all.merge(namesOf(*module));
    }
  return std::move(all);
}

Expected<std::set<std::string>> assay::operationsOf(const Case &input) {
  return collectNames(input, operationsOf);
}

Expected<std::vector<std::string>> assay::featuresOf(const Case &input) {
  Expected<std::set<std::string>> all = collectNames(input, featuresOf);
  if (!all)
    return all.takeError();
  std::vector<std::string> rare;
  copy_if(*all, std::back_inserter(rare),
          [](const std::string &name) { return !is_contained(commonFeatures, name); });
  return std::move(rare);
}
