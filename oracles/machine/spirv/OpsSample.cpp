// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions with a sampler: explicit levels of detail, gathers, comparisons.
#include "oracles/machine/spirv/OpsImage.h"
#include "oracles/machine/spirv/Sampling.h"
#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
/// The operand behind the coordinate.
enum class Third : uint8_t { None, Reference, Component };
} // namespace

/// Operands: sampled image, coordinate, perhaps a third, then image operands.
template <Third Kind, bool IsProjective>
static Error prepareSample(Decoder &decoder, Operands operands, Inst &inst) {
  ImageOp op;
  op.isProjective = IsProjective;
  if (Error error = startImageOp(decoder, operands.take_front(2), inst, op))
    return error;
  operands = operands.drop_front(2);
  if (Kind != Third::None) {
    Expected<uint32_t> third = decoder.ref(operands[0]);
    if (!third)
      return third.takeError();
    (Kind == Third::Reference ? op.reference : op.component) = *third;
    operands = operands.drop_front();
  }
  if (Error error = readImageOperands(decoder, operands, op))
    return error;
  if (op.lod != NoOperand && op.lodIsInteger)
    return invalidInput("an integer level of detail");
  return finishImageOp(decoder, inst, op);
}

/// The poison of all values that a sampling operation looks at.
static Scalar operandPoison(Invocation &invocation, const ImageOp &op) {
  Scalar poison = poisonOf(invocation.at(op.coordinate), op.coordinates);
  unsigned dimensions = op.dimensions();
  auto add = [&](uint32_t operand, unsigned count) {
    if (operand != NoOperand)
      poison = inheritPoison(poison, poisonOf(invocation.at(operand), count));
  };
  add(op.reference, 1);
  add(op.lod, 1);
  add(op.gradX, dimensions);
  add(op.gradY, dimensions);
  add(op.offset, dimensions);
  add(op.offsets, 8);
  return poison;
}

static void readOffset(Invocation &invocation, const ImageOp &op, SampleRequest &request) {
  if (op.offset != NoOperand)
    for (unsigned i = 0; i < request.dimensions; ++i)
      request.offset[i] = signExtend(invocation.at(op.offset)[i].bits, 32);
}

/// Coordinates, layer, level and reference, all of which are no poison. \p isNominal: their bits
/// alone count.
static SampleRequest makeRequest(Invocation &invocation, const Inst &inst, const ImageOp &op,
                                 bool isNominal) {
  SampleRequest request;
  request.isNominal = isNominal;
  request.dimensions = op.dimensions();
  request.isArrayed = op.type.arrayed;
  auto valueOf = [&](const Scalar &value) {
    Interval interval = intervalOf(value, inst.rules);
    bool isPlain = isNominal && !interval.isEmpty();
    return isPlain ? Interval::point(fromFloat(value.bits)) : interval;
  };
  const Scalar *coordinate = invocation.at(op.coordinate);
  for (unsigned i = 0; i < request.dimensions; ++i)
    request.coordinates[i] = valueOf(coordinate[i]);
  if (op.reference != NoOperand)
    request.reference = valueOf(*invocation.at(op.reference));
  if (op.isProjective) {
    Interval q = valueOf(coordinate[request.dimensions]);
    for (unsigned i = 0; i < request.dimensions; ++i)
      request.coordinates[i] = divide(request.coordinates[i], q);
    if (request.reference)
      request.reference = divide(*request.reference, q);
  } else if (request.isArrayed) {
    request.layer = valueOf(coordinate[request.dimensions]);
  }
  if (op.lod != NoOperand)
    request.lod = valueOf(*invocation.at(op.lod));
  if (op.gradX != NoOperand)
    for (unsigned i = 0; i < request.dimensions; ++i) {
      request.gradients[0][i] = valueOf(invocation.at(op.gradX)[i]);
      request.gradients[1][i] = valueOf(invocation.at(op.gradY)[i]);
    }
  readOffset(invocation, op, request);
  return request;
}

static double middleOf(const Interval &interval) {
  return interval.lo * 0.5 + interval.hi * 0.5;
}

/// A channel of a colour as a scalar of the result, with bits of \p nominal.
static Scalar scalarOfChannel(const Color &color, const Color &nominal, unsigned channel,
                              bool isInteger, const FloatRules &rules) {
  Scalar result = Scalar::exact(0);
  result.flags = color.flags & Poison;
  result.cause = color.cause;
  const Interval &value = color.channel[channel];
  if (result.isPoison())
    return result;
  if (!isInteger)
    return nominal.isPoison() ? scalarOf(value, rules)
                              : scalarOf(value, rules, middleOf(nominal.channel[channel]));
  return value.isPoint() ? Scalar::exact(static_cast<uint64_t>(value.lo)) : Scalar::ambiguous();
}

