// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/script/CheckScript.h"

#include "oracles/input/CaseDifference.h"
#include "oracles/input/CaseReader.h"
#include "oracles/input/amber/AmberWriter.h"
#include "support/Error.h"
#include "support/Overloaded.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Files that a script names are looked for in its folder: there is none.
static constexpr StringLiteral ScriptPath = "no-such-folder/input.amber";
/// A larger case is read, but not written: it would take too long.
static constexpr uint64_t MostWrittenBytes = 1 << 16;

bool fuzz::mayHaveGlsl(StringRef text) {
  for (StringRef line : split(text, '\n'))
    if (line.contains("SHADER") && line.contains("GLSL"))
      return true;
  for (size_t at = 0; (at = text.find(" shader", at)) != StringRef::npos; ++at) {
    StringRef line = text.take_front(at).rsplit('\n').second;
    StringRef language = text.substr(at + StringRef(" shader").size());
    bool isSection = (line.empty() ? text : line).starts_with("[");
    if (isSection && !language.starts_with(" spirv") && !language.starts_with(" passthrough"))
      return true;
  }
  return false;
}

/// Reads a script from memory. Files that it names do not exist.
static Expected<Case> read(StringRef text) {
  return readCaseFromText(text, ScriptPath, "input");
}

/// Returns what is wrong with a refusal: it blames the environment, or does not begin with the
/// path.
static std::string checkRefusal(const ErrorParts &parts) {
  if (parts.kind == ErrorKind::Environment)
    return "SCRIPT-ENVIRONMENT: " + parts.message;
  if (!StringRef(parts.message).starts_with((ScriptPath + ": ").str()))
    return "SCRIPT-REFUSAL: without the name of the file: " + parts.message;
  return "";
}

/// Each binding refers to a buffer and, where its kind has one, to a sampler of the case.
static std::string checkBinding(const BufferBinding &binding, const Case &input) {
  bool hasBuffer = binding.kind != BindingKind::Sampler;
  bool hasSampler = !hasBuffer || binding.kind == BindingKind::CombinedImageSampler;
  if (hasBuffer && binding.buffer >= input.buffers.size())
    return "SCRIPT-INDEX: a binding of no buffer";
  if (hasSampler && binding.sampler >= input.samplers.size())
    return "SCRIPT-INDEX: a binding of no sampler";
  return "";
}

/// Returns what is wrong with the buffers of an expectation. Formats without components are wrong
/// for comparisons with values only.
static std::string checkExpectation(const Expectation &expectation, const Case &input) {
  bool isPair = expectation.kind != ExpectationKind::Values;
  if (expectation.buffer >= input.buffers.size() ||
      (isPair && expectation.otherBuffer >= input.buffers.size()))
    return "SCRIPT-INDEX: an expectation of no buffer";
  size_t perElement = size_t(expectation.format.rows) * expectation.format.columns;
  if (!isPair && perElement == 0)
    return "SCRIPT-INDEX: an expectation of elements without components";
  return "";
}

/// Returns what is wrong: no pipeline, no graphics pipeline, or no index buffer for an indexed
/// draw.
static std::string checkDraw(const Draw &draw, const Case &input) {
  if (draw.pipeline >= input.pipelines.size())
    return "SCRIPT-INDEX: a draw of no pipeline";
  const CasePipeline &pipeline = input.pipelines[draw.pipeline];
  if (!pipeline.description.isGraphics())
    return "SCRIPT-INDEX: a draw of a pipeline that is not for graphics";
  return draw.indexed && !pipeline.draw.indexBuffer ? "SCRIPT-INDEX: a draw of no indices" : "";
}

/// Returns what is wrong with the buffers and byte ranges of a copy.
static std::string checkCopy(const BufferCopy &copy, const Case &input) {
  if (copy.source >= input.buffers.size() || copy.destination >= input.buffers.size())
    return "SCRIPT-INDEX: a copy of no buffer";
  auto fits = [&](uint64_t offset, unsigned buffer) {
    uint64_t size = input.buffers[buffer].bytes.size();
    return offset <= size && copy.range->bytes <= size - offset;
  };
  bool isGood = !copy.range || (fits(copy.range->sourceOffset, copy.source) &&
                                fits(copy.range->destinationOffset, copy.destination));
  return isGood ? "" : "SCRIPT-INDEX: a copy of bytes beyond the end of a buffer";
}

