// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/graphics/LowerVertexFetch.h"

#include "compiler/amdgpu/passes/Glue.h"
#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/amdgpu/passes/graphics/TargetFormats.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// An attribute whose scalars are being loaded.
struct Source {
  TrackedState::Attribute state;
  FormatInfo format;
  unsigned firstDword = 0; ///< 4: the second location of 64-bit channels.
};

/// Loads attributes at one place. Descriptors and indices are made once for each binding.
class Fetch {
public:
  Fetch(BasicBlock &block, BasicBlock::iterator place, TrackedState &state)
      : m_state(state), m_builder(&block, place) {}

  /// Replaces and erases all \p ops; errors name the location.
  Error run(ArrayRef<ReadInputOp *> ops);

private:
  using Ops = SmallVector<ReadInputOp *, 4>;
  /// Returns the attribute whose channels \p location has, which may start at the preceding
  /// location; nothing where there is none. Unsupported for unknown and sRGB formats.
  Expected<std::optional<Source>> findSource(uint32_t location);
  /// Loads the channels that \p ops read and replaces the ops; those without an attribute are 0.
  Error lowerLocation(uint32_t location, ArrayRef<ReadInputOp *> ops);
  Error loadChannels(const Source &source, unsigned count);
  /// Loads all channels by one typed load.
  Error loadWhole(const Source &source, unsigned count);
  /// Loads each channel, or dword of a 64-bit one, by its own typed load. Unsupported where no
  /// format fits a channel.
  Error loadEach(const Source &source, unsigned count);
  Value *load(const Source &source, const FormatInfo &format, unsigned channels, unsigned count,
              unsigned byte);
  bool isAligned(const Source &source);
  /// V# of \p binding, from the table of vertex buffers.
  Value *getDescriptor(uint32_t binding);
  /// Index of the vertex or the instance, as the rate of \p binding says.
  Value *getIndex(const VertexInputBinding &binding);
  Value *makeVertexIndex(); ///< Base vertex included.
  Value *makeInstanceIndex(const VertexInputBinding &binding);
  Value *makeScalar(const Source &source, const ReadInputOp &op);

  TrackedState &m_state;
  IRBuilder<> m_builder;
  std::map<uint32_t, Value *> m_descriptors; ///< By binding.
  std::map<uint32_t, Value *> m_indices;     ///< By binding.
  std::array<Value *, 4> m_channels = {};    ///< Of the location at hand, in the order of memory.
};
} // namespace

/// A slot of the table has 16 bytes. The load is invariant, and made once for each binding.
Value *Fetch::getDescriptor(uint32_t binding) {
  Value *&descriptor = m_descriptors[binding];
  if (!descriptor) {
    Value *table =
        createTablePointer(m_builder, createStageInput(m_builder, StageInput::VertexBufferTable));
    auto *type = FixedVectorType::get(m_builder.getInt32Ty(), 4);
    if (faultPlanted(Fault::VertexTableSlot) && binding)
      --binding;
    Value *address = m_builder.CreateConstInBoundsGEP1_32(type, table, binding);
    LoadInst *loaded = m_builder.CreateAlignedLoad(type, address, Align(16), "vertices");
    loaded->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(m_builder.getContext(), {}));
    descriptor = loaded;
  }
  return descriptor;
}

Value *Fetch::makeVertexIndex() {
  return m_builder.CreateAdd(createStageInput(m_builder, StageInput::VertexId),
                             createStageInput(m_builder, StageInput::BaseVertex), "vertexIndex");
}

/// Vulkan 1.3, "Vertex Input Address Calculation": the divisor counts from the first instance.
Value *Fetch::makeInstanceIndex(const VertexInputBinding &binding) {
  Value *first = createStageInput(m_builder, StageInput::BaseInstance);
  if (binding.divisor == 0)
    return first;
  Value *instance = createStageInput(m_builder, StageInput::InstanceId);
  if (binding.divisor != 1 && !faultPlanted(Fault::VertexDivisor))
    instance = m_builder.CreateUDiv(instance, m_builder.getInt32(binding.divisor));
  return m_builder.CreateAdd(instance, first, "instanceIndex");
}

Value *Fetch::getIndex(const VertexInputBinding &binding) {
  Value *&index = m_indices[binding.binding];
  if (!index) {
    bool isInstance = binding.perInstance && !faultPlanted(Fault::VertexRate);
    index = isInstance ? makeInstanceIndex(binding) : makeVertexIndex();
  }
  return index;
}

