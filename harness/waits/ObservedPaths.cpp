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
    auto [line, behind] = rest.split('\n');
    bool isWhole = line.size() < rest.size();
    rest = behind;
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

/// "    exec_lo: 0xff -> 0xf"
void ObservedPaths::readChange(StringRef line) {
  auto [name, change] = line.ltrim().split(": ");
  bool isHigh = name == "exec_hi";
  uint32_t value = 0;
  size_t at = change.find("-> 0x");
  if ((!isHigh && name != "exec_lo") || !m_wave || at == StringRef::npos ||
      change.drop_front(at + 5).getAsInteger(16, value))
    return;
  uint64_t keep = isHigh ? 0xffffffffull : ~0xffffffffull;
  m_wave->exec = (m_wave->exec & keep) | uint64_t(value) << (isHigh ? 32 : 0);
}

/// The wave that \p key ("group 0,0,0 wave 1") names; a new one has its invocations active.
ObservedPaths::Wave &ObservedPaths::waveOf(StringRef key) {
  auto [it, isNew] = m_open.try_emplace(key.str());
  unsigned number = 0;
  if (!isNew || key.rsplit(' ').second.getAsInteger(10, number))
    return it->second;
  unsigned before = std::min(number * m_waveSize, m_threads);
  it->second.exec = maskTrailingOnes<uint64_t>(std::min(m_threads - before, m_waveSize));
  return it->second;
}

/// "group 0,0,0 wave 0 pc 0x14: s_endpgm"
void ObservedPaths::readHead(StringRef line) {
  size_t at = line.find(" pc 0x");
  m_wave = nullptr;
  if (at == StringRef::npos || line.contains(" gets what ") || m_left == 0)
    return;
  std::string key = line.take_front(at).str();
  auto [number, text] = line.drop_front(at + 6).split(':');
  uint64_t pc = 0;
  if (number.getAsInteger(16, pc))
    return;
  m_wave = &waveOf(key);
  m_wave->path.push_back({pc, m_wave->exec});
  --m_left;
  if (!text.ltrim().starts_with("s_endpgm"))
    return;
  m_paths.insert(std::move(m_wave->path));
  m_wave = nullptr;
  m_open.erase(key);
}

void ObservedPaths::readLine(StringRef line) {
  if (line.starts_with("group "))
    readHead(line);
  else
    readChange(line);
}

const std::set<ObservedPaths::Path> &ObservedPaths::finish() {
  for (auto &[key, wave] : m_open)
    m_paths.insert(std::move(wave.path));
  m_open.clear();
  m_wave = nullptr;
  return m_paths;
}