static std::string checkCommand(const Command &command, const Case &input) {
  auto check = [](bool isGood, const char *wrong) { return std::string(isGood ? "" : wrong); };
  return std::visit(
      Overloaded{[&](const Dispatch &dispatch) {
                   return check(dispatch.pipeline < input.pipelines.size(),
                                "SCRIPT-INDEX: a run of no pipeline");
                 },
                 [&](const Draw &draw) { return checkDraw(draw, input); },
                 [&](const Clear &clear) {
                   return check(clear.pipeline < input.pipelines.size(),
                                "SCRIPT-INDEX: a clear of no pipeline");
                 },
                 [&](const BufferCopy &copy) { return checkCopy(copy, input); },
                 [&](const Expectation &each) { return checkExpectation(each, input); }},
      command);
}

/// Every buffer that \p input names exists.
static std::string checkBufferNumbers(const Case &input) {
  std::string wrong;
  forEachBufferUse(input, [&](unsigned number) {
    if (number >= input.buffers.size())
      wrong = "SCRIPT-INDEX: buffer " + std::to_string(number) + " does not exist";
  });
  return wrong;
}

/// Returns the first index of the case that refers to nothing. Machines rely on valid indices.
static std::string checkIndices(const Case &input) {
  for (const CasePipeline &pipeline : input.pipelines)
    for (const BufferBinding &binding : pipeline.bindings)
      if (std::string wrong = checkBinding(binding, input); !wrong.empty())
        return wrong;
  for (const AddressPatch &patch : input.addresses)
    if (patch.target >= input.buffers.size() || patch.buffer >= input.buffers.size())
      return "SCRIPT-INDEX: an address of no buffer";
  for (const Command &command : input.commands)
    if (std::string wrong = checkCommand(command, input); !wrong.empty())
      return wrong;
  return checkBufferNumbers(input);
}

/// Whatever the writer takes reads again as the same.
static std::string checkWriting(const Case &input) {
  Expected<std::string> text = writeAmber(input);
  if (!text) {
    ErrorParts parts = takeError(text.takeError());
    return parts.kind == ErrorKind::Unsupported ? "" : "SCRIPT-WRITE: " + parts.message;
  }
  Expected<Case> again = read(*text);
  if (!again)
    return "SCRIPT-WRITE: what was written does not read: " + takeError(again.takeError()).message +
           "\n" + *text;
  if (std::string difference = describeDifference(input, *again); !difference.empty())
    return "SCRIPT-WRITE: what was written reads as another case: " + difference + "\n" + *text;
  // The assembler numbers ids as it first sees them, so from the second text on nothing changes.
  Expected<std::string> second = writeAmber(*again);
  if (!second)
    return "SCRIPT-WRITE: not a second time: " + takeError(second.takeError()).message;
  Expected<Case> last = read(*second);
  Expected<std::string> third = last ? writeAmber(*last) : last.takeError();
  if (!third)
    return "SCRIPT-WRITE: not a third time: " + takeError(third.takeError()).message;
  return *second == *third ? "" : "SCRIPT-WRITE: the script never settles\n" + *second;
}

/// Cases of more than 64 KiB or 1000 commands are not written.
std::string fuzz::checkScript(StringRef text) {
  Expected<Case> input = read(text);
  if (!input)
    return checkRefusal(takeError(input.takeError()));
  if (std::string wrong = checkIndices(*input); !wrong.empty())
    return wrong;
  uint64_t bytes = 0;
  for (const Buffer &buffer : input->buffers)
    bytes += buffer.bytes.size();
  return bytes <= MostWrittenBytes && input->commands.size() <= 1000 ? checkWriting(*input) : "";
}
