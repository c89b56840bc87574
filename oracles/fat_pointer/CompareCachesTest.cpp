// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which cache policy an atomic access of a scope needs, by chip.
#include "oracles/fat_pointer/CompareCaches.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace assay;
using ir::Event;

namespace {
constexpr uint32_t glc = 1, dlc = 4, scopeEngine = 1 << 3, scopeDevice = 2 << 3,
                   scopeSystem = 3 << 3;

/// An atomic access before, and the buffer instruction after.
struct Row {
  const char *chip, *features;
  Event::Kind before;
  const char *scope;
  Event::Kind after;
  uint32_t policy;
  bool isEnough;
};

class Caches : public testing::TestWithParam<Row> {};

constexpr Event::Kind load = Event::Kind::AtomicLoad, store = Event::Kind::AtomicStore,
                      rmw = Event::Kind::AtomicRmw, cachedLoad = Event::Kind::CachedLoad,
                      cachedStore = Event::Kind::CachedStore;
} // namespace

static Event makeEvent(Event::Kind kind) {
  Event event;
  event.kind = kind;
  event.address = 0x1000;
  event.bytes = 4;
  return event;
}

TEST_P(Caches, Compare) {
  const Row &row = GetParam();
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  function->addFnAttr("target-cpu", row.chip);
  function->addFnAttr("target-features", row.features);
  Event before = makeEvent(row.before), after = makeEvent(row.after);
  before.ordering = llvm::AtomicOrdering::Monotonic;
  before.scope = row.scope;
  after.isInstruction = true;
  after.cachePolicy = row.policy;
  std::string difference = compareCaches(before, after, *function);
  EXPECT_EQ(difference.empty(), row.isEnough) << row.chip << " " << row.scope << ": " << difference;
}

INSTANTIATE_TEST_SUITE_P(
    FatPointers, Caches,
    testing::Values(Row{"gfx900", "", load, "agent", cachedLoad, glc, true},
                    Row{"gfx900", "", load, "agent", cachedLoad, dlc, false},
                    Row{"gfx900", "", load, "agent", cachedStore, glc, false},
                    Row{"gfx900", "", load, "workgroup-one-as", cachedLoad, dlc, true},
                    Row{"gfx900", "", store, "", cachedStore, dlc, true},
                    Row{"gfx942", "", load, "", cachedLoad, dlc, true},
                    Row{"gfx1030", "", load, "", cachedLoad, glc, false},
                    Row{"gfx1030", "", load, "", cachedLoad, glc | dlc, true},
                    Row{"gfx1030", "", load, "workgroup", cachedLoad, dlc, false},
                    Row{"gfx1030", "+cumode", load, "workgroup", cachedLoad, dlc, true},
                    Row{"gfx1030", "", load, "wavefront", cachedLoad, dlc, true},
                    Row{"gfx1100", "", load, "agent-one-as", cachedLoad, glc, true},
                    Row{"gfx1100", "", load, "agent", rmw, 0, true},
                    Row{"gfx1201", "", load, "agent", cachedLoad, scopeDevice, true},
                    Row{"gfx1201", "", load, "agent", cachedLoad, scopeEngine, false},
                    Row{"gfx1201", "", store, "", cachedStore, scopeDevice, false},
                    Row{"gfx1201", "", store, "", cachedStore, scopeSystem, true},
                    Row{"gfx1201", "", rmw, "agent", rmw, glc, false},
                    Row{"gfx1201", "", rmw, "workgroup", rmw, scopeEngine, true},
                    Row{"none", "", load, "", cachedLoad, dlc, true}));

TEST(CompareCaches, PlainLoadsAreMissed) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  function->addFnAttr("target-cpu", "gfx1100");
  Event before = makeEvent(load);
  before.ordering = llvm::AtomicOrdering::Acquire;
  before.scope = "agent";
  EXPECT_EQ(compareCaches(before, {}, *function),
            "no buffer instruction passes the caches that lane 0: atomic load of 4 bytes at 0x1000 "
            "acquire scope \"agent\" passes");
  // An instruction that says its scope itself, such as a load through a global pointer.
  EXPECT_EQ(compareCaches(before, before, *function), "");
}
