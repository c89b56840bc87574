// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN of compute pipelines, and COPY, of AmberScript.
#include "oracles/input/amber/AmberReader.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Returns the buffer that \p line names next. In a case that is unsupported already, an image
/// without a size counts as opaque. InvalidInput for an unknown name. The result is a copy.
Expected<AmberBuffer> AmberReader::bufferNamed(LineCursor &line) {
  Expected<StringRef> name = line.word("a buffer name");
  if (!name)
    return name.takeError();
  auto found = m_buffers.find(*name);
  if (found == m_buffers.end())
    return line.error("unknown buffer '" + *name + "'");
  AmberBuffer buffer = found->second;
  // A graphics pipeline would have given it a size.
  if (buffer.unsized && !m_case.get().unsupported.empty())
    buffer.opaque = true;
  return buffer;
}

/// Returns the pipeline that \p line names next; it stays valid while m_pipelines does not change.
Expected<AmberPipeline *> AmberReader::pipelineNamed(LineCursor &line) {
  Expected<StringRef> name = line.word("a pipeline name");
  if (!name)
    return name.takeError();
  auto found = m_pipelines.find(*name);
  if (found == m_pipelines.end())
    return line.error("unknown pipeline '" + *name + "'");
  return &found->second;
}

/// Reads pipeline x y z (numbers of workgroups) for compute, or pipeline DRAW_... for graphics, and
/// adds the command. TIMED_EXECUTION is ignored. Limit for too many workgroups. Nothing is added
/// for an opaque pipeline.
Error AmberReader::readRun(LineCursor &line) {
  // How long a run takes is not measured on a model.
  line.tryWord("TIMED_EXECUTION");
  Expected<AmberPipeline *> pipeline = pipelineNamed(line);
  if (!pipeline)
    return pipeline.takeError();
  if ((*pipeline)->isGraphics)
    return readDraw(line, **pipeline);
  if ((*pipeline)->opaque) {
    // The case is unsupported already, for the pipeline.
    if (line.atEnd())
      return line.error("expected what to run at the end of the line");
    line.skipRest();
    return Error::success();
  }
  uint64_t groups[3];
  for (uint64_t &count : groups) {
    Expected<uint64_t> number = line.number("a number of workgroups", ~0u);
    if (!number)
      return number.takeError();
    count = *number;
  }
  return m_case.addDispatch((*pipeline)->index, groups, line.line());
}

/// Reads source TO destination and adds the copy. An image without a size gets that of the source.
/// A destination that is smaller grows to the size of the source; a larger one makes the case
/// unsupported. InvalidInput for a copy to itself and to a smaller image.
Error AmberReader::readCopy(LineCursor &line) {
  Expected<AmberBuffer> source = bufferNamed(line);
  if (!source)
    return source.takeError();
  if (Error error = line.expect("TO"))
    return error;
  Expected<AmberBuffer> destination = bufferNamed(line);
  if (!destination)
    return destination.takeError();
  if (source->opaque || destination->opaque)
    return Error::success();
  if (source->index == destination->index)
    return line.error("a buffer can't be copied to itself");
  const std::vector<Buffer> &buffers = m_case.get().buffers;
  if (source->unsized)
    return line.error("image '" + buffers[source->index].name + "' has no size yet");
  if (destination->unsized) {
    if (!buffers[source->index].image)
      return line.error("an image without a size takes the one of an image");
    AmberBuffer &declared = m_buffers[buffers[destination->index].name];
    if (Error error = makeImage(line, declared, *buffers[source->index].image))
      return error;
  }
  uint64_t bytes = buffers[source->index].bytes.size();
  if (bytes < buffers[destination->index].bytes.size()) {
    m_case.addUnsupported("COPY to a larger buffer", line.line());
    return Error::success();
  }
  // As in Amber, the destination is as large as the source in the whole script.
  if (bytes > buffers[destination->index].bytes.size()) {
    if (buffers[destination->index].image)
      return line.error("COPY to an image of another size");
    if (Error error = m_case.resizeBuffer(destination->index, bytes))
      return atLine(line.line(), std::move(error));
  }
  return m_case.addCommand(BufferCopy{source->index, destination->index, line.line()});
}