/// The first \p count of \p channels channels of \p format.
Value *Fetch::load(const Source &source, const FormatInfo &format, unsigned channels,
                   unsigned count, unsigned byte) {
  Type *i32 = m_builder.getInt32Ty();
  Type *type = count == 1 ? i32 : FixedVectorType::get(i32, count);
  unsigned number = *findBufferFormat(format, channels, m_state.getTarget());
  unsigned place = source.state.attribute.offset + byte;
  // LLVM's SILoadStoreOptimizer merges loads of neighbouring channels: of three into a format of
  // four, and where the whole is not aligned. It leaves those with different scalar offsets alone.
  bool isNarrow = format.bits < 32 && !format.isPacked;
  return m_builder.CreateIntrinsic(
      Intrinsic::amdgcn_struct_tbuffer_load, type,
      {getDescriptor(source.state.binding.binding), getIndex(source.state.binding),
       m_builder.getInt32(isNarrow ? 0 : place), m_builder.getInt32(isNarrow ? place : 0),
       m_builder.getInt32(number), m_builder.getInt32(0)});
}

/// From GFX10 on, typed loads need the alignment of what they load, up to four bytes (Mesa,
/// ac_nir_lower_vs_inputs). Vulkan promises that of a channel.
bool Fetch::isAligned(const Source &source) {
  const FormatInfo &format = source.format;
  unsigned bytes = format.isPacked ? 4 : format.bits / 8 * format.channels;
  unsigned alignment = std::min(PowerOf2Ceil(bytes), uint64_t(4));
  return m_state.getTarget().major < 10 || (source.state.attribute.offset % alignment == 0 &&
                                            source.state.binding.stride % alignment == 0);
}

Error Fetch::loadWhole(const Source &source, unsigned count) {
  Value *loaded = load(source, source.format, source.format.channels, count, 0);
  for (unsigned i = 0; i < count; ++i)
    m_channels[i] = count == 1 ? loaded : m_builder.CreateExtractElement(loaded, uint64_t(i));
  return Error::success();
}

/// 64-bit channels are loaded as dwords of type uint, from firstDword on.
Error Fetch::loadEach(const Source &source, unsigned count) {
  FormatInfo channel = source.format;
  channel.channels = 1;
  unsigned first = source.firstDword;
  if (channel.bits == 64) {
    channel.bits = 32;
    channel.number = NumberKind::Uint;
  }
  if (!findBufferFormat(channel, 1, m_state.getTarget()))
    return unsupported("vertex attributes of format " +
                       Twine(static_cast<unsigned>(source.state.attribute.format)));
  for (unsigned i = 0; i < count; ++i)
    m_channels[i] = load(source, channel, 1, 1, (first + i) * channel.bits / 8);
  return Error::success();
}

/// The first \p count channels; of 64-bit ones as many dwords.
Error Fetch::loadChannels(const Source &source, unsigned count) {
  bool isWhole = findBufferFormat(source.format, source.format.channels, m_state.getTarget()) &&
                 isAligned(source);
  return isWhole ? loadWhole(source, count) : loadEach(source, count);
}

/// Only 64-bit formats of more than two channels extend to the following location.
Expected<std::optional<Source>> Fetch::findSource(uint32_t location) {
  constexpr unsigned Half = 4; // Dwords of a location.
  unsigned firstDword = 0;
  std::optional<TrackedState::Attribute> found = m_state.findAttribute(location);
  if (!found && location > 0) {
    found = m_state.findAttribute(location - 1);
    firstDword = Half;
  }
  if (!found)
    return std::nullopt;
  std::optional<FormatInfo> format = findFormat(found->attribute.format);
  bool isWide = format && format->bits == 64 && format->channels > 2;
  if (firstDword && !isWide)
    return std::nullopt;
  if (!format || format->number == NumberKind::Srgb)
    return unsupported("vertex attributes of format " +
                       Twine(static_cast<unsigned>(found->attribute.format)));
  return Source{*found, *format, firstDword};
}

/// What \p op gives of the \p bits of a channel.
static Value *toFormat(IRBuilder<> &builder, const ReadInputOp &op, Value *bits) {
  auto type = static_cast<InOutType>(op.getFormat());
  if (type == InOutType::I16)
    return builder.CreateAnd(bits, 0xffff);
  if (type != InOutType::F16)
    return bits;
  Value *half =
      builder.CreateFPTrunc(builder.CreateBitCast(bits, builder.getFloatTy()), builder.getHalfTy());
  return builder.CreateZExt(builder.CreateBitCast(half, builder.getInt16Ty()),
                            builder.getInt32Ty());
}

