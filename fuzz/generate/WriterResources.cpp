// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers and workgroup memory: who may touch what, so that no two invocations race.
#include "fuzz/generate/Resources.h"
#include "fuzz/generate/Writer.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

static constexpr auto storageBuffer = spv::StorageClass::StorageBuffer;

/// A variable of a block with an array of \p element, \p bytes apart, in it.
static Id makeBlock(Pool &pool, Id element, unsigned bytes, spv::StorageClass storage,
                    uint32_t binding, uint32_t fixedLength = 0) {
  Id array = fixedLength ? pool.arrayType(element, pool.number(fixedLength), bytes)
                         : pool.runtimeArrayType(element, bytes);
  Id block = pool.structType({array});
  pool.decorate(block, spv::Decoration::Block);
  pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  Id variable = pool.variable(pool.pointerType(storage, block), storage);
  pool.decorate(variable, spv::Decoration::DescriptorSet, {0});
  pool.decorate(variable, spv::Decoration::Binding, {binding});
  return variable;
}

/// Emits the pointer to an element of the array in a block of makeBlock().
static Id elementPointer(Writer &writer, Id variable, Id element, spv::StorageClass storage,
                         Id index) {
  Pool &pool = writer.pool();
  return writer.emit(spv::Op::OpAccessChain, pool.pointerType(storage, element),
                     {fuzz::id(variable), fuzz::id(pool.number(0)), fuzz::id(index)});
}

/// Of the places of an invocation in a buffer, number \p slot: slot * invocations + index.
static Id placeOf(Writer &writer, unsigned slot) {
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  uint32_t first = slot * totalInvocations(writer.generated(), writer.invocationsPerGroup());
  return writer.emit(spv::Op::OpIAdd, u32,
                     {fuzz::id(writer.globalIndex().id), fuzz::id(pool.number(first))});
}

/// Returns the storage class of a binding; not for Unbound.
static spv::StorageClass storageOf(GeneratedBinding kind) {
  if (isTexels(kind))
    return spv::StorageClass::UniformConstant;
  static constexpr spv::StorageClass classes[] = {storageBuffer, spv::StorageClass::Uniform,
                                                  spv::StorageClass::PushConstant};
  return classes[size_t(kind)];
}

/// Declares a variable, in set 0 if it has a binding.
Id Writer::newVariable(Id type, spv::StorageClass storage, std::optional<uint32_t> binding) {
  Id variable = m_pool.variable(m_pool.pointerType(storage, type), storage);
  if (binding) {
    m_pool.decorate(variable, spv::Decoration::DescriptorSet, {0});
    m_pool.decorate(variable, spv::Decoration::Binding, {*binding});
  }
  return variable;
}

/// Names the buffer by its number and returns the name.
std::string Writer::addBuffer(GeneratedBuffer buffer) {
  buffer.name = "block" + std::to_string(m_generated.buffers.size());
  m_generated.buffers.push_back(std::move(buffer));
  return m_generated.buffers.back().name;
}

/// Bindings follow the number of buffers so far, so that they are unique.
Id Writer::newResource(Id type, std::vector<GeneratedBuffer> elements, ArrayForm form) {
  constexpr uint32_t FirstBinding = 16; // After those that Resources.h names.
  GeneratedBinding kind = elements.front().kind;
  bool isPushConstant = kind == GeneratedBinding::PushConstant;
  auto binding = FirstBinding + static_cast<uint32_t>(m_generated.buffers.size());
  if (form == ArrayForm::Sized)
    type = m_pool.arrayType(type, m_pool.number(static_cast<uint32_t>(elements.size())));
  if (form == ArrayForm::Runtime) {
    m_pool.require(spv::Capability::RuntimeDescriptorArray);
    type = m_pool.runtimeArrayType(type, 0);
  }
  for (GeneratedBuffer &element : elements) {
    element.binding = binding;
    addBuffer(std::move(element));
  }
  return newVariable(type, storageOf(kind), isPushConstant ? std::nullopt : std::optional(binding));
}

/// Decorates the block and returns the new variable. \p words are the initial contents.
Id Writer::newBuffer(GeneratedBinding kind, Id block, StringRef dataType,
                     std::vector<uint64_t> words) {
  m_pool.decorate(block, spv::Decoration::Block);
  return newResource(block, {{"", dataType.str(), kind, 0, std::move(words)}});
}

Id Writer::newSampler(StringRef settings) {
  constexpr uint32_t FirstBinding = 200; // After those of buffers.
  auto number = static_cast<uint32_t>(m_generated.samplers.size());
  m_generated.samplers.push_back(
      {"sampler" + std::to_string(number), settings.str(), FirstBinding + number});
  return newVariable(m_pool.samplerType(), spv::StorageClass::UniformConstant,
                     FirstBinding + number);
}

