// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/CaseBuilder.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Limits.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Adds a requirement that Assay lacks. The case is still read to its end, so that all of them are
/// known.
void CaseBuilder::addUnsupported(const Twine &what, unsigned line) {
  m_case.unsupported.push_back({(what + " (line " + Twine(line) + ")").str()});
}

/// Makes an Unsupported error a requirement of the case, without the line in front of its message.
/// Returns other errors as they are.
Error CaseBuilder::noteUnsupported(Error error, unsigned line) {
  if (!error)
    return error;
  ErrorParts parts = assay::takeError(std::move(error));
  if (parts.kind != ErrorKind::Unsupported)
    return make_error<AssayError>(parts.kind, parts.message);
  StringRef reason = parts.message;
  reason.consume_front("line " + std::to_string(line) + ": ");
  addUnsupported(reason, line);
  return Error::success();
}

/// Keeps the order of the first mentions.
void CaseBuilder::addFeature(StringRef name) {
  if (!is_contained(m_case.features, name))
    m_case.features.push_back(name.str());
}

/// The member of a feature structure, whatever the structure is called.
static Robustness robustnessOf(StringRef feature) {
  StringRef member = feature.rsplit('.').second;
  if (member.empty())
    member = feature;
  if (member == "robustBufferAccess2" || member == "robustImageAccess2")
    return Robustness::Access2;
  if (member == "robustBufferAccess" || member == "robustImageAccess")
    return Robustness::Access;
  return Robustness::None;
}

/// Gives all pipelines the strongest robustness that a feature of the case asks for.
void CaseBuilder::applyRobustness() {
  Robustness most = Robustness::None;
  for (const std::string &feature : m_case.features)
    most = std::max(most, robustnessOf(feature));
  for (CasePipeline &pipeline : m_case.pipelines)
    pipeline.description.robustness = most;
}

/// Limit where the buffers of the case together would exceed maxBufferBytes; nothing is reserved
/// then.
Error CaseBuilder::reserveBytes(uint64_t bytes) {
  if (bytes > maxBufferBytes - m_totalBytes)
    return limitExceeded("the buffers together take more than " + Twine(maxBufferBytes >> 20) +
                         " MiB");
  m_totalBytes += bytes;
  return Error::success();
}

/// Returns the index of a new buffer with \p bytes zero bytes.
Expected<unsigned> CaseBuilder::addBuffer(StringRef name, const DataFormat &format,
                                          uint64_t bytes) {
  if (Error error = reserveBytes(bytes))
    return error;
  Buffer buffer;
  buffer.name = name.str();
  buffer.format = format;
  buffer.bytes.resize(bytes);
  m_case.buffers.push_back(std::move(buffer));
  return static_cast<unsigned>(m_case.buffers.size() - 1);
}

/// Keeps the bytes in front and fills with zeros.
Error CaseBuilder::resizeBuffer(unsigned index, uint64_t bytes) {
  m_totalBytes -= m_case.buffers[index].bytes.size();
  if (Error error = reserveBytes(bytes))
    return error;
  m_case.buffers[index].bytes.resize(bytes);
  return Error::success();
}

/// Limit where the case has maxCommands commands already.
Error CaseBuilder::addCommand(Command command) {
  if (m_case.commands.size() >= maxCommands)
    return limitExceeded("the script has more than " + Twine(maxCommands) + " commands");
  m_case.commands.push_back(std::move(command));
  return Error::success();
}

/// \p groups are three counts, each of which fits 32 bits. Limit for more than maxGroups
/// workgroups.
Error CaseBuilder::addDispatch(unsigned pipeline, ArrayRef<uint64_t> groups, unsigned line) {
  Dispatch dispatch;
  dispatch.pipeline = pipeline;
  dispatch.line = line;
  uint64_t product = 1;
  for (unsigned i = 0; i < 3; ++i) {
    dispatch.groups[i] = static_cast<uint32_t>(groups[i]);
    if (product != 0 && groups[i] > maxGroups / product)
      return limitExceeded("line " + Twine(line) + ": more than " + Twine(maxGroups) +
                           " workgroups");
    product *= groups[i];
  }
  return addCommand(dispatch);
}

/// InvalidInput where the values would lie outside of the buffer.
Error CaseBuilder::addValues(Expectation expectation) {
  const Buffer &buffer = m_case.buffers[expectation.buffer];
  uint64_t extent = valuesExtent(expectation.format, expectation.values.size());
  if (expectation.byteOffset > buffer.bytes.size() ||
      extent > buffer.bytes.size() - expectation.byteOffset)
    return invalidInput("line " + Twine(expectation.line) + ": bytes " +
                        Twine(expectation.byteOffset) + " to " +
                        Twine(expectation.byteOffset + extent) + " of buffer " + buffer.name +
                        ", which has " + Twine(buffer.bytes.size()));
  return addCommand(std::move(expectation));
}
