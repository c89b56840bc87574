// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/select/Uniforms.h"

#include "compiler/dialect/Lgc.h"
#include "support/Ir3Fault.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// As many ranges as Mesa makes of a shader (25.0, ir3_shader.h, IR3_MAX_UBO_PUSH_RANGES).
static constexpr size_t maxRanges = 32;
/// Vectors that are left for immediates.
static constexpr uint32_t immediateVectors = 64;
/// The largest offset of a range: a uniform buffer has at most 64 KiB (turnip's
/// maxUniformBufferRange).
static constexpr uint64_t maxOffset = 64 * 1024;

namespace {
/// What a load reads: bytes [begin, end) of one element of a binding.
struct UniformAccess {
  uint32_t set = 0, binding = 0, element = 0; ///< The element is a constant index.
  uint32_t begin = 0, end = 0;

  /// Whether both are of one element of one binding.
  bool isSameBuffer(const UniformRange &range) const {
    return set == range.set && binding == range.binding && element == range.element;
  }
};
} // namespace

/// Nothing for a load that must stay one.
static std::optional<UniformAccess> findAccess(const Interface &interface, const LoadInst &load) {
  if (!load.hasMetadata(LLVMContext::MD_invariant_load) || !load.isSimple())
    return std::nullopt;
  const DataLayout &layout = load.getDataLayout();
  const Value *pointer = load.getPointerOperand();
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const auto *op = dyn_cast<LoadBufferDescOp>(
      pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true));
  const auto *element = op ? dyn_cast<ConstantInt>(op->getArrayIndex()) : nullptr;
  if (!element)
    return std::nullopt;
  auto place = find_if(interface.bindings, [&](const BindingPlace &each) {
    return each.set == op->getSet() && each.binding == op->getBinding();
  });
  uint64_t begin = offset.getZExtValue(), bytes = layout.getTypeStoreSize(load.getType());
  if (place == interface.bindings.end() || element->getZExtValue() >= place->count ||
      begin % 4 != 0 || bytes % 4 != 0 || begin + bytes > maxOffset)
    return std::nullopt;
  return UniformAccess{place->set, place->binding, static_cast<uint32_t>(element->getZExtValue()),
                       static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + bytes)};
}

/// The range of the same buffer that \p access touches or continues, widened; nothing of which
/// remains in \p ranges. Widening one may reach others.
static UniformRange takeMerged(std::vector<UniformRange> &ranges, const UniformAccess &access,
                               uint32_t unit) {
  UniformRange merged{access.set,
                      access.binding,
                      access.element,
                      static_cast<uint32_t>(alignDown(access.begin, unit)),
                      0,
                      0};
  auto end = static_cast<uint32_t>(alignTo(access.end, unit));
  for (size_t i = 0; i < ranges.size();) {
    const UniformRange &range = ranges[i];
    uint32_t rangeEnd = range.firstByte + 4 * range.dwords;
    if (!access.isSameBuffer(range) || range.firstByte > end || rangeEnd < merged.firstByte) {
      ++i;
      continue;
    }
    merged.firstByte = std::min(merged.firstByte, range.firstByte);
    end = std::max(end, rangeEnd);
    ranges.erase(ranges.begin() + static_cast<ptrdiff_t>(i));
    i = 0;
  }
  merged.dwords = (end - merged.firstByte) / 4;
  return merged;
}

/// Loads are considered in the order of the function: one that does not fit leaves room for later
/// ones.
void ir3::promoteUniforms(const Function &function, const Compiler &compiler,
                          Interface &interface) {
  uint32_t unit = compiler.constUploadUnit * 16, last = 4U * compiler.constVectors;
  uint32_t first = static_cast<uint32_t>(alignTo(interface.constDwords, unit / 4));
  uint32_t reserved = 4 * immediateVectors;
  uint32_t room = first + reserved < last ? last - reserved - first : 0;
  std::vector<UniformRange> ranges;
  for (const llvm::Instruction &inst : instructions(function)) {
    const auto *load = dyn_cast<LoadInst>(&inst);
    std::optional<UniformAccess> access = load ? findAccess(interface, *load) : std::nullopt;
    if (!access)
      continue;
    std::vector<UniformRange> wider = ranges;
    wider.push_back(takeMerged(wider, *access, unit));
    uint64_t total = 0;
    for (const UniformRange &range : wider)
      total += range.dwords;
    if (total <= room && wider.size() <= maxRanges)
      ranges = std::move(wider);
  }
  for (UniformRange &range : ranges) {
    range.constDword = first;
    first += range.dwords;
    interface.constDwords = first;
  }
  interface.uniforms = std::move(ranges);
}

/// A load is in a range only as a whole. Loads that qualify and did not fit stay loads.
std::optional<uint32_t> ir3::findPromoted(const Interface &interface, const LoadInst &load) {
  if (interface.uniforms.empty())
    return std::nullopt;
  std::optional<UniformAccess> access = findAccess(interface, load);
  if (!access)
    return std::nullopt;
  for (const UniformRange &range : interface.uniforms)
    if (access->isSameBuffer(range) && access->begin >= range.firstByte &&
        access->end <= range.firstByte + 4 * range.dwords) {
      uint32_t offset = access->begin - range.firstByte;
      bool isFirst = &range == &interface.uniforms.front();
      if (!isFirst && faultPlanted(Ir3Fault::UniformFirst))
        return interface.uniforms.front().constDword + offset / 4;
      return range.constDword + offset / 4;
    }
  return std::nullopt;
}
