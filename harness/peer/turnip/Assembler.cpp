// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's assembler: text in place of what it compiled of a shader of ours. Equal shaders
// share their code, whatever the text, so each text gets a shader with a constant of its own.
#include "harness/peer/turnip/DescribeCase.h"
#include "harness/peer/turnip/Guest.h"
#include "harness/peer/turnip/TurnipPeer.h"
#include "oracles/input/Glsl.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

/// A shader for the driver to compile; the assembly replaces its code.
static constexpr StringLiteral carrierSource = R"(#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint number = 0;
layout(set = 0, binding = 0) buffer B { uint data; } b;
void main() { b.data = number; }
)";
static constexpr uint32_t StorageBufferType = 7; ///< VK_DESCRIPTOR_TYPE_STORAGE_BUFFER.

/// Returns a request with a pipeline for each text. Each pipeline has another value of the
/// constant, so that the driver compiles all of them.
static Expected<Request> describeTexts(ArrayRef<std::string> texts, uint64_t chip) {
  auto spirv = input::compileGlsl(carrierSource, 1, input::ScriptFiles(""));
  if (!spirv)
    return spirv.takeError();
  Request request;
  request.chip = chip;
  request.resources.emplace_back();
  for (auto [i, text] : enumerate(texts)) {
    PipelineRequest &pipeline = request.pipelines.emplace_back();
    pipeline.spirv = *spirv;
    pipeline.specialization.push_back({0, 4, i});
    pipeline.bindings.push_back({0, 0, StorageBufferType, 1});
    DescriptorRequest &descriptor = pipeline.descriptors.emplace_back();
    descriptor.type = StorageBufferType;
    descriptor.resource = 0;
    pipeline.assembly = text;
  }
  return request;
}

/// The lines of instructions of the driver's disassembly: without comments, headers and labels.
static std::string instructionLines(StringRef assembly) {
  std::string text;
  for (StringRef line : split(assembly, '\n')) {
    line = line.trim();
    if (line.empty() || line.starts_with(";") || line.starts_with("@") ||
        line.starts_with("Native code") || line.ends_with(":"))
      continue;
    text += line.str() + "\n";
  }
  return text;
}

/// A text that the assembler rejects is a failure in the result. Environment if the driver used its
/// compiled code instead of the text.
static Expected<Assembled> readAssembled(const PipelineAnswer &answer, const Chip &chip,
                                         const PipelineRequest &request) {
  if (!answer.failure.empty())
    return Assembled{{}, "", answer.failure};
  Expected<TurnipShader> shader =
      readSubmissions(answer.submissions, chip.generation, descriptorRoom(request));
  if (!shader)
    return shader.takeError();
  if (!StringRef(answer.assembly).contains("(overridden)"))
    return environmentError("turnip did not take the text instead of its own code");
  return Assembled{std::move(shader->code), instructionLines(answer.assembly), ""};
}

/// Returns one result for each text. Texts follow each other in one process; if a text kills it,
/// that text fails with the cause of death, and the next ones run in a new process. An empty text
/// fails without a run.
Expected<std::vector<Assembled>> TurnipPeer::assemble(ArrayRef<std::string> texts) const {
  std::vector<Assembled> results;
  while (results.size() < texts.size()) {
    ArrayRef<std::string> rest = texts.drop_front(results.size());
    if (rest.front().empty()) {
      results.push_back({{}, "", "an empty text"});
      continue;
    }
    rest = rest.take_until([](const std::string &text) { return text.empty(); });
    Expected<Request> request = describeTexts(rest, m_chip.number);
    if (!request)
      return request.takeError();
    Expected<GuestAnswer> answer = runGuest(m_installation, *request);
    if (!answer)
      return answer.takeError();
    if (!answer->response.device || !answer->response.failure.empty())
      return environmentError("turnip: " + answer->response.failure + answer->death);
    for (auto [pipeline, each] : zip(request->pipelines, answer->response.pipelines)) {
      Expected<Assembled> assembled = readAssembled(each, m_chip, pipeline);
      if (!assembled)
        return assembled.takeError();
      results.push_back(std::move(*assembled));
    }
    if (!answer->death.empty())
      results.push_back({{}, "", answer->death});
  }
  return results;
}

/// Returns one line for each word. Environment where the driver prints another number of lines or
/// assembles other words.
Expected<std::vector<std::string>> TurnipPeer::disassemble(ArrayRef<uint64_t> words) const {
  std::string text;
  for (uint64_t word : words)
    text += "raw 0x" + utohexstr(word, /*LowerCase=*/true, /*Width=*/16) + "\n";
  Expected<std::vector<Assembled>> assembled = assemble(text);
  if (!assembled)
    return assembled.takeError();
  const Assembled &result = assembled->front();
  if (!result.failure.empty())
    return environmentError("turnip's disassembler: " + result.failure);
  SmallVector<StringRef> lines;
  StringRef(result.disassembly).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (lines.size() < words.size() || result.code.size() < words.size() ||
      ArrayRef(result.code).take_front(words.size()) != words)
    return environmentError("turnip's disassembler printed " + Twine(lines.size()) + " lines for " +
                            Twine(words.size()) + " words");
  std::vector<std::string> texts;
  for (StringRef line : ArrayRef(lines).take_front(words.size()))
    texts.push_back(line.str());
  return texts;
}
