// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Trace.h"

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/sanitizer/ExportRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

std::string gcn::scalarName(unsigned index) {
  struct Row {
    unsigned first, count;
    StringLiteral name;
    bool isPair; ///< _lo and _hi instead of a number.
  };
  static constexpr Row Rows[] = {{sreg::VccLo, 2, "vcc", true},
                                 {sreg::Ttmp0, 16, "ttmp", false},
                                 {sreg::M0, 1, "m0", false},
                                 {sreg::Null, 1, "null", false},
                                 {sreg::ExecLo, 2, "exec", true},
                                 {sreg::SharedBase, 2, "shared_base", true},
                                 {sreg::SharedLimit, 2, "shared_limit", true},
                                 {sreg::PrivateBase, 2, "private_base", true},
                                 {sreg::PrivateLimit, 2, "private_limit", true}};
  for (const Row &row : Rows)
    if (index >= row.first && index < row.first + row.count)
      return row.name.str() + (row.isPair       ? (index == row.first ? "_lo" : "_hi")
                               : row.count == 1 ? ""
                                                : utostr(index - row.first));
  return "s" + utostr(index);
}

/// Lower-case, with 0x.
static std::string hex(uint64_t value) {
  return "0x" + utohexstr(value, /*LowerCase=*/true);
}

/// What a register of \p wave holds.
static std::string showRegister(const Wave &wave, uint32_t value) {
  return value == wave.unwritten ? "unwritten" : hex(value);
}

Trace::Trace(const TraceOptions &options, const Wave &wave, raw_ostream &out)
    : m_options(options), m_out(out), m_isActive(!options.breakPc), m_scalars(wave.s),
      m_vectors(wave.v), m_scc(wave.scc), m_mode(wave.getMode()) {}

/// The line that begins each part of the trace. Waves of a draw have their stage in parentheses.
void Trace::printHead(const Wave &wave, StringRef what) {
  const std::array<uint32_t, 3> &id = wave.group->id;
  raw_string_ostream os(m_text);
  os << "group " << id[0] << "," << id[1] << "," << id[2] << " wave " << wave.number << " ";
  if (const ExportPlan *plan = wave.group->exportPlan)
    os << "(" << nameOf(plan->stage) << ") ";
  os << what << "\n";
}

/// Writes the text in one piece, so that other waves' text does not mix with it.
void Trace::flush() {
  m_out << m_text;
  m_text.clear();
}

/// Begins to print at the break point, with the whole state.
void Trace::startAt(const Wave &wave, const MicroOp &op) {
  if (op.inst->pc != *m_options.breakPc)
    return;
  m_isActive = true;
  m_scc = wave.scc;
  m_mode = wave.getMode();
  printHead(wave, "stops at pc " + hex(op.inst->pc) + ": " + op.inst->text);
  printState(wave);
  flush();
}

/// The state as a difference from nothing.
void Trace::printState(const Wave &wave) {
  raw_string_ostream os(m_text);
  os << "  scc = " << wave.scc << ", mode = " << hex(wave.getMode())
     << ", instructions = " << wave.instructions << "\n";
  unsigned sgprs = wave.group->program->options().sgprCount;
  auto isState = [&](unsigned index) {
    bool isUnused = index == sreg::Null || (wave.waveSize == 32 && index == sreg::ExecLo + 1);
    return !isUnused && (index < sgprs || index >= sreg::VccLo);
  };
  for (unsigned i = 0; i < sreg::SharedBase; ++i)
    if (isState(i))
      os << "  " << scalarName(i) << " = " << showRegister(wave, wave.s[i]) << "\n";
  for (auto [number, lanes] : enumerate(wave.v))
    for (unsigned lane = 0; lane < wave.waveSize; ++lane)
      if (wantsLane(lane))
        os << (lane == 0 || m_options.lane ? "  v" + utostr(number) + " =" : "") << " "
           << showRegister(wave, lanes[lane])
           << (lane + 1 == wave.waveSize || m_options.lane ? "\n" : "");
  m_scalars = wave.s;
  m_vectors = wave.v;
}