/// Checks the pair of image and sampler. Null: stopped.
static const ImageView *startSampling(Invocation &invocation, const Inst &inst, const ImageOp &op,
                                      const Sampler *&sampler) {
  const Scalar *value = invocation.at(inst.op[0]);
  const ImageView *view = viewOf(invocation, inst, value[0], op);
  if (!view)
    return nullptr;
  const ImageBinding *binding = descriptorOf(invocation, inst, value[1]);
  if (!binding)
    return nullptr;
  sampler = binding->sampler;
  if (view->format->components[0].bits == 64) {
    invocation.execution->stopUnsupported("sampling " + view->format->name.str());
    return nullptr;
  }
  return view;
}

/// Runs \p operation on a sampler for the instruction's operands; the result goes into dst.
template <typename Operation>
static Status runSampler(Invocation &invocation, const Inst &inst, Operation operation) {
  const ImageOp &op = invocation.program().imageOps[inst.extra];
  const Sampler *sampler = nullptr;
  const ImageView *view = startSampling(invocation, inst, op, sampler);
  if (!view)
    return Status::Stop;
  Scalar *dst = invocation.at(inst.dst);
  if (Scalar poison = operandPoison(invocation, op); poison.isPoison()) {
    std::fill_n(dst, inst.n, poison);
    return Status::Next;
  }
  SampleRequest request = makeRequest(invocation, inst, op, false);
  SampleRequest plain = makeRequest(invocation, inst, op, true);
  request.view = plain.view = view;
  request.sampler = plain.sampler = sampler;
  bool isRacing = false;
  auto source = [&](const TexelPlace &place) {
    TexelValue value;
    value.fill(Scalar::exact(0));
    isRacing |= !isRacing && !loadTexel(invocation, inst, *view, place, value);
    return value;
  };
  TexelSampler texels(request, source);
  Execution &execution = *invocation.execution;
  if (std::string reason = texels.whyNot(); !reason.empty())
    return execution.undefinedBehavior("UB-DESCRIPTOR", invocation, inst, reason);
  Color color = operation(texels, op);
  if (isRacing)
    return Status::Stop;
  if (texels.usedWrongBorder())
    return execution.undefinedBehavior("UB-DESCRIPTOR", invocation, inst,
                                       "the border's colour is of another kind than the format");
  bool isOpen = any_of(color.channel, [](const Interval &value) { return !value.isPoint(); });
  TexelSampler plainTexels(plain, source);
  Color nominal = isOpen ? operation(plainTexels, op) : color;
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = scalarOfChannel(color, nominal, i, view->format->isInteger(), inst.rules);
  return Status::Next;
}

static Status sampleImage(Invocation &invocation, const Inst &inst) {
  return runSampler(invocation, inst,
                    [](TexelSampler &texels, const ImageOp &) { return texels.sample(); });
}

static Status gatherImage(Invocation &invocation, const Inst &inst) {
  return runSampler(invocation, inst, [&](TexelSampler &texels, const ImageOp &op) {
    unsigned component = 0;
    if (op.component != NoOperand)
      component = static_cast<unsigned>(invocation.at(op.component)->bits) & 3;
    if (op.offsets == NoOperand)
      return texels.gather(component);
    int64_t offsets[4][2];
    for (unsigned i = 0; i < 8; ++i)
      offsets[i / 2][i % 2] = signExtend(invocation.at(op.offsets)[i].bits, 32);
    return texels.gather(component, offsets);
  });
}

ArrayRef<OpRow> reference::sampleOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpImageSampleExplicitLod), prepareSample<Third::None, false>, sampleImage},
      {uint32_t(Op::OpImageSampleDrefExplicitLod), prepareSample<Third::Reference, false>,
       sampleImage},
      {uint32_t(Op::OpImageSampleProjExplicitLod), prepareSample<Third::None, true>, sampleImage},
      {uint32_t(Op::OpImageSampleProjDrefExplicitLod), prepareSample<Third::Reference, true>,
       sampleImage},
      {uint32_t(Op::OpImageGather), prepareSample<Third::Component, false>, gatherImage},
      {uint32_t(Op::OpImageDrefGather), prepareSample<Third::Reference, false>, gatherImage},
  };
  return rows;
}
