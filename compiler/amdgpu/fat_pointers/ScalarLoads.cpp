// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/fat_pointers/ScalarLoads.h"

#include "compiler/amdgpu/fat_pointers/BufferAccessTarget.h"
#include "support/Fault.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"
#include <numeric>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using namespace llvm::PatternMatch;

/// Operands of raw.ptr.buffer.load.
enum : unsigned { ResourceOperand, OffsetOperand, ScalarOffsetOperand, PolicyOperand };

namespace {
/// A load that may be scalar.
struct Candidate {
  IntrinsicInst *load = nullptr;
  Value *resource = nullptr;
  Value *base = nullptr; ///< Of the offset; null = 0.
  uint32_t distance = 0; ///< After the base, in bytes.
  unsigned bytes = 0;
  bool mayWrap = false; ///< Base and distance may add up to more than 32 bits hold.
  size_t order = 0;     ///< Of appearance.
};

/// Collects candidates of one block and replaces them group by group.
class ScalarLoads {
public:
  ScalarLoads(Function &function, const UniformityInfo &uniformity)
      : m_uniformity(uniformity), m_layout(function.getDataLayout()),
        m_hasSmallLoads(BufferTarget::of(function).major >= 12) {}

  /// Returns whether \p block has changed.
  bool run(BasicBlock &block);

private:
  /// Returns \p instruction as a candidate; nullopt unless it is an invariant, uniform and aligned
  /// load without a cache policy.
  std::optional<Candidate> examine(Instruction &instruction) const;
  bool isUniform(const Use &use) const { return !m_uniformity.isDivergentUse(use); }
  /// Sorts the candidates by resource, base and distance, and replaces neighbours by one load.
  /// Loads move up to the first of their group.
  void flush();
  /// Loads are moved up to the earliest of the group, never down.
  void replace(ArrayRef<Candidate> neighbours);

  const UniformityInfo &m_uniformity;
  const DataLayout &m_layout;
  bool m_hasSmallLoads;                ///< Of bytes and shorts: RDNA 4 ISA, S_BUFFER_LOAD_U8.
  std::vector<Candidate> m_candidates; ///< Between which nothing can end the program.
};
} // namespace

/// \p offset as a base and a constant.
static void peelOffset(Value *offset, Candidate &candidate) {
  uint64_t constant = 0;
  const APInt *term = nullptr;
  Value *rest = nullptr;
  while (match(offset, m_Add(m_Value(rest), m_APInt(term)))) {
    candidate.mayWrap |= !cast<OverflowingBinaryOperator>(offset)->hasNoUnsignedWrap();
    constant += term->getZExtValue();
    offset = rest;
  }
  if (match(offset, m_APInt(term))) {
    constant += term->getZExtValue();
    offset = nullptr;
  }
  candidate.base = offset;
  candidate.distance = static_cast<uint32_t>(constant);
}

/// Returns a load that may become scalar: invariant, uniform and aligned.
std::optional<Candidate> ScalarLoads::examine(Instruction &instruction) const {
  auto *load = dyn_cast<IntrinsicInst>(&instruction);
  if (!load || load->getIntrinsicID() != Intrinsic::amdgcn_raw_ptr_buffer_load ||
      !load->hasMetadata(LLVMContext::MD_invariant_load))
    return std::nullopt;
  if (!match(load->getArgOperand(ScalarOffsetOperand), m_Zero()) ||
      !match(load->getArgOperand(PolicyOperand), m_Zero()) ||
      !isUniform(load->getArgOperandUse(ResourceOperand)) ||
      !isUniform(load->getArgOperandUse(OffsetOperand)))
    return std::nullopt;
  Candidate result;
  result.bytes = static_cast<unsigned>(m_layout.getTypeStoreSize(load->getType()));
  uint64_t align = load->getParamAlign(ResourceOperand).valueOrOne().value();
  bool isSmall = load->getType()->isIntegerTy() && result.bytes < 4 && m_hasSmallLoads;
  if (align < (isSmall ? result.bytes : 4) || (result.bytes % 4 && !isSmall))
    return std::nullopt;
  result.load = load;
  result.resource = load->getArgOperand(ResourceOperand);
  peelOffset(load->getArgOperand(OffsetOperand), result);
  if (result.mayWrap) { // Not from a multiple of a power of two to less than the next one.
    unsigned zeros = computeKnownBits(result.base, m_layout).countMinTrailingZeros();
    result.mayWrap = uint64_t(result.distance) + result.bytes > uint64_t(1) << std::min(zeros, 32u);
  }
  return result;
}

