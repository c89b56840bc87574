// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/FindRace.h"

#include "oracles/ir/Spaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;
using namespace assay;

namespace {

/// One access of a byte, as races are judged by it.
struct Access {
  uint64_t thread = 0;
  unsigned barriers = 0; ///< That its wave had come to.
  bool isWrite = false;

  uint64_t wave() const { return thread / ir::lanesOfWave; }
};

/// The accesses of one pipeline so far, for the search of the first race.
class RaceSearch {
public:
  /// What \p access races with on \p byte; null: nothing.
  const Access *add(const Access &access, uint64_t byte);

private:
  /// By workgroup, of its LDS, and byte: one access of each wave, kind and time.
  std::map<std::pair<uint64_t, uint64_t>, std::vector<Access>> m_accesses;
};

} // namespace

/// Returns true when nothing orders two accesses of the same byte and one of them writes. Barriers
/// only order the waves of one workgroup.
static bool areRacing(const Access &a, const Access &b) {
  bool areOrdered = a.wave() == b.wave() ||
                    (ir::groupOf(a.thread) == ir::groupOf(b.thread) && a.barriers != b.barriers);
  return !areOrdered && (a.isWrite || b.isWrite);
}

const Access *RaceSearch::add(const Access &access, uint64_t byte) {
  constexpr uint64_t NoGroup = ~uint64_t(0);
  bool isShared = byte >= ir::Spaces::SharedAperture;
  std::vector<Access> &known = m_accesses[{isShared ? ir::groupOf(access.thread) : NoGroup, byte}];
  auto racing = find_if(known, [&](const Access &other) { return areRacing(access, other); });
  if (racing != known.end())
    return &*racing;
  auto isSame = [&](const Access &other) {
    return other.wave() == access.wave() && other.barriers == access.barriers &&
           other.isWrite == access.isWrite;
  };
  if (none_of(known, isSame))
    known.push_back(access);
  return nullptr;
}

/// Fences are nothing by themselves.
static bool isAtomic(const ir::LogStep &step) {
  const auto *event = std::get_if<ir::Event>(&step.what);
  return event && event->kind != ir::Event::Kind::Fence && !ir::isVolatileAccess(*event);
}

/// Returns a sentence that names both waves and the byte; a byte of LDS by its offset.
static std::string describe(const Access &now, const Access &other, uint64_t byte) {
  auto name = [](const Access &access) {
    return "wave " + std::to_string(ir::waveNumberOf(access.thread));
  };
  bool isShared = byte >= ir::Spaces::SharedAperture;
  bool isOwnGroup = ir::groupOf(now.thread) == ir::groupOf(other.thread);
  return name(now) + (now.isWrite ? " writes" : " reads") + (isShared ? " LDS" : "") + " byte 0x" +
         utohexstr(isShared ? byte - ir::Spaces::SharedAperture : byte, /*LowerCase=*/true) +
         "; nothing orders this and that " + name(other) + " of " +
         (isOwnGroup ? "its" : "another") + " workgroup " + (other.isWrite ? "writes" : "reads") +
         " it";
}

std::optional<std::string> assay::findRace(const ir::ExecutionLog &log) {
  if (log.isCut() || any_of(log.steps(), isAtomic))
    return std::nullopt;
  RaceSearch search;
  std::map<uint64_t, unsigned> barriers; ///< By wave.
  for (const ir::LogStep &step : log.steps()) {
    if (std::holds_alternative<ir::Barrier>(step.what)) {
      if (step.thread == ir::noThread) {
        search = RaceSearch();
        barriers.clear(); // Waves of this number are others now, of another pipeline maybe.
      } else {
        ++barriers[step.thread / ir::lanesOfWave];
      }
      continue;
    }
    const auto *read = std::get_if<ir::Read>(&step.what);
    const auto *write = std::get_if<ir::Write>(&step.what);
    if (!read && !write)
      continue;
    Access access{step.thread, barriers[step.thread / ir::lanesOfWave], write != nullptr};
    uint64_t begin = read ? read->address : write->address;
    uint64_t bytes = read ? read->bytes : write->bytes.size();
    for (uint64_t byte = begin; byte < begin + bytes; ++byte)
      if (const Access *other = search.add(access, byte))
        return describe(access, *other, byte);
  }
  return std::nullopt;
}
