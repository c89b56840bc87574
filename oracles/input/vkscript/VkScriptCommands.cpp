// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands of VkScript's [test] section.
#include "oracles/input/vkscript/VkScriptReader.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/GraphicsState.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// The first words of the commands of [test], except for keys of the graphics state.
ArrayRef<VkScriptReader::HandlerRow> VkScriptReader::handlers() {
  using R = VkScriptReader;
  static constexpr HandlerRow rows[] = {{"ssbo", &R::readSsbo},
                                        {"ubo", &R::readUbo},
                                        {"uniform", &R::readUniform},
                                        {"push", &R::readPush},
                                        {"compute", &R::readCompute},
                                        {"probe", &R::readProbe},
                                        {"tolerance", &R::readTolerance},
                                        {"relative", &R::readRelative},
                                        {"draw", &R::readDraw},
                                        {"clear", &R::readClear},
                                        {"patch", &R::readPatch},
                                        {"vertex", &R::readVertexEntryPoint},
                                        {"fragment", &R::readFragmentEntryPoint},
                                        {"geometry", &R::readGeometryEntryPoint},
                                        {"tessellation", &R::readTessellationEntryPoint}};
  return rows;
}

/// \p key is logicOp or logicOpEnable. As in Vulkan, the operation does nothing while the switch is
/// off; the directive STATE has the operation alone.
Error VkScriptReader::readLogicOp(LineCursor &line, StringRef key) {
  GraphicsState said;
  if (Error error = readGraphicsState(line, key, said))
    return error;
  if (key == "logicOpEnable")
    m_usesLogicOp = said.logicOp.has_value();
  else
    m_logicOp = *said.logicOp;
  m_state.logicOp = m_usesLogicOp ? std::optional(m_logicOp) : std::nullopt;
  return Error::success();
}

/// Reads one command of [test], up to maxCommands of them. The caller checks the end of the line.
Error VkScriptReader::readCommand(LineCursor &line) {
  Expected<StringRef> keyword = line.word("a command");
  if (!keyword)
    return keyword.takeError();
  if (m_commands.size() >= maxCommands)
    return limitExceeded("the script has more than " + Twine(maxCommands) + " commands");
  for (const HandlerRow &row : handlers())
    if (row.keyword == *keyword)
      return (this->*row.handler)(line);
  if (*keyword == "logicOp" || *keyword == "logicOpEnable")
    return readLogicOp(line, *keyword);
  if (isVkScriptStateKey(*keyword))
    return readGraphicsState(line, *keyword, m_state);
  return line.error("unknown command '" + keyword->take_front(40) + "'");
}

/// "S:B", or "B" in set 0.
/// A blank may precede the colon. Both numbers are at most 65535.
Expected<VkBinding> VkScriptReader::readBinding(LineCursor &line) {
  Expected<StringRef> word = line.word("a binding");
  if (!word)
    return word.takeError();
  StringRef set = "0";
  StringRef binding = *word;
  if (word->contains(':')) {
    std::tie(set, binding) = word->split(':');
  } else if (line.peek().starts_with(":")) {
    set = *word;
    binding = cantFail(line.word("")).drop_front();
  }
  Expected<uint64_t> setNumber = parseUnsigned(set, 0xffff, "a descriptor set");
  if (!setNumber)
    return atLine(line.line(), setNumber.takeError());
  Expected<uint64_t> bindingNumber = parseUnsigned(binding, 0xffff, "a binding");
  if (!bindingNumber)
    return atLine(line.line(), bindingNumber.takeError());
  return VkBinding{static_cast<uint32_t>(*setNumber), static_cast<uint32_t>(*bindingNumber)};
}

/// Reads a type's name and lays it out by \p layout.
Expected<DataFormat> VkScriptReader::readType(LineCursor &line, BlockLayout layout) {
  Expected<StringRef> name = line.word("a data type");
  if (!name)
    return name.takeError();
  std::optional<DataType> type = parseVkScriptType(*name);
  if (!type)
    return line.error("unknown data type '" + name->take_front(40) + "'");
  // As in Amber, values one after another are no array: std140 spreads the columns of matrices.
  return amberFormat(*type, layout);
}