std::string Writer::addSampler(StringRef settings) {
  m_generated.samplers.push_back(
      {"sampler" + std::to_string(m_generated.samplers.size()), settings.str()});
  return m_generated.samplers.back().name;
}

Id Writer::loadBuiltIn(spv::BuiltIn builtIn, Id type) {
  constexpr auto input = spv::StorageClass::Input;
  Id &variable = m_builtIns[builtIn];
  if (!variable) {
    variable = m_pool.variable(m_pool.pointerType(input, type), input);
    m_pool.decorate(variable, spv::Decoration::BuiltIn, {uint32_t(builtIn)});
  }
  return emit(spv::Op::OpLoad, type, {fuzz::id(variable)});
}

Value Writer::sharedCounterPointer() {
  Id u32 = m_pool.intType(32, false);
  if (!m_counters)
    m_counters = makeBlock(m_pool, u32, 4, storageBuffer, uint32_t(BufferNumber::Counters));
  Id index = m_pool.number(m_counterWords++);
  Id pointer = elementPointer(*this, m_counters, u32, storageBuffer, index);
  return {pointer, m_pool.pointerType(storageBuffer, u32), false, 0};
}

Value Writer::ownWordPointer() {
  Id u32 = m_pool.intType(32, false);
  if (!m_own)
    m_own = makeBlock(m_pool, u32, 4, storageBuffer, uint32_t(BufferNumber::Own));
  Id pointer = elementPointer(*this, m_own, u32, storageBuffer, placeOf(*this, m_ownWords++));
  return {pointer, m_pool.pointerType(storageBuffer, u32), false, 0};
}

Value Writer::loadInput() {
  Id u32 = m_pool.intType(32, false);
  if (!m_input)
    m_input = makeBlock(m_pool, u32, 4, storageBuffer, uint32_t(BufferNumber::Input));
  Value at{0, u32, false, 0};
  if (m_random.oneIn(2))
    at.id = emit(spv::Op::OpUMod, u32,
                 {fuzz::id(m_globalIndex.id), fuzz::id(m_pool.number(inputWords))});
  else
    at = takeIndex(inputWords);
  Id pointer = elementPointer(*this, m_input, u32, storageBuffer, at.id);
  return {emit(spv::Op::OpLoad, u32, {fuzz::id(pointer)}), u32, at.isUniform, 0};
}

Value Writer::loadUniformInput() {
  Id u32 = m_pool.intType(32, false);
  constexpr auto uniform = spv::StorageClass::Uniform;
  if (!m_uniforms)
    m_uniforms =
        makeBlock(m_pool, u32, 16, uniform, uint32_t(BufferNumber::Uniforms), uniformWords);
  Id index = m_pool.number(static_cast<uint32_t>(m_random.below(uniformWords)));
  Id pointer = elementPointer(*this, m_uniforms, u32, uniform, index);
  return {emit(spv::Op::OpLoad, u32, {fuzz::id(pointer)}), u32, true, 0};
}

Id Writer::sharedWords() {
  constexpr auto workgroup = spv::StorageClass::Workgroup;
  if (!m_shared) {
    Id array = m_pool.arrayType(m_pool.intType(32, false), m_pool.number(m_invocations));
    m_shared = m_pool.variable(m_pool.pointerType(workgroup, array), workgroup);
  }
  return m_shared;
}

namespace {
/// Splits a value into scalars and puts each into the buffer for its kind.
class Storing {
public:
  Storing(Writer &writer, ArrayRef<Id> outputs, MutableArrayRef<unsigned> counts)
      : m_writer(writer), m_outputs(outputs), m_counts(counts) {}

