// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/Opaque.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Known words of a variable, at most: the first ones.
static constexpr size_t maxWordsOfVariable = 256;

/// Returns the size of an element of the case's buffer, in bytes.
static unsigned bytesOfElement(const GeneratedBuffer &buffer) {
  return StringRef(buffer.dataType).contains("double") ? 8 : 4;
}

/// Returns the 32-bit word at a byte offset; nothing for unaligned offsets or past the end.
static std::optional<uint32_t> wordAt(const GeneratedBuffer &buffer, uint32_t offset) {
  unsigned bytes = bytesOfElement(buffer);
  if (offset % 4 || offset / bytes >= buffer.words.size())
    return std::nullopt;
  return static_cast<uint32_t>(buffer.words[offset / bytes] >> (8 * (offset % bytes)));
}

namespace {
/// Walks through the type of a block to its scalars of 32 bits.
class WordFinder {
public:
  WordFinder(const Context &context, const GeneratedBuffer &buffer, std::vector<KnownWord> &found)
      : m_context(context), m_buffer(buffer), m_found(found), m_before(found.size()) {}

  /// Appends all words of an object of \p type at byte \p offset. \p at has the path so far; it is
  /// restored before returning, except for type and bits.
  void walk(KnownWord &at, Id type, uint32_t offset) {
    if (isFull() || offset >= m_buffer.words.size() * bytesOfElement(m_buffer))
      return;
    const Instruction &definition = *m_context.definitions().find(type);
    switch (definition.opcode) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      if (std::optional<uint32_t> bits = wordAt(m_buffer, offset);
          bits && definition.word(0) == 32) {
        at.type = type;
        at.bits = *bits;
        m_found.push_back(at);
      }
      return;
    case spv::Op::OpTypeStruct:
      return walkMembers(at, definition, offset);
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      return walkElements(at, definition, offset);
    default:
      return;
    }
  }

private:
  /// True after maxWordsOfVariable words of this variable.
  bool isFull() const { return m_found.size() - m_before >= maxWordsOfVariable; }

  void walkMembers(KnownWord &at, const Instruction &structure, uint32_t offset) {
    for (auto [index, member] : enumerate(structure.operands)) {
      auto number = static_cast<uint32_t>(index);
      std::optional<uint32_t> inside =
          findDecoration(m_context.program(), structure.result, spv::Decoration::Offset, number);
      if (!inside)
        continue;
      at.path.push_back(number);
      walk(at, member.word, offset + *inside);
      at.path.pop_back();
    }
  }

  void walkElements(KnownWord &at, const Instruction &array, uint32_t offset) {
    std::optional<uint32_t> stride =
        findDecoration(m_context.program(), array.result, spv::Decoration::ArrayStride);
    uint32_t count = maxWordsOfVariable;
    if (array.opcode == spv::Op::OpTypeArray) {
      if (!isScalarConstant(m_context, array.word(1)))
        return;
      count = std::min(count, m_context.definitions().find(array.word(1))->word(0));
    }
    for (uint32_t i = 0; stride && *stride && i < count && !isFull(); ++i) {
      at.path.push_back(i);
      walk(at, array.word(0), offset + i * *stride);
      at.path.pop_back();
    }
  }

  const Context &m_context;
  const GeneratedBuffer &m_buffer;
  std::vector<KnownWord> &m_found;
  size_t m_before;
};
} // namespace

/// Whether nothing is done with the pointer \p id but reading, also through access chains.
static bool isPointerOnlyRead(const Context &context, Id id) {
  return all_of(context.usesOf(id), [&](const Use &use) {
    const Instruction &user = *context.at(use.place);
    if (user.opcode == spv::Op::OpLoad || user.opcode == spv::Op::OpArrayLength)
      return true;
    return (user.opcode == spv::Op::OpAccessChain ||
            user.opcode == spv::Op::OpInBoundsAccessChain) &&
           isPointerOnlyRead(context, user.result);
  });
}

bool isOnlyRead(const Context &context, Id variable) {
  auto decorationsOf = [&](Id id) {
    const Program &program = context.program();
    return std::pair(findDecoration(program, id, spv::Decoration::DescriptorSet),
                     findDecoration(program, id, spv::Decoration::Binding));
  };
  auto place = decorationsOf(variable);
  return all_of(context.program().globals, [&](const Instruction &each) {
    bool isSameMemory =
        each.opcode == spv::Op::OpVariable &&
        (each.result == variable || (place.second && decorationsOf(each.result) == place));
    return !isSameMemory || isPointerOnlyRead(context, each.result);
  });
}