/// Appends the bits of all numbers up to the end of the line; there must be at least one.
Error VkScriptReader::readValues(LineCursor &line, ScalarKind kind, std::vector<uint64_t> &values) {
  while (!line.atEnd()) {
    Expected<uint64_t> value = parseScalar(cantFail(line.word("")), kind);
    if (!value)
      return atLine(line.line(), value.takeError());
    values.push_back(*value);
  }
  if (values.empty())
    return line.error("expected values at the end of the line");
  return Error::success();
}

/// InvalidInput unless \p values fill whole elements, or whole columns of a matrix.
static Error checkWhole(const LineCursor &line, const DataFormat &format, size_t values) {
  // As in Amber, columns of a matrix may be left out.
  if (values % format.rows == 0)
    return Error::success();
  return line.error(Twine(values) + " values are no whole number of " +
                    (format.columns > 1 ? "columns of " : "elements of ") + Twine(format.rows) +
                    " components");
}

/// Returns the layout in use for a kind of buffer.
static BlockLayout *layoutOf(VkBufferKind kind, BlockLayout &ssbo, BlockLayout &ubo,
                             BlockLayout &push) {
  if (kind == VkBufferKind::Ssbo)
    return &ssbo;
  return kind == VkBufferKind::Ubo ? &ubo : &push;
}

/// T offset values...
/// The offset counts bytes and must be a multiple of the scalar's size.
Error VkScriptReader::readWrite(LineCursor &line, VkBufferKind kind, VkBinding binding) {
  Expected<DataFormat> format =
      readType(line, *layoutOf(kind, m_ssboLayout, m_uboLayout, m_pushLayout));
  if (!format)
    return format.takeError();
  Expected<uint64_t> offset = line.number("an offset", maxBufferBytes);
  if (!offset)
    return offset.takeError();
  if (*offset % scalarBytes(format->scalar) != 0)
    return line.error("the offset is no multiple of the type's size");
  VkWrite write{{kind, binding}, *format, *offset, {}, line.line()};
  if (Error error = readValues(line, format->scalar, write.values))
    return error;
  if (Error error = checkWhole(line, *format, write.values.size()))
    return error;
  m_commands.push_back(std::move(write));
  return Error::success();
}

/// std140 or std430, for the following commands on this kind of buffer.
Error VkScriptReader::readLayout(LineCursor &line, BlockLayout &layout) {
  if (line.tryWord("std140"))
    layout = BlockLayout::Std140;
  else if (line.tryWord("std430"))
    layout = BlockLayout::Std430;
  else
    return line.error("expected std140 or std430");
  return Error::success();
}

/// B subdata T offset values, or B size; both kinds of buffers have these forms.
Error VkScriptReader::readBuffer(LineCursor &line, VkBufferKind kind, BlockLayout &layout) {
  if (line.tryWord("layout"))
    return readLayout(line, layout);
  Expected<VkBinding> binding = readBinding(line);
  if (!binding)
    return binding.takeError();
  if (line.tryWord("subdata"))
    return readWrite(line, kind, *binding);
  Expected<uint64_t> bytes = line.number("a size in bytes", maxBufferBytes);
  if (!bytes)
    return bytes.takeError();
  m_commands.push_back(VkSize{{kind, *binding}, *bytes, line.line()});
  return Error::success();
}

/// What follows "ssbo".
Error VkScriptReader::readSsbo(LineCursor &line) {
  return readBuffer(line, VkBufferKind::Ssbo, m_ssboLayout);
}

/// What follows "ubo".
Error VkScriptReader::readUbo(LineCursor &line) {
  return readBuffer(line, VkBufferKind::Ubo, m_uboLayout);
}

/// "uniform ubo" writes a uniform buffer; "uniform" alone is an older name of "push".
Error VkScriptReader::readUniform(LineCursor &line) {
  if (!line.tryWord("ubo"))
    return readWrite(line, VkBufferKind::Push, {0, 0});
  Expected<VkBinding> binding = readBinding(line);
  if (!binding)
    return binding.takeError();
  return readWrite(line, VkBufferKind::Ubo, *binding);
}

/// T offset values, or layout L.
Error VkScriptReader::readPush(LineCursor &line) {
  if (line.tryWord("layout"))
    return readLayout(line, m_pushLayout);
  return readWrite(line, VkBufferKind::Push, {0, 0});
}

