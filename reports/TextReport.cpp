// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report for a terminal.
#include "reports/Report.h"

#include "reports/Escape.h"
#include "reports/Evidence.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace assay;

namespace {

/// Writes verdicts one case after the other; writeSum() follows the last one.
class TextWriter {
public:
  TextWriter(raw_ostream &os, const Report &report, const TextStyle &style)
      : m_os(os), m_report(report), m_style(style) {}

  /// Writes the verdicts of one case; those that say the same share a line unless verbose.
  void writeCase(ArrayRef<Verdict> verdicts);
  void writeSum();

private:
  void writeVerdict(const Verdict &verdict);
  void writeGroup(const Verdict &first, size_t size);
  void writeState(const Verdict &verdict);
  void writeReason(const Verdict &verdict);
  /// Known verdicts are not bad: quiet output leaves them out.
  bool isShownAsBad(const Verdict &verdict) const {
    return isBad(verdict.state) && m_report.knownAs(verdict).empty();
  }
  void writeFinding(const Finding &finding);
  void writeDetails(const Verdict &verdict);

  raw_ostream &m_os;
  const Report &m_report;
  const TextStyle &m_style;
};

} // namespace

/// Writes at most \p maxValues values, a line for each element, or eight scalars a line with the
/// index of the first one.
static void writeBuffer(raw_ostream &os, const BufferListing &buffer, uint64_t maxValues) {
  os << "  " << escapeLine(buffer.name) << ": " << buffer.type << "[";
  os << buffer.values.size() / std::max(1u, buffer.components) << "]";
  uint64_t shown = std::min<uint64_t>(buffer.values.size(), maxValues);
  const unsigned perLine = buffer.components > 1 ? buffer.components : 8;
  for (uint64_t i = 0; i < shown; ++i) {
    if (i % perLine == 0)
      os << "\n    " << i / std::max(1u, buffer.components) << ":";
    os << " " << escapeLine(buffer.values[i]);
  }
  if (shown < buffer.values.size())
    os << "\n    and " << buffer.values.size() - shown << " more values";
  os << "\n";
}

/// Green for pass, red for bad states, yellow for the others.
static raw_ostream::Colors stateColor(State state) {
  if (state == State::Pass)
    return raw_ostream::GREEN;
  return isBad(state) ? raw_ostream::RED : raw_ostream::YELLOW;
}

/// Of a verdict that is known "known"; writeReason() has its state.
void TextWriter::writeState(const Verdict &verdict) {
  bool isKnown = !m_report.knownAs(verdict).empty();
  if (m_style.color)
    m_os.changeColor(isKnown ? raw_ostream::YELLOW : stateColor(verdict.state), /*Bold=*/true);
  m_os << left_justify(isKnown ? StringRef("known") : stateName(verdict.state), 11);
  if (m_style.color)
    m_os.resetColor();
  m_os << " ";
}

/// Ends the line of a verdict. What is known has its true state there, because its printed state is
/// "known".
void TextWriter::writeReason(const Verdict &verdict) {
  StringRef known = m_report.knownAs(verdict);
  if (!known.empty())
    m_os << ": " << stateName(verdict.state) << " (" << escapeLine(known) << ")";
  if (!verdict.reason.empty())
    m_os << ": " << escapeLine(verdict.reason);
  m_os << "\n";
}

/// The severity is only mentioned where it is not an error.
void TextWriter::writeFinding(const Finding &finding) {
  m_os << "    " << escapeLine(finding.rule);
  if (finding.severity != Severity::Error)
    m_os << (finding.severity == Severity::Warning ? " (warning)" : " (note)");
  if (!finding.location.empty())
    m_os << " " << escapeLine(finding.location);
  m_os << ": " << escapeLine(finding.message) << "\n";
}

/// Leaves out the only finding where the reason repeats its message. The history of a texel is
/// printed in any case.
void TextWriter::writeDetails(const Verdict &verdict) {
  for (const Finding &finding : verdict.findings) {
    // The reason has said it already.
    bool isSaid =
        StringRef(verdict.reason).contains(finding.message) && verdict.findings.size() == 1;
    if (!isSaid)
      writeFinding(finding);
    for (const std::string &line : historyOf(finding))
      m_os << "    history: " << escapeLine(line) << "\n";
  }
  if (verdict.firstDifference)
    m_os << "    first difference: " << escapeLine(describeDifference(*verdict.firstDifference))
         << "\n";
}