void Trace::before(Wave &wave, const MicroOp &op) {
  if (!m_isActive)
    startAt(wave, op);
  m_accesses.clear();
  if (wave.instructions == 0 && wave.group->exportPlan && isInside(0)) {
    printHead(wave, "starts with exec " + hex(wave.exec()));
    flush();
  }
  if (wave.instructions == m_options.first) { // Only what changes from here on is news.
    m_scalars = wave.s;
    m_vectors = wave.v;
  }
}

/// The value of up to eight bytes; of more, the first eight.
static uint64_t readValue(const Wave &wave, const MemoryEvent &event) {
  const uint8_t *memory = nullptr;
  uint64_t bytes = std::min(event.bytes, 8u);
  if (event.space == MemorySpace::Global)
    memory = wave.group->memory->find(event.address, bytes, Access::Read);
  else if (event.space == MemorySpace::Workgroup && event.address + bytes <= wave.group->lds.size())
    memory = wave.group->lds.data() + event.address;
  uint64_t value = 0;
  if (memory)
    std::memcpy(&value, memory, bytes);
  return value;
}

void Trace::access(Wave &wave, const MicroOp &, const MemoryEvent &event) {
  if (isInside(wave.instructions - 1) && wantsLane(event.lane))
    m_accesses.push_back({event, event.writes ? readValue(wave, event) : 0});
}

/// In the order of MemorySpace.
static StringRef spaceName(MemorySpace space) {
  static constexpr StringLiteral Names[] = {"lds", "scratch", "global", "gds"};
  return Names[unsigned(space)];
}

/// From \p first to \p second, both of \p bits, which wrap.
static uint64_t stepOf(uint64_t first, uint64_t second, unsigned bits) {
  return (second - first) & maskTrailingOnes<uint64_t>(bits);
}

/// The length of the longest range from the front in which values of \p bits step evenly.
template <typename T, typename F>
static size_t countEven(ArrayRef<T> items, unsigned bits, F value) {
  size_t count = std::min<size_t>(items.size(), 2);
  while (count < items.size() && stepOf(value(items[count - 1]), value(items[count]), bits) ==
                                     stepOf(value(items[0]), value(items[1]), bits))
    ++count;
  return count;
}

/// How many of \p changes, of values of \p bits, one line can tell from the front: those of evenly
/// stepping lanes that are alike, or at least four that step evenly. Any two or three numbers may
/// do so by chance.
size_t Trace::countTogether(ArrayRef<Change> changes, unsigned bits) {
  constexpr size_t MinSteps = 4;
  size_t even =
      std::min({countEven(changes, 64, [](const Change &each) { return uint64_t(each.lane); }),
                countEven(changes, 64, [](const Change &each) { return each.place; }),
                countEven(changes, bits, [](const Change &each) { return each.before; }),
                countEven(changes, bits, [](const Change &each) { return each.after; })});
  const Change &first = changes[0], &second = changes[even > 1];
  bool isAlike =
      first.place == second.place && first.before == second.before && first.after == second.after;
  return isAlike || even >= MinSteps ? even : 1;
}

/// \p count values that step evenly, or one.
static std::string range(uint64_t first, uint64_t second, size_t count, unsigned bits) {
  bool steps = count > 1 && second != first;
  return hex(first) + (steps ? " step " + hex(stepOf(first, second, bits)) : "");
}

