// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/Directives.h"

#include "oracles/input/GraphicsState.h"
#include "oracles/input/Limits.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// SUBGROUP_SIZES n [n...]: powers of two up to 128, each once, and one directive a script.
static Error readSubgroupSizes(LineCursor &line, Case &target) {
  if (!target.subgroupSizes.empty())
    return line.error("SUBGROUP_SIZES is given twice");
  do {
    Expected<uint64_t> size = line.number("a subgroup size", 128);
    if (!size)
      return size.takeError();
    if (!isPowerOf2_64(*size))
      return line.error("subgroup size " + Twine(*size) + " is no power of two");
    if (is_contained(target.subgroupSizes, *size))
      return line.error("subgroup size " + Twine(*size) + " is named twice");
    target.subgroupSizes.push_back(static_cast<uint32_t>(*size));
  } while (!line.atEnd());
  return Error::success();
}

static constexpr uint64_t addressBytes = 8; ///< Of a buffer device address.

/// ADDRESS_OF target IN buffer OFFSET n [PLUS m]: the 8 bytes at n get the address of byte m of
/// target. n must be a multiple of 8, and images have no address.
static Error readAddress(LineCursor &line, Case &target, BufferFinder findBuffer) {
  AddressPatch patch;
  Expected<unsigned> pointee = findBuffer(line);
  if (!pointee)
    return pointee.takeError();
  if (Error error = line.expect("IN"))
    return error;
  Expected<unsigned> buffer = findBuffer(line);
  if (!buffer)
    return buffer.takeError();
  if (Error error = line.expect("OFFSET"))
    return error;
  Expected<uint64_t> offset = line.number("an offset in bytes", maxBufferBytes);
  if (!offset)
    return offset.takeError();
  if (line.tryWord("PLUS")) {
    Expected<uint64_t> more = line.number("bytes", maxBufferBytes);
    if (!more)
      return more.takeError();
    patch.targetOffset = *more;
  }
  uint64_t size = target.buffers[*buffer].bytes.size();
  if (size < addressBytes || *offset > size - addressBytes)
    return line.error("an address at byte " + Twine(*offset) + " of buffer " +
                      target.buffers[*buffer].name + ", which has " + Twine(size));
  if (*offset % addressBytes != 0)
    return line.error("the offset of an address must be a multiple of 8");
  if (target.buffers[*pointee].image || target.buffers[*buffer].image)
    return line.error("images have no address");
  patch.target = *pointee;
  patch.buffer = *buffer;
  patch.offset = *offset;
  for (const AddressPatch &other : target.addresses)
    if (other.buffer == patch.buffer && other.offset == patch.offset)
      return line.error("two addresses in one place");
  target.addresses.push_back(patch);
  return Error::success();
}

/// The pipelines that the graphics pipeline \p name of a script has become.
static std::vector<CasePipeline *> findPipelines(Case &target, StringRef name) {
  std::vector<CasePipeline *> found;
  for (CasePipeline &pipeline : target.pipelines) {
    StringRef rest = pipeline.name;
    if (rest.consume_front(name) && (rest.empty() || rest.starts_with("#")) &&
        pipeline.description.isGraphics())
      found.push_back(&pipeline);
  }
  return found;
}

/// STATE pipeline key value...: applies one value to all cases' pipelines that the script's
/// pipeline has become. InvalidInput where it does not draw at all.
static Error readState(LineCursor &line, Case &target) {
  Expected<StringRef> name = line.word("a graphics pipeline");
  if (!name)
    return name.takeError();
  std::vector<CasePipeline *> pipelines = findPipelines(target, *name);
  if (pipelines.empty())
    return line.error("no graphics pipeline '" + name->take_front(40) + "' draws");
  Expected<StringRef> key = line.word("a member of Vulkan's state");
  if (!key)
    return key.takeError();
  if (!isGraphicsStateKey(*key))
    return line.error("unknown state '" + key->take_front(40) + "'");
  LineCursor start = line;
  for (CasePipeline *pipeline : pipelines) {
    line = start;
    if (Error error = readGraphicsState(line, *key, pipeline->description.graphics))
      return error;
  }
  return Error::success();
}

/// Reads one directive; the caller checks that the line ends after it.
static Error applyOne(LineCursor &line, Case &target, BufferFinder findBuffer) {
  Expected<StringRef> name = line.word("a directive");
  if (!name)
    return name.takeError();
  if (*name == "SUBGROUP_SIZES")
    return readSubgroupSizes(line, target);
  if (*name == "ADDRESS_OF")
    return readAddress(line, target, findBuffer);
  if (*name == "STATE")
    return readState(line, target);
  return line.error("unknown directive '" + name->take_front(40) +
                    "' (SUBGROUP_SIZES, ADDRESS_OF, STATE)");
}

/// Applies them in order and stops at the first bad one. \p findBuffer maps names to the buffers of
/// the case.
Error input::applyDirectives(MutableArrayRef<LineCursor> directives, Case &target,
                             BufferFinder findBuffer) {
  for (LineCursor &line : directives) {
    if (Error error = applyOne(line, target, findBuffer))
      return error;
    if (Error error = line.expectEnd())
      return error;
  }
  return Error::success();
}
