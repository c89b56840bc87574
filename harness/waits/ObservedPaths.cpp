// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/waits/ObservedPaths.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay::waits;

ObservedPaths::~ObservedPaths() = default;

void ObservedPaths::write_impl(const char *text, size_t size) {
  m_position += size;
  StringRef rest(text, size);
  while (!rest.empty()) {
    auto [line, following] = rest.split('\n');
    bool isWhole = line.size() < rest.size();
    rest = following;
    if (m_rest.empty() && isWhole) {
      readLine(line);
      continue;
    }
    m_rest += line;
    if (!isWhole)
      return;
    readLine(m_rest);
    m_rest.clear();
  }
}

/// "    exec_lo: 0xff -> 0xf"; of other registers nothing is kept.
bool ObservedPaths::readChange(StringRef line) {
  auto [name, change] = line.ltrim().split(": ");
  bool isHigh = name == "exec_hi";
  if (name.empty() || !change.contains(" -> "))
    return false;
  if ((!isHigh && name != "exec_lo") || !m_wave)
    return true;
  uint32_t value = 0;
  size_t at = change.find("-> 0x");
  if (at == StringRef::npos || change.drop_front(at + 5).getAsInteger(16, value))
    return false;
  uint64_t keep = isHigh ? 0xffffffffull : ~0xffffffffull;
  m_wave->exec = (m_wave->exec & keep) | uint64_t(value) << (isHigh ? 32 : 0);
  return true;
}

/// The wave that \p key ("group 0,0,0 wave 1") names; a new one of a dispatch has its invocations
/// active.
ObservedPaths::Wave &ObservedPaths::waveOf(StringRef key) {
  auto [it, isNew] = m_open.try_emplace(key.str());
  if (isNew) {
    if (!m_seen.insert(key.str()).second) {
      m_seen = {key.str()};
      ++m_dispatch;
    }
    it->second.number = uint32_t(m_waves.size());
    m_waves.push_back({key.rsplit(" wave ").first.str(), m_dispatch});
  }
  unsigned number = 0;
  if (!isNew || !m_stage.empty() || key.rsplit(' ').second.getAsInteger(10, number))
    return it->second;
  unsigned before = std::min(number * m_waveSize, m_threads);
  it->second.exec = maskTrailingOnes<uint64_t>(std::min(m_threads - before, m_waveSize));
  return it->second;
}

/// "group 0,0,0 wave 0 pc 0x14: s_endpgm"; what a wave gets late counts with what asked for it.
/// Waves of a draw: "group 0,0,0 wave 0 (vertex) starts with exec 0xff", and (vertex) before pc.
bool ObservedPaths::readHead(StringRef line) {
  m_wave = nullptr;
  if (line.contains(" gets what "))
    return true;
  bool isOfDraw = line.contains(" (vertex) ") || line.contains(" (fragment) ");
  if (isOfDraw == m_stage.empty() || (isOfDraw && !line.contains(" (" + m_stage + ") ")))
    return true; // Of another stage.
  constexpr StringLiteral starts = " starts with exec 0x";
  if (size_t at = line.find(starts); at != StringRef::npos)
    return m_left == 0 ||
           !line.substr(at + starts.size()).getAsInteger(16, waveOf(line.take_front(at)).exec);
  size_t at = line.find(" pc 0x");
  if (at == StringRef::npos)
    return false;
  if (m_left == 0)
    return true;
  std::string key = line.take_front(at).str();
  auto [number, text] = line.drop_front(at + 6).split(':');
  uint64_t pc = 0;
  if (number.getAsInteger(16, pc))
    return false;
  m_wave = &waveOf(key);
  m_wave->path.push_back({pc, m_wave->exec});
  m_events.push_back({m_wave->number, pc, {}});
  --m_left;
  if (!text.ltrim().starts_with("s_endpgm"))
    return true;
  m_paths.insert(std::move(m_wave->path));
  m_wave = nullptr;
  m_open.erase(key);
  return true;
}

/// Consumes a decimal number, or a hexadecimal one after "0x".
static bool takeNumber(StringRef &text, uint64_t &number) {
  unsigned radix = text.consume_front("0x") ? 16 : 10;
  return !text.consumeInteger(radix, number);
}

/// "    writes lds 0x40 step 0x4, 4 bytes, lanes 0-30 step 2: 0x0 -> 0x1"
/// "    reads global 0x1000, 4 bytes, lane 3, 2 times"
bool ObservedPaths::readAccess(StringRef line) {
  using Kind = ObservedAccess::Kind;
  StringRef text = line.ltrim();
  ObservedAccess access;
  if (text.consume_front("writes "))
    access.kind = Kind::Write;
  else if (text.consume_front("atomic "))
    access.kind = Kind::Atomic;
  else
    text.consume_front("reads ");
  access.isLds = text.consume_front("lds ");
  if (!access.isLds && !text.consume_front("global "))
    return text.starts_with("scratch ") || text.starts_with("gds ");
  uint64_t step = 0, first = 0, last = 0, lanes = 1, count = 1;
  bool isGood = takeNumber(text, access.address);
  if (text.consume_front(" step "))
    isGood &= takeNumber(text, step);
  isGood &= text.consume_front(", ") && takeNumber(text, access.bytes) &&
            text.consume_front(" bytes, lane");
  text.consume_front("s");
  isGood &= text.consume_front(" ") && takeNumber(text, first);
  last = first;
  if (text.consume_front("-"))
    isGood &= takeNumber(text, last);
  if (text.consume_front(" step "))
    isGood &= takeNumber(text, lanes);
  count = last > first ? (last - first) / std::max<uint64_t>(lanes, 1) + 1 : 1;
  if (text.consume_front(", "))
    isGood &= takeNumber(text, count);
  if (step == access.bytes) { // One after the other: as one.
    access.bytes *= count;
    count = 1;
  }
  for (uint64_t i = 0; isGood && i < count; ++i, access.address += step)
    m_events.back().accesses.push_back(access);
  return isGood;
}

void ObservedPaths::readLine(StringRef line) {
  StringRef text = line.ltrim();
  bool isAccess =
      text.starts_with("reads ") || text.starts_with("writes ") || text.starts_with("atomic ");
  bool isRead = line.starts_with("group ") ? readHead(line)
                : isAccess                 ? !m_wave || readAccess(line)
                                           : readChange(line);
  if (!isRead && m_unread.empty())
    m_unread = line.empty() ? "(an empty line)" : line.str();
}

const std::set<ObservedPaths::Path> &ObservedPaths::finish() {
  for (auto &[key, wave] : m_open)
    m_paths.insert(std::move(wave.path));
  m_open.clear();
  m_wave = nullptr;
  return m_paths;
}