/// Channel \p component of the attribute, or what represents one that the format lacks, as the
/// shader has it.
Value *Fetch::makeScalar(const Source &source, const ReadInputOp &op) {
  constexpr uint32_t FloatOne = 0x3f800000;
  const FormatInfo &format = source.format;
  auto component = static_cast<unsigned>(op.getComponent());
  unsigned channel = format.isBgr && component < 3 && !faultPlanted(Fault::VertexSwizzle)
                         ? 2 - component
                         : component;
  unsigned available =
      format.bits == 64 ? 2 * format.channels - source.firstDword : format.channels;
  Value *bits = nullptr;
  if (component < available)
    bits = m_channels[channel];
  else if (component == 3 && format.bits != 64 && !faultPlanted(Fault::VertexDefault))
    bits = m_builder.getInt32(isInteger(format.number) ? 1 : FloatOne);
  else
    bits = m_builder.getInt32(0);
  return toFormat(m_builder, op, bits);
}

/// Formats in BGR order load at least three channels: red is the third in memory.
Error Fetch::lowerLocation(uint32_t location, ArrayRef<ReadInputOp *> ops) {
  Expected<std::optional<Source>> source = findSource(location);
  if (!source)
    return source.takeError();
  if (!*source) {
    for (ReadInputOp *op : ops)
      op->replaceAllUsesWith(m_builder.getInt32(0));
    return Error::success();
  }
  const FormatInfo &format = (*source)->format;
  unsigned count = 0;
  for (const ReadInputOp *op : ops)
    count = std::max(count, static_cast<unsigned>(op->getComponent()) + 1);
  if (format.isBgr)
    count = std::max(count, 3u);
  unsigned most = format.bits == 64 ? 2 * format.channels - (*source)->firstDword : format.channels;
  if (Error error = loadChannels(**source, std::min({count, most, 4u})))
    return error;
  for (ReadInputOp *op : ops)
    op->replaceAllUsesWith(makeScalar(**source, *op));
  return Error::success();
}

Error Fetch::run(ArrayRef<ReadInputOp *> ops) {
  std::map<uint32_t, Ops> byLocation;
  for (ReadInputOp *op : ops)
    byLocation[static_cast<uint32_t>(op->getLocation())].push_back(op);
  for (auto &[location, group] : byLocation)
    if (Error error = lowerLocation(location, group))
      return addContext(std::move(error), "input " + Twine(location));
  for (ReadInputOp *op : ops) // Last: the point at which loads are made may be one of the ops.
    op->eraseFromParent();
  return Error::success();
}

/// Attributes of an unlinked shader are in registers: glue loads them.
static Error takeAttributes(Function &entry, ArrayRef<ReadInputOp *> ops) {
  for (ReadInputOp *op : ops) {
    if (op->getLocation() >= attributeLocations)
      return unsupported("unlinked input " + Twine(op->getLocation()));
    IRBuilder<> builder(&entry.getEntryBlock(), getStartOf(entry));
    auto number = static_cast<uint64_t>(StageInput::VertexAttribute) + 4 * op->getLocation() +
                  op->getComponent();
    Value *bits = createStageInput(builder, static_cast<StageInput>(number));
    op->replaceAllUsesWith(toFormat(builder, *op, bits));
    op->eraseFromParent();
  }
  return Error::success();
}

/// Chooses between glue, an unlinked shader and a whole pipeline.
static Error lower(Module &module, Function &entry, ArrayRef<ReadInputOp *> ops) {
  Expected<TrackedState> state = TrackedState::open(module, "lower-vertex-fetch");
  if (!state)
    return state.takeError();
  if (isGlue(entry)) // Not before the branch that leaves out lanes without a vertex.
    return Fetch(*ops.front()->getParent(), ops.front()->getIterator(), *state).run(ops);
  if (state->isUnlinked())
    return takeAttributes(entry, ops);
  return Fetch(entry.getEntryBlock(), getStartOf(entry), *state).run(ops);
}

/// Runs on vertex shaders and on glue for them; those without inputs read no state.
PreservedAnalyses amdgpu::LowerVertexFetch::run(Module &module, ModuleAnalysisManager &) {
  struct Collector : LgcVisitor<Collector> {
    SmallVector<ReadInputOp *, 16> ops;
    void visitReadInputOp(ReadInputOp &op) { ops.push_back(&op); }
  };
  Function *entry = findStageOrGlue(module, ShaderStage::Vertex);
  if (!entry)
    return PreservedAnalyses::all();
  Collector collector;
  collector.visit(*entry);
  if (collector.ops.empty())
    return PreservedAnalyses::all();
  if (Error error = lower(module, *entry, collector.ops))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