/// Writes the line of a verdict, its findings and the command to rerun it.
void TextWriter::writeVerdict(const Verdict &verdict) {
  writeState(verdict);
  m_os << escapeLine(verdict.caseId);
  std::string configuration = configurationName(verdict);
  if (!configuration.empty())
    m_os << "  " << escapeLine(configuration);
  writeReason(verdict);
  if (m_style.verbose || isBad(verdict.state) || !verdict.findings.empty())
    writeDetails(verdict);
  if (verdict.state != State::Pass && !verdict.rerun.empty())
    m_os << "    rerun: " << escapeLine(verdict.rerun) << "\n";
}

/// Writes one line for \p size verdicts of a case that say the same as \p first.
void TextWriter::writeGroup(const Verdict &first, size_t size) {
  if (size == 1)
    return writeVerdict(first);
  writeState(first);
  m_os << escapeLine(first.caseId) << "  " << size << " verdicts";
  writeReason(first);
  if (isBad(first.state))
    writeDetails(first);
  if (first.state != State::Pass && !first.rerun.empty())
    m_os << "    rerun the first: " << escapeLine(first.rerun) << "\n";
}

// Verdicts that say nothing of their own - passed, or all refused for one reason - share a line.
static bool canShareLine(const Verdict &verdict) {
  return verdict.findings.empty() &&
         (verdict.state == State::Pass || verdict.state == State::Unsupported ||
          verdict.state == State::Invalid);
}

/// Verdicts of one case with the same state and reason share a line if they have no details, unless
/// the style is verbose. A quiet report leaves out what is not bad.
void TextWriter::writeCase(ArrayRef<Verdict> verdicts) {
  std::vector<bool> written(verdicts.size());
  for (size_t i = 0; i < verdicts.size(); ++i) {
    const Verdict &verdict = verdicts[i];
    if (written[i] || (m_style.quiet && !isShownAsBad(verdict)))
      continue;
    if (m_style.verbose || !canShareLine(verdict)) {
      writeVerdict(verdict);
      continue;
    }
    size_t size = 0;
    for (size_t j = i; j < verdicts.size(); ++j) {
      if (!canShareLine(verdicts[j]) || verdicts[j].state != verdict.state ||
          verdicts[j].reason != verdict.reason ||
          m_report.knownAs(verdicts[j]) != m_report.knownAs(verdict))
        continue;
      written[j] = true;
      ++size;
    }
    writeGroup(verdict, size);
  }
}

/// Known verdicts are counted by themselves, not by their state.
void TextWriter::writeSum() {
  size_t total = m_report.verdicts.size();
  Counts counts = m_report.countUnknown();
  m_os << total << (total == 1 ? " verdict" : " verdicts");
  const char *separator = ": ";
  for (unsigned i = 0; i < stateCount; ++i) {
    State state = static_cast<State>(i);
    if (!counts[state])
      continue;
    m_os << separator << counts[state] << " " << stateName(state);
    separator = ", ";
  }
  if (!m_report.known.empty())
    m_os << separator << m_report.known.size() << " known";
  m_os << "\n";
}

/// Takes consecutive verdicts of one case together. Buffers of a case are printed once, in front of
/// its verdicts.
void assay::writeTextReport(raw_ostream &os, const Report &report, const TextStyle &style) {
  if (style.color)
    os.enable_colors(true);
  TextWriter writer(os, report, style);
  ArrayRef<Verdict> rest = report.verdicts;
  while (!rest.empty()) {
    size_t size = 1;
    while (size < rest.size() && rest[size].caseId == rest[0].caseId)
      ++size;
    auto buffers = report.buffers.find(rest[0].caseId);
    if (buffers != report.buffers.end())
      for (const BufferListing &buffer : buffers->second)
        writeBuffer(os, buffer, style.maxValues);
    writer.writeCase(rest.take_front(size));
    rest = rest.drop_front(size);
  }
  writer.writeSum();
}
