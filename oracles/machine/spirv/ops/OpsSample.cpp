// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions with a sampler: explicit levels of detail, gathers, comparisons.
#include "oracles/machine/spirv/image/Sampling.h"
#include "oracles/machine/spirv/ops/OpsImage.h"
#include "oracles/machine/spirv/ops/OpsSubgroup.h"
#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
/// The operand after the coordinate.
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
  add(op.bias, 1);
  add(op.minLod, 1);
  add(op.gradX, dimensions);
  add(op.gradY, dimensions);
  add(op.offset, dimensions);
  add(op.offsets, 8);
  return poison;
}

/// Sets the constant or dynamic offset, in texels.
static void readOffset(Invocation &invocation, const ImageOp &op, SampleRequest &request) {
  if (op.offset != NoOperand)
    for (unsigned i = 0; i < request.dimensions; ++i)
      request.offset[i] = signExtend(invocation.at(op.offset)[i].bits, 32);
}

/// How operands are taken. RelaxedPrecision says that the instruction may operate at less
/// precision; that operands may be truncated is said of other instructions alone (SPIR-V, "Relaxed
/// Precision").
static FloatRules operandRules(const Inst &inst) {
  FloatRules rules = inst.rules;
  rules.relaxed = false;
  return rules;
}

/// Coordinates, layer, level and reference, all of which are no poison. \p isNominal: their bits
/// alone count.
static SampleRequest makeRequest(Invocation &invocation, const Inst &inst, const ImageOp &op,
                                 bool isNominal) {
  SampleRequest request;
  request.isNominal = isNominal;
  request.subTexels = inst.rules.isPractical ? PracticalSubTexels : MinSubTexels;
  request.dimensions = op.dimensions();
  request.isArrayed = op.type.arrayed;
  auto valueOf = [&](const Scalar &value) {
    Interval interval = intervalOf(value, operandRules(inst));
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
  if (op.bias != NoOperand)
    request.bias = valueOf(*invocation.at(op.bias));
  if (op.minLod != NoOperand)
    request.minLod = valueOf(*invocation.at(op.minLod)).lo;
  readOffset(invocation, op, request);
  return request;
}

/// The middle without overflow: each bound is halved first.
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

/// One of the texels that a nearest filter may take. Null: there are none or too many of them, or
/// nobody tries them one by one.
static const Color *chooseTexel(Invocation &invocation, ArrayRef<Color> candidates) {
  if (candidates.size() < 2 || candidates.size() > Execution::MostValues ||
      any_of(candidates, [](const Color &color) { return color.isPoison(); }))
    return nullptr;
  std::optional<uint32_t> chosen = invocation.execution->chooseValue(
      ValueChoice::Texel, invocation, static_cast<uint32_t>(candidates.size()));
  return chosen ? &candidates[*chosen] : nullptr;
}

/// Runs \p operation on a sampler for the instruction's operands, as \p adjust changes the request;
/// the result goes into dst.
template <typename Operation>
static Status runSampler(Invocation &invocation, const Inst &inst, Operation operation,
                         function_ref<void(SampleRequest &)> adjust = nullptr) {
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
  if (adjust) {
    adjust(request);
    adjust(plain);
  }
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
  const Color *chosen = chooseTexel(invocation, texels.candidates());
  if (chosen)
    color = *chosen;
  bool isOpen =
      !chosen && any_of(color.channel, [](const Interval &value) { return !value.isPoint(); });
  TexelSampler plainTexels(plain, source);
  Color nominal = isOpen ? operation(plainTexels, op) : color;
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = scalarOfChannel(color, nominal, i, view->format->isInteger(), inst.rules);
  return Status::Next;
}

/// Sampling with an explicit level or explicit gradients.
static Status sampleImage(Invocation &invocation, const Inst &inst) {
  return runSampler(invocation, inst,
                    [](TexelSampler &texels, const ImageOp &) { return texels.sample(); });
}

/// op.component selects the channel; a comparison has none and takes the first.
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

/// What a coordinate changes by from one pixel to the next, as in OpDPdx and OpDPdy: any of the
/// quad's rows and columns. Nothing where a neighbour is not in the tangle.
static bool findGradients(Tangle &tangle, const Inst &inst, const ImageOp &op, uint32_t lane,
                          Interval (&gradients)[2][3]) {
  std::array<SampleRequest, 4> requests;
  for (uint32_t i = 0; i < 4; ++i) {
    if (!tangle.lanes[i] || operandPoison(*tangle.lanes[i], op).isPoison())
      return false;
    requests[i] = makeRequest(*tangle.lanes[i], inst, op, false);
  }
  for (unsigned axis = 0; axis < 2; ++axis) {
    uint32_t bit = 1u << axis, across = 2u >> axis;
    for (unsigned i = 0; i < op.dimensions(); ++i) {
      auto difference = [&](uint32_t at) {
        return sub(requests[at | bit].coordinates[i], requests[at & ~bit].coordinates[i],
                   operandRules(inst));
      };
      gradients[axis][i] = hull(difference(lane), difference(lane ^ across));
    }
  }
  return true;
}

/// Whether all levels of detail give the same.
static bool ignoresLod(const ImageBinding *image, const ImageBinding *sampler) {
  return image && image->image && image->image->levels() == 1 && sampler && sampler->sampler &&
         sampler->sampler->magFilter == sampler->sampler->minFilter;
}

/// OpImageSampleImplicitLod and its kin, of a whole quad.
static Status sampleImplicitly(Tangle &tangle, const Inst &inst) {
  Inst plain = inst;
  plain.extra = tangle.site(inst).imageOp;
  const ImageOp &op = tangle.execution.program().imageOps[plain.extra];
  // Results must not become operands of neighbours.
  std::array<Interval[2][3], 4> gradients;
  std::array<bool, 4> isKnown = {};
  for (Invocation *member : tangle.members)
    isKnown[member->localIndex] =
        findGradients(tangle, plain, op, member->localIndex, gradients[member->localIndex]);
  for (Invocation *member : tangle.members) {
    const Scalar *value = member->at(inst.op[0]);
    const ImageBinding *image = descriptorOf(*member, plain, value[0]);
    const ImageBinding *sampler = image ? descriptorOf(*member, plain, value[1]) : nullptr;
    if (!image || !sampler)
      return Status::Stop;
    bool needsLod = !ignoresLod(image, sampler);
    if (needsLod && !isKnown[member->localIndex]) {
      std::fill_n(member->at(inst.dst), inst.n, Scalar::undefined(Cause::Inactive));
      continue;
    }
    auto adjust = [&](SampleRequest &request) {
      if (!needsLod)
        request.lod = Interval::point(0);
      else
        std::copy_n(&gradients[member->localIndex][0][0], 6, &request.gradients[0][0]);
    };
    Status status = runSampler(
        *member, plain, [](TexelSampler &texels, const ImageOp &) { return texels.sample(); },
        adjust);
    if (status == Status::Stop)
      return status;
  }
  return Status::Next;
}

/// OpImageQueryLod, of a whole quad.
static Status queryLod(Tangle &tangle, const Inst &inst) {
  Inst plain = inst;
  plain.extra = tangle.site(inst).imageOp;
  const ImageOp &op = tangle.execution.program().imageOps[plain.extra];
  auto source = [](const TexelPlace &) { return TexelValue{}; }; // Reads no texel.
  std::vector<std::pair<Interval, Interval>> results;
  for (Invocation *member : tangle.members) {
    const Sampler *sampler = nullptr;
    const ImageView *view = startSampling(*member, plain, op, sampler);
    if (!view)
      return Status::Stop;
    std::pair<Interval, Interval> &result = results.emplace_back();
    result.first = result.second = Interval::onlyNan();
    Interval gradients[2][3] = {};
    if (!findGradients(tangle, plain, op, member->localIndex, gradients))
      continue;
    SampleRequest request = makeRequest(*member, plain, op, /*isNominal=*/false);
    request.view = view;
    request.sampler = sampler;
    std::copy_n(&gradients[0][0], 6, &request.gradients[0][0]);
    result = TexelSampler(request, source).queryLod();
  }
  for (auto [member, result] : zip_equal(tangle.members, results)) {
    Scalar *dst = member->at(inst.dst);
    bool isKnown = !result.first.isEmpty() && !result.second.isEmpty();
    dst[0] = isKnown ? scalarOf(result.first, inst.rules) : Scalar::undefined(Cause::Inactive);
    dst[1] = isKnown ? scalarOf(result.second, inst.rules) : Scalar::undefined(Cause::Inactive);
  }
  return Status::Next;
}

/// The coordinate has no layer.
static Error prepareQueryLod(Decoder &decoder, Operands operands, Inst &inst) {
  if (decoder.program().stage != ShaderStage::Fragment)
    return unsupported("an implicit level of detail outside of fragment shaders");
  if (Error error = prepareSample<Third::None, false>(decoder, operands, inst))
    return error;
  decoder.program().imageOps[inst.extra].type.arrayed = false;
  TangleSite site{queryLod};
  site.imageOp = inst.extra;
  return addTangleSite(decoder, {}, inst, site);
}

/// As prepareSample(), for the whole quad. addTangleSite() without values leaves n as it is.
template <Third Kind, bool IsProjective>
static Error prepareImplicit(Decoder &decoder, Operands operands, Inst &inst) {
  if (decoder.program().stage != ShaderStage::Fragment)
    return unsupported("an implicit level of detail outside of fragment shaders");
  if (Error error = prepareSample<Kind, IsProjective>(decoder, operands, inst))
    return error;
  TangleSite site{sampleImplicitly};
  site.imageOp = inst.extra;
  return addTangleSite(decoder, {}, inst, site);
}

/// Implicit levels of detail need neighbours, so these instructions wait for the quad.
ArrayRef<OpRow> reference::sampleOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpImageSampleImplicitLod), prepareImplicit<Third::None, false>, waitForTangle},
      {uint32_t(Op::OpImageSampleDrefImplicitLod), prepareImplicit<Third::Reference, false>,
       waitForTangle},
      {uint32_t(Op::OpImageSampleProjImplicitLod), prepareImplicit<Third::None, true>,
       waitForTangle},
      {uint32_t(Op::OpImageSampleProjDrefImplicitLod), prepareImplicit<Third::Reference, true>,
       waitForTangle},
      {uint32_t(Op::OpImageQueryLod), prepareQueryLod, waitForTangle},
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
