// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The other end of clang's flags: Clang documentation, SanitizerCoverage, "Inline bool-flag" and
// "PC-Table". Flags, since counters of eight bits come back to zero.
#include "support/CodeCounts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <dlfcn.h>

using namespace llvm;
using namespace assay;

namespace {

/// Of clang's table: a block's address, and whether it is a function's first (not asked here).
struct BlockEntry {
  uintptr_t address, flags;
};

/// Of one program or shared library. Both tables have a row for each block.
struct CountedModule {
  MutableArrayRef<bool> flags;
  ArrayRef<BlockEntry> blocks;
};

} // namespace

// Filled before constructors of this program run.
static constinit CountedModule modules[8];
static constinit size_t moduleCount = 0;

static ArrayRef<CountedModule> listModules() {
  return ArrayRef(modules, moduleCount);
}

bool assay::isCodeCounted() {
  return moduleCount > 0;
}

void assay::forgetEnteredCode() {
  for (const CountedModule &module : listModules())
    fill(module.flags, false);
}

static uintptr_t findBase(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? reinterpret_cast<uintptr_t>(info.dli_fbase) : 0;
}

std::vector<uint64_t> assay::enteredCode() {
  uintptr_t own = findBase(reinterpret_cast<const void *>(&enteredCode));
  std::vector<uint64_t> addresses;
  for (const CountedModule &module : listModules()) {
    if (module.blocks.empty() ||
        findBase(reinterpret_cast<const void *>(module.blocks.front().address)) != own)
      continue;
    for (auto [isEntered, block] : zip_equal(module.flags, module.blocks))
      if (isEntered)
        addresses.push_back(block.address - own);
  }
  sort(addresses);
  return addresses;
}

// libFuzzer has its own.
#ifndef ASSAY_FUZZER

extern "C" void __sanitizer_cov_bool_flag_init(bool *begin, bool *end);
extern "C" void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end);

// Both are called for each module, this one first; again where several objects ask for it.
// NOLINTNEXTLINE(readability-identifier-naming): clang's own names.
void __sanitizer_cov_bool_flag_init(bool *begin, bool *end) {
  bool isKnown =
      any_of(listModules(), [&](const auto &each) { return each.flags.data() == begin; });
  if (begin == end || isKnown || moduleCount == std::size(modules))
    return;
  modules[moduleCount++].flags = MutableArrayRef(begin, end);
}

// NOLINTNEXTLINE(readability-identifier-naming)
void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end) {
  ArrayRef blocks(reinterpret_cast<const BlockEntry *>(begin),
                  reinterpret_cast<const BlockEntry *>(end));
  if (moduleCount && modules[moduleCount - 1].flags.size() == blocks.size())
    modules[moduleCount - 1].blocks = blocks;
}

#endif
