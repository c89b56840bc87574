// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/UserDataReads.h"

#include "compiler/lgc/Builder.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// Follows push constants through constant offsets. Only the first problem is kept.
class Collector : public LgcVisitor<Collector> {
public:
  Collector(TrackedState &state, const DataLayout &dataLayout)
      : m_state(state), m_dataLayout(dataLayout) {
    m_reads.use.entries.resize(state.getUserDataEntries());
  }

  void visitPushConstantsPtrOp(PushConstantsPtrOp &op) {
    if (m_state.getPushConstantDwords() == 0)
      fail("the resource layout has no push constants");
    m_reads.pushConstantPointers.push_back(&op);
    collectUsers(op, 0);
  }
  void visitDescriptorTableOp(DescriptorTableOp &op) {
    m_reads.tables.push_back(&op);
    if (std::optional<uint32_t> entry = m_state.findTableEntry(static_cast<uint32_t>(op.getSet())))
      m_reads.use.entries.set(*entry);
    else
      fail("the resource layout has no set " + Twine(op.getSet()));
  }
  /// Built-ins up to LocalInvocationId are those that hardware and driver provide.
  void visitReadBuiltInOp(ReadBuiltInOp &op) {
    m_reads.builtIns.push_back(&op);
    if (op.getBuiltIn() > static_cast<uint64_t>(BuiltIn::LocalInvocationId))
      fail("built-in " + Twine(op.getBuiltIn()) + " was not lowered");
    m_reads.use.numWorkgroups |= op.getBuiltIn() == static_cast<uint64_t>(BuiltIn::NumWorkgroups);
  }

  Expected<UserDataReads> take() {
    if (!m_problem.empty())
      return invalidInput(m_problem);
    return std::move(m_reads);
  }

private:
  void fail(const Twine &message) {
    if (m_problem.empty())
      m_problem = message.str();
  }

  /// Follows the address \p offset bytes into the push constants.
  void collectUsers(Value &address, uint64_t offset) {
    for (User *user : address.users()) {
      if (auto *load = dyn_cast<LoadInst>(user); load && isInRegisters(*load, offset)) {
        addLoad(*load, offset);
        continue;
      }
      auto *element = dyn_cast<GetElementPtrInst>(user);
      APInt step(m_dataLayout.getIndexTypeSizeInBits(address.getType()), 0);
      if (element && element->accumulateConstantOffset(m_dataLayout, step))
        collectUsers(*element, offset + step.getSExtValue());
      else
        m_reads.use.needsSpillTable = true;
    }
  }

  /// Whether \p load can be made of whole dwords, or of a part of one.
  bool isInRegisters(const LoadInst &load, uint64_t offset) {
    Type *type = load.getType();
    bool isNumber = type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy();
    bool isAddress = type->isPointerTy() && type->getPointerAddressSpace() == GlobalAddressSpace;
    if (!load.isSimple() || (!isNumber && !isAddress) ||
        !m_dataLayout.typeSizeEqualsStoreSize(type))
      return false;
    uint64_t size = m_dataLayout.getTypeStoreSize(type);
    if (offset + size > m_state.getPushConstantDwords() * uint64_t(4))
      return false;
    bool isWhole = offset % 4 == 0 && size % 4 == 0;
    return isWhole || offset % 4 + size <= 4;
  }

  /// Notes \p load and the entries, i.e. dwords, that it touches.
  void addLoad(LoadInst &load, uint64_t offset) {
    m_reads.pushConstantLoads.push_back({&load, static_cast<uint32_t>(offset)});
    uint64_t end = offset + m_dataLayout.getTypeStoreSize(load.getType());
    m_reads.use.entries.set(offset / 4, (end + 3) / 4);
  }

  TrackedState &m_state;
  const DataLayout &m_dataLayout;
  UserDataReads m_reads;
  std::string m_problem;
};
} // namespace

/// Uses come in an order that text and bitcode need not keep; the order of the code is the same
/// always.
static void sortByPlace(Function &entry, SmallVectorImpl<PushConstantLoad> &loads) {
  DenseMap<const Instruction *, unsigned> places;
  for (const Instruction &instruction : instructions(entry))
    places.insert({&instruction, places.size()});
  sort(loads, [&](const PushConstantLoad &a, const PushConstantLoad &b) {
    return places.at(a.load) < places.at(b.load);
  });
}

/// Loads are sorted by their place, so that the result does not depend on the order of uses.
Expected<UserDataReads> amdgpu::collectUserDataReads(Function &entry, TrackedState &state) {
  Collector collector(state, entry.getDataLayout());
  collector.visit(entry);
  Expected<UserDataReads> reads = collector.take();
  if (reads)
    sortByPlace(entry, reads->pushConstantLoads);
  return reads;
}