/// Memory that the instruction accessed; scratch without values.
void Trace::printAccesses(const Wave &wave) {
  raw_string_ostream os(m_text);
  std::vector<Change> changes;
  for (const Access &access : m_accesses)
    changes.push_back({access.event.lane, access.event.address, access.before,
                       access.event.writes ? readValue(wave, access.event) : 0});
  for (size_t at = 0; at < changes.size();) {
    const MemoryEvent &event = m_accesses[at].event;
    ArrayRef<Change> rest = ArrayRef(changes).drop_front(at);
    size_t alike = 1;
    while (alike < rest.size() && m_accesses[at + alike].event.writes == event.writes &&
           m_accesses[at + alike].event.space == event.space &&
           m_accesses[at + alike].event.bytes == event.bytes)
      ++alike;
    rest = rest.take_front(alike);
    unsigned bits = 8 * std::min(event.bytes, 8u);
    size_t count = countTogether(rest, bits);
    const Change &first = rest[0];
    const Change &second = rest[count > 1];
    os << "    "
       << (event.atomic   ? "atomic "
           : event.writes ? "writes "
                          : "reads ")
       << spaceName(event.space) << " " << range(first.place, second.place, count, 64) << ", "
       << event.bytes << " bytes";
    bool isOne = first.lane == rest[count - 1].lane;
    os << (isOne ? ", lane " : ", lanes ") << first.lane;
    if (!isOne)
      os << "-" << rest[count - 1].lane;
    if (unsigned step = second.lane - first.lane; step > 1)
      os << " step " << step;
    if (isOne && count > 1)
      os << ", " << count << " times";
    if (event.writes && event.space != MemorySpace::Private)
      os << ": " << range(first.before, second.before, count, bits) << " -> "
         << range(first.after, second.after, count, bits);
    os << "\n";
    at += count;
  }
}

/// Scalars that differ from what was printed last, and remembers them.
void Trace::printScalars(const Wave &wave) {
  raw_string_ostream os(m_text);
  if (wave.scc != m_scc)
    os << "    scc: " << m_scc << " -> " << wave.scc << "\n";
  if (wave.getMode() != m_mode)
    os << "    mode: " << hex(m_mode) << " -> " << hex(wave.getMode()) << "\n";
  m_scc = wave.scc;
  m_mode = wave.getMode();
  for (unsigned i = 0; i < m_scalars.size(); ++i) {
    if (m_scalars[i] == wave.s[i])
      continue;
    os << "    " << scalarName(i) << ": " << showRegister(wave, m_scalars[i]) << " -> "
       << showRegister(wave, wave.s[i]) << "\n";
    m_scalars[i] = wave.s[i];
  }
}

/// The same for vector registers, by runs of lanes.
void Trace::printVectors(const Wave &wave) {
  raw_string_ostream os(m_text);
  for (auto [number, lanes] : enumerate(wave.v)) {
    LaneArray &old = m_vectors[number];
    if (old == lanes)
      continue;
    std::vector<Change> changes;
    for (unsigned lane = 0; lane < wave.waveSize; ++lane)
      if (old[lane] != lanes[lane] && wantsLane(lane))
        changes.push_back({lane, /*place=*/0, old[lane], lanes[lane]});
    old = lanes;
    for (ArrayRef<Change> rest = changes; !rest.empty();) {
      size_t together = 1;
      while (together < rest.size() && rest[together].lane == rest[0].lane + together)
        ++together;
      ArrayRef<Change> run = rest.take_front(together);
      size_t count = countTogether(run, 32);
      const Change &second = run[count > 1];
      os << "    v" << number << "[" << run[0].lane;
      if (count > 1)
        os << "-" << run[count - 1].lane;
      auto show = [&](uint64_t a, uint64_t b) {
        return a == b ? showRegister(wave, static_cast<uint32_t>(a)) : range(a, b, count, 32);
      };
      os << "]: " << show(run[0].before, second.before) << " -> "
         << show(run[0].after, second.after) << "\n";
      rest = rest.drop_front(count);
    }
  }
}

void Trace::after(Wave &wave, const MicroOp &op) {
  if (!isInside(wave.instructions - 1))
    return;
  printHead(wave, "pc " + hex(op.inst->pc) + ": " + op.inst->text);
  printAccesses(wave);
  printScalars(wave);
  printVectors(wave);
  flush();
}

/// Where results come late, this is when they do.
void Trace::completed(Wave &wave, const WaitScoreboard::Entry &entry) {
  if (!isInside(wave.instructions - 1))
    return;
  const Inst &inst = *wave.group->program->ops()[entry.producer].inst;
  printHead(wave, "gets what pc " + hex(inst.pc) + " asked for: " + inst.text);
  size_t head = m_text.size();
  printScalars(wave);
  printVectors(wave);
  if (m_text.size() == head)
    m_text.clear(); // It was there before.
  flush();
}
