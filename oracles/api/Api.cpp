// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/Case.h"
#include "oracles/api/Machine.h"
#include "oracles/api/Verdict.h"
#include "support/Overloaded.h"

using namespace llvm;
using namespace assay;

Machine::~Machine() = default;

namespace {
struct ScalarRow {
  const char *name;
  unsigned bytes;
};
} // namespace

/// In the order of ScalarKind.
static constexpr ScalarRow scalars[] = {
    {"int8", 1},   {"int16", 2},  {"int32", 4},   {"int64", 8},   {"uint8", 1},  {"uint16", 2},
    {"uint32", 4}, {"uint64", 8}, {"float16", 2}, {"float32", 4}, {"float64", 8}};

unsigned assay::scalarBytes(ScalarKind kind) {
  return scalars[static_cast<size_t>(kind)].bytes;
}
const char *assay::scalarName(ScalarKind kind) {
  return scalars[static_cast<size_t>(kind)].name;
}

DataFormat assay::makeDataFormat(ScalarKind scalar, unsigned rows, unsigned columns,
                                 BlockLayout layout) {
  unsigned bytes = scalarBytes(scalar);
  // A vector of three is aligned like one of four; std140 rounds arrays and columns up to 16.
  unsigned align = bytes * (rows == 3 ? 4 : rows);
  if (layout == BlockLayout::Std140)
    align = (align + 15) / 16 * 16;
  DataFormat format{scalar, rows, columns, align, align};
  if (columns > 1)
    format.stride = columns * align;
  return format;
}

uint64_t assay::getLevelBytes(const ImageShape &shape, TexelFormat format, uint32_t level) {
  auto size = [level](uint32_t extent) { return uint64_t(std::max(1u, extent >> level)); };
  return size(shape.width) * size(shape.height) * size(shape.depth) * shape.layers * shape.samples *
         getTexelFormatInfo(format).bytes;
}

uint64_t assay::getImageBytes(const ImageShape &shape, TexelFormat format) {
  uint64_t bytes = 0;
  for (uint32_t level = 0; level < shape.mipLevels; ++level)
    bytes += getLevelBytes(shape, format, level);
  return bytes;
}

std::optional<unsigned> assay::getPipeline(const Command &command) {
  using Result = std::optional<unsigned>;
  return std::visit(Overloaded{[](const Dispatch &dispatch) -> Result { return dispatch.pipeline; },
                               [](const Draw &draw) -> Result { return draw.pipeline; },
                               [](const Clear &clear) -> Result { return clear.pipeline; },
                               [](const BufferCopy &) -> Result { return std::nullopt; },
                               [](const Expectation &) -> Result { return std::nullopt; }},
                    command);
}

/// Of one pipeline or of a part of it: \p isUsed tells which numbers of buffers mean something.
template <typename AttachmentT, typename VisitT>
static void visitAttachment(AttachmentT &attachment, VisitT visit) {
  if (!attachment)
    return;
  visit(attachment->buffer, true);
  if (attachment->resolve)
    visit(*attachment->resolve, true);
}

template <typename PipelineT, typename VisitT>
static void visitPipeline(PipelineT &pipeline, VisitT visit) {
  for (auto &binding : pipeline.bindings)
    visit(binding.buffer, binding.kind != BindingKind::Sampler);
  for (auto &attachment : pipeline.draw.color)
    visitAttachment(attachment, visit);
  visitAttachment(pipeline.draw.depthStencil, visit);
  for (auto &vertices : pipeline.draw.vertexBuffers)
    visit(vertices.buffer, true);
  if (pipeline.draw.indexBuffer)
    visit(pipeline.draw.indexBuffer->buffer, true);
}

template <typename CaseT, typename VisitT> static void visitBuffers(CaseT &input, VisitT visit) {
  for (auto &pipeline : input.pipelines)
    visitPipeline(pipeline, visit);
  for (auto &patch : input.addresses)
    visit(patch.target, true), visit(patch.buffer, true);
  for (auto &command : input.commands)
    if (auto *copy = std::get_if<BufferCopy>(&command)) {
      visit(copy->source, true), visit(copy->destination, true);
    } else if (auto *expectation = std::get_if<Expectation>(&command)) {
      visit(expectation->buffer, true);
      visit(expectation->otherBuffer, expectation->kind != ExpectationKind::Values);
    }
}

void assay::forEachBufferNumber(Case &input, function_ref<void(unsigned &)> visit) {
  visitBuffers(input, [&](unsigned &number, bool) { visit(number); });
}

void assay::forEachBufferUse(const Case &input, function_ref<void(unsigned)> visit) {
  visitBuffers(input, [&](unsigned number, bool isUsed) {
    if (isUsed)
      visit(number);
  });
}

const std::pair<const uint64_t, std::vector<BufferState>> *
assay::findAlternatives(const BufferState &state, uint64_t offset) {
  auto next = state.alternatives.upper_bound(offset);
  if (next == state.alternatives.begin())
    return nullptr;
  --next;
  return offset - next->first < next->second.front().bytes.size() ? &*next : nullptr;
}

unsigned assay::countCheckpoints(const Case &input) {
  unsigned count = 1;
  bool inside = false;
  for (const Command &command : input.commands) {
    bool isExpectation = std::holds_alternative<Expectation>(command);
    count += isExpectation && !inside;
    inside = isExpectation;
  }
  return count;
}