/// The part of \p loaded, i32 or <n x i32>, from \p first on that \p type takes.
static Value *extractPart(IRBuilder<> &builder, Value *loaded, unsigned first, Type *type,
                          unsigned dwords) {
  auto *vector = dyn_cast<FixedVectorType>(loaded->getType());
  if (vector && dwords == 1) {
    loaded = builder.CreateExtractElement(loaded, first);
  } else if (vector && dwords != vector->getNumElements()) {
    SmallVector<int, 8> elements(dwords);
    std::iota(elements.begin(), elements.end(), static_cast<int>(first));
    loaded = builder.CreateShuffleVector(loaded, elements);
  }
  return builder.CreateBitCast(loaded, type);
}

/// One scalar load for \p neighbours, which touch each other.
void ScalarLoads::replace(ArrayRef<Candidate> neighbours) {
  const Candidate &first = neighbours.front();
  auto *earliest = min_element(neighbours, [](const Candidate &left, const Candidate &right) {
    return left.load->comesBefore(right.load);
  });
  IRBuilder<> builder(earliest->load);
  uint32_t distance = first.distance;
  if (faultPlanted(Fault::FatScalarOffset))
    distance += 4;
  Value *offset = builder.getInt32(distance);
  if (first.base)
    offset = distance ? builder.CreateAdd(first.base, offset) : first.base;
  Value *bits = builder.CreatePtrToInt(first.resource, builder.getIntNTy(128));
  Value *resource = builder.CreateBitCast(bits, FixedVectorType::get(builder.getInt32Ty(), 4));
  unsigned bytes = 0;
  for (const Candidate &each : neighbours)
    bytes += each.bytes;
  Type *type = bytes < 4 ? first.load->getType()
               : bytes == 4
                   ? builder.getInt32Ty()
                   : static_cast<Type *>(FixedVectorType::get(builder.getInt32Ty(), bytes / 4));
  Value *loaded = builder.CreateIntrinsic(Intrinsic::amdgcn_s_buffer_load, {type},
                                          {resource, offset, builder.getInt32(0)});
  for (const Candidate &each : neighbours) {
    Value *part = loaded;
    if (bytes >= 4)
      part = extractPart(builder, loaded, (each.distance - first.distance) / 4,
                         each.load->getType(), each.bytes / 4);
    part->takeName(each.load);
    each.load->replaceAllUsesWith(part);
  }
  for (const Candidate &each : neighbours)
    each.load->eraseFromParent();
}

/// How many of \p loads, in order of their places, one scalar load can fetch: as many as it has
/// sizes for, at least one.
static size_t countNeighbours(ArrayRef<Candidate> loads) {
  size_t best = 1;
  unsigned bytes = loads.front().bytes;
  for (size_t i = 1; i < loads.size() && bytes < 64 && bytes >= 4; ++i) {
    const Candidate &last = loads[i - 1];
    const Candidate &next = loads[i];
    // One offset counts on where two wrap: after 2^32 the machine finds nothing.
    bool touches = !last.mayWrap && !next.mayWrap && next.resource == last.resource &&
                   next.base == last.base && next.distance == last.distance + last.bytes &&
                   next.bytes >= 4;
    if (!touches)
      break;
    bytes += next.bytes;
    if (bytes <= 64 && isPowerOf2_32(bytes))
      best = i + 1;
  }
  return best;
}

/// Replaces the candidates so far, neighbours together. They are grouped by resource and base and
/// sorted by distance.
void ScalarLoads::flush() {
  DenseMap<std::pair<Value *, Value *>, unsigned> ranks; // In order of appearance.
  auto rankOf = [&](const Candidate &each) {
    return ranks.try_emplace({each.resource, each.base}, ranks.size()).first->second;
  };
  for (auto [order, each] : enumerate(m_candidates)) {
    each.order = order;
    rankOf(each);
  }
  sort(m_candidates, [&](const Candidate &left, const Candidate &right) {
    return std::tuple(rankOf(left), left.distance, left.order) <
           std::tuple(rankOf(right), right.distance, right.order);
  });
  ArrayRef<Candidate> rest = m_candidates;
  while (!rest.empty()) {
    size_t count = countNeighbours(rest);
    replace(rest.take_front(count));
    rest = rest.drop_front(count);
  }
  m_candidates.clear();
}

/// Returns whether a load was replaced.
bool ScalarLoads::run(BasicBlock &block) {
  bool hasChanged = false;
  for (Instruction &instruction : make_early_inc_range(block)) {
    if (std::optional<Candidate> candidate = examine(instruction)) {
      m_candidates.push_back(*candidate);
      hasChanged = true;
    } else if (!isGuaranteedToTransferExecutionToSuccessor(&instruction)) {
      // A load after must not be made before what may keep it from happening.
      flush();
    }
  }
  flush();
  return hasChanged;
}

bool amdgpu::makeScalarLoads(Function &function, const UniformityInfo &uniformity) {
  ScalarLoads loads(function, uniformity);
  bool hasChanged = false;
  for (BasicBlock &block : function)
    hasChanged |= loads.run(block);
  return hasChanged;
}