/// The buffer of \p variable, if all of its bytes are what the case says.
static const GeneratedBuffer *findBuffer(const Context &context, const Instruction &variable) {
  auto storage = static_cast<spv::StorageClass>(variable.word(0));
  std::optional<uint32_t> binding =
      findDecoration(context.program(), variable.result, spv::Decoration::Binding);
  if (findDecoration(context.program(), variable.result, spv::Decoration::DescriptorSet)
          .value_or(0) != 0)
    return nullptr; // A case knows those of set 0.
  auto isReachedByAddress = [&](const GeneratedBuffer &buffer) {
    return any_of(context.generated().addresses, [&](const GeneratedAddress &each) {
      return each.of == buffer.name || each.in == buffer.name;
    });
  };
  for (const GeneratedBuffer &each : context.generated().buffers) {
    if (isTexels(each.kind) || isReachedByAddress(each))
      continue;
    bool isPushConstant = each.kind == GeneratedBinding::PushConstant;
    if (isPushConstant ? storage == spv::StorageClass::PushConstant
                       : binding && each.binding == *binding)
      return &each;
  }
  return nullptr;
}

/// Walks all variables of buffers that are only read and that no address leads to.
std::vector<KnownWord> knownWords(const Context &context) {
  static constexpr spv::StorageClass classes[] = {spv::StorageClass::Uniform,
                                                  spv::StorageClass::PushConstant,
                                                  spv::StorageClass::StorageBuffer};
  std::vector<KnownWord> found;
  for (const Instruction &each : context.program().globals) {
    if (each.opcode != spv::Op::OpVariable)
      continue;
    auto storage = static_cast<spv::StorageClass>(each.word(0));
    if (!is_contained(classes, storage) || !isOnlyRead(context, each.result))
      continue;
    const GeneratedBuffer *buffer = findBuffer(context, each);
    if (!buffer)
      continue;
    KnownWord at{each.result, {}, 0, storage, 0};
    WordFinder(context, *buffer, found).walk(at, context.definitions().find(each.type)->word(1), 0);
  }
  return found;
}

std::optional<WordChoice> pickWord(const Context &context, Random &random,
                                   function_ref<bool(const KnownWord &)> accept) {
  std::vector<WordChoice> choices;
  WordChoice next;
  for (const KnownWord &word : knownWords(context)) {
    next = word.variable == next.variable ? WordChoice{next.variable, next.number + 1}
                                          : WordChoice{word.variable, 0};
    if (accept(word))
      choices.push_back(next);
  }
  if (choices.empty())
    return std::nullopt;
  return random.pick(ArrayRef(choices));
}

std::optional<KnownWord> findWord(const Context &context, WordChoice choice) {
  uint32_t number = 0;
  for (KnownWord &word : knownWords(context))
    if (word.variable == choice.variable && number++ == choice.number)
      return std::move(word);
  return std::nullopt;
}

Id emitLoad(Emitter &emitter, const KnownWord &word) {
  Pool &pool = emitter.pool();
  SmallVector<Operand, 4> chain{id(word.variable)};
  for (uint32_t index : word.path)
    chain.push_back(id(pool.number(index)));
  Id pointer =
      emitter.emit(spv::Op::OpAccessChain, pool.pointerType(word.storage, word.type), chain);
  Id loaded = emitter.emit(spv::Op::OpLoad, word.type, {id(pointer)});
  Id u32 = pool.intType(32, false);
  return word.type == u32 ? loaded : emitter.emit(spv::Op::OpBitcast, u32, {id(loaded)});
}

namespace {
/// A comparison, and by what the word differs from the constant for it to be true, and to be false.
struct RelationRow {
  spv::Op opcode;
  uint32_t yes, no; ///< Added to the word, modulo 2^32, for the constant on the right.
};
} // namespace

static constexpr RelationRow relationRows[] = {
    {spv::Op::OpIEqual, 0, 1},
    {spv::Op::OpINotEqual, 1, 0},
};

/// Emits load and comparison; a compiler that knew the buffer could fold both.
Id emitOpaqueBool(Emitter &emitter, const KnownWord &word, bool value, uint64_t variant) {
  Pool &pool = emitter.pool();
  Id loaded = emitLoad(emitter, word), truth = pool.boolType();
  const RelationRow &row = relationRows[variant % std::size(relationRows)];
  if (variant / std::size(relationRows) % 2 == 0)
    return emitter.emit(row.opcode, truth,
                        {id(loaded), id(pool.number(word.bits + (value ? row.yes : row.no)))});
  // word <= word, word > word: no sum that could overflow.
  return emitter.emit(value ? spv::Op::OpULessThanEqual : spv::Op::OpUGreaterThan, truth,
                      {id(loaded), id(pool.number(word.bits))});
}

} // namespace assay::fuzz