/// x y z, or entrypoint NAME. The numbers are those of workgroups.
Error VkScriptReader::readCompute(LineCursor &line) {
  if (line.peek() == "entrypoint")
    return readEntryPoint(line, ShaderStage::Compute);
  VkDispatch dispatch;
  dispatch.line = line.line();
  for (uint64_t &groups : dispatch.groups) {
    Expected<uint64_t> number = line.number("a number of workgroups", ~0u);
    if (!number)
      return number.takeError();
    groups = *number;
  }
  m_commands.push_back(dispatch);
  return Error::success();
}

/// ssbo ..., or the forms of a probe of pixels.
Error VkScriptReader::readProbe(LineCursor &line) {
  if (line.tryWord("ssbo"))
    return readProbeSsbo(line);
  static constexpr StringRef pixels[] = {"rect", "rgb", "rgba", "all"};
  if (is_contained(pixels, line.peek()))
    return readPixels(line, false);
  return line.error("expected ssbo, rect, rgb, rgba or all after probe");
}

namespace {
/// A comparison of "probe ssbo".
struct OperatorRow {
  StringRef name;
  Comparator comparator;
  bool fuzzy; ///< Compares with the tolerances in force.
};
} // namespace

/// Only "~=" uses the tolerances in force; "==" is exact except for doubles, see
/// impliedTolerances().
static constexpr OperatorRow operators[] = {
    {"==", Comparator::Eq, false}, {"!=", Comparator::Ne, false}, {"<", Comparator::Lt, false},
    {"<=", Comparator::Le, false}, {">", Comparator::Gt, false},  {">=", Comparator::Ge, false},
    {"~=", Comparator::Eq, true}};

/// The tolerance of a fuzzy comparison before any tolerance command.
static constexpr double defaultTolerance = 0.01;

/// T S:B offset op values.
/// The type is laid out like those of writes; values must fill whole elements or columns.
Error VkScriptReader::readProbeSsbo(LineCursor &line) {
  Expected<DataFormat> format = readType(line, m_ssboLayout);
  if (!format)
    return format.takeError();
  Expected<VkBinding> binding = readBinding(line);
  if (!binding)
    return binding.takeError();
  Expected<uint64_t> offset = line.number("an offset", maxBufferBytes);
  if (!offset)
    return offset.takeError();
  Expected<StringRef> name = line.word("a comparison");
  if (!name)
    return name.takeError();
  const auto *row = find_if(operators, [&](const OperatorRow &one) { return one.name == *name; });
  if (row == std::end(operators))
    return line.error("unknown comparison '" + name->take_front(40) + "'");
  VkProbe probe;
  probe.key = {VkBufferKind::Ssbo, *binding};
  Expectation &expectation = probe.expectation;
  expectation.byteOffset = *offset;
  expectation.format = *format;
  expectation.comparator = row->comparator;
  expectation.line = line.line();
  expectation.text = line.text();
  if (Error error = readValues(line, format->scalar, expectation.values))
    return error;
  if (Error error = checkWhole(line, *format, expectation.values.size()))
    return error;
  if (row->fuzzy) {
    std::vector<Tolerance> written = m_tolerances;
    if (written.empty())
      written.push_back({defaultTolerance, false});
    expectation.tolerances = spreadTolerances(written, *format);
  } else {
    expectation.tolerances = impliedTolerances(*format, row->comparator);
  }
  m_commands.push_back(std::move(probe));
  return Error::success();
}

/// One or four tolerances, for the probes that follow. Four are those of the components of a column
/// or of a colour.
Error VkScriptReader::readTolerance(LineCursor &line) {
  std::vector<Tolerance> tolerances;
  // Commas may separate the values, with or without blanks; a percent sign may be its own word.
  std::string text;
  for (char c : line.rest())
    text += c == ',' ? ' ' : c;
  for (StringRef word : splitWords(text)) {
    if (word == "%" && !tolerances.empty()) {
      tolerances.back().percent = true;
      continue;
    }
    Expected<Tolerance> tolerance = parseTolerance(word);
    if (!tolerance)
      return atLine(line.line(), tolerance.takeError());
    tolerances.push_back(*tolerance);
  }
  if (tolerances.size() != 1 && tolerances.size() != 4)
    return line.error("expected one or four tolerances");
  m_tolerances = std::move(tolerances);
  return Error::success();
}