  /// Stores the value, part by part for composites, until m_left is used up.
  void store(Id value, Id type) {
    TypeInfo shape = m_writer.info(type);
    switch (shape.kind) {
    case TypeInfo::Bool:
    case TypeInfo::Int:
    case TypeInfo::Float:
      return storeScalar(value, type, shape);
    case TypeInfo::Vector:
    case TypeInfo::Matrix:
    case TypeInfo::Array:
    case TypeInfo::Struct:
      for (unsigned i = 0; i < shape.count && m_left; ++i) {
        Id element = shape.kind == TypeInfo::Struct ? m_writer.pool().definition(type).word(i)
                                                    : shape.element;
        store(m_writer.emit(spv::Op::OpCompositeExtract, element, {fuzz::id(value), literal(i)}),
              element);
      }
      return;
    case TypeInfo::Other:
      return;
    }
  }

private:
  /// Converts a scalar to the element type of its buffer and stores it: bools as 0 or 1, halves as
  /// floats, narrow integers extended.
  void storeScalar(Id value, Id type, const TypeInfo &shape) {
    if (!m_left--) {
      m_left = 0;
      return;
    }
    Pool &pool = m_writer.pool();
    Id u32 = pool.intType(32, false), f32 = pool.floatType(32);
    auto convert = [&](spv::Op opcode, Id to) {
      return m_writer.emit(opcode, to, {fuzz::id(value)});
    };
    if (shape.kind == TypeInfo::Bool)
      put(ResultKind::Word,
          m_writer.emit(spv::Op::OpSelect, u32,
                        {fuzz::id(value), fuzz::id(pool.number(1)), fuzz::id(pool.number(0))}));
    else if (shape.kind == TypeInfo::Float && shape.width == 64)
      put(ResultKind::Double, value);
    else if (shape.kind == TypeInfo::Float)
      put(ResultKind::Float, shape.width == 32 ? value : convert(spv::Op::OpFConvert, f32));
    else if (shape.width == 64)
      storeHalves(value, type);
    else if (shape.width == 32)
      put(ResultKind::Word, shape.isSigned ? convert(spv::Op::OpBitcast, u32) : value);
    else
      put(ResultKind::Word, widen(value, shape));
  }

  /// A narrow number as a word, by way of a signed one where it is signed.
  Id widen(Id value, const TypeInfo &shape) {
    Pool &pool = m_writer.pool();
    Id u32 = pool.intType(32, false), i32 = pool.intType(32, true);
    if (!shape.isSigned)
      return m_writer.emit(spv::Op::OpUConvert, u32, {fuzz::id(value)});
    Id wide = m_writer.emit(spv::Op::OpSConvert, i32, {fuzz::id(value)});
    return m_writer.emit(spv::Op::OpBitcast, u32, {fuzz::id(wide)});
  }

  /// Stores a 64-bit integer as two words, the low one first.
  void storeHalves(Id value, Id type) {
    Pool &pool = m_writer.pool();
    Id u32 = pool.intType(32, false);
    Id high = m_writer.emit(spv::Op::OpShiftRightLogical, type,
                            {fuzz::id(value), fuzz::id(pool.number(32))});
    for (Id half : {value, high})
      put(ResultKind::Word, truncate(half, type, u32));
  }

  /// Returns the low 32 bits as u32.
  Id truncate(Id value, Id type, Id u32) {
    if (!m_writer.info(type).isSigned)
      return m_writer.emit(spv::Op::OpUConvert, u32, {fuzz::id(value)});
    Id narrow =
        m_writer.emit(spv::Op::OpSConvert, m_writer.pool().intType(32, true), {fuzz::id(value)});
    return m_writer.emit(spv::Op::OpBitcast, u32, {fuzz::id(narrow)});
  }

  /// Stores to the invocation's next place in the buffer.
  void put(ResultKind kind, Id value) {
    Pool &pool = m_writer.pool();
    size_t index = size_t(kind);
    Id type = kind == ResultKind::Word ? pool.intType(32, false)
                                       : pool.floatType(kind == ResultKind::Float ? 32 : 64);
    Id pointer = elementPointer(m_writer, m_outputs[index], type, storageBuffer,
                                placeOf(m_writer, m_counts[index]++));
    m_writer.emitVoid(spv::Op::OpStore, {fuzz::id(pointer), fuzz::id(value)});
  }

  Writer &m_writer;
  ArrayRef<Id> m_outputs;
  MutableArrayRef<unsigned> m_counts;
  unsigned m_left = 16; ///< Scalars: large aggregates need not be seen whole.
};
} // namespace

/// Declares the result buffers that the value needs: words and floats always, doubles only for
/// doubles.
void Writer::store(const Value &value) {
  static constexpr unsigned bytes[] = {4, 4, 8};
  Id types[] = {m_pool.intType(32, false), m_pool.floatType(32), 0};
  std::function<bool(Id)> hasDouble = [&](Id type) {
    TypeInfo shape = info(type);
    if (shape.kind == TypeInfo::Struct)
      return any_of(to_vector(m_pool.definition(type).operands),
                    [&](const Operand &member) { return hasDouble(member.word); });
    return shape.element ? hasDouble(shape.element)
                         : shape.kind == TypeInfo::Float && shape.width == 64;
  };
  if (hasDouble(value.type))
    types[2] = m_pool.floatType(64);
  for (unsigned kind = 0; kind < 3; ++kind)
    if (!m_output[kind] && types[kind])
      m_output[kind] = makeBlock(m_pool, types[kind], bytes[kind], storageBuffer, kind);
  Storing(*this, m_output, m_outputs).store(value.id, value.type);
}

} // namespace assay::fuzz
