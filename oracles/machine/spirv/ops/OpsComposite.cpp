// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites ("Composite Instructions"). A composite is its scalars in order, so that most of these
// copy a run of slots.
#include "oracles/machine/spirv/ops/Ops.h"

#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

/// Walks literal \p indices into \p type: the scalar offset of what they name, and its type.
static Expected<uint32_t> walk(Decoder &decoder, spirv::Id &type, Operands indices) {
  uint64_t offset = 0;
  for (uint32_t index : indices) {
    const spirv::Type &t = decoder.module().type(type);
    bool isStruct = t.kind == TypeKind::Struct;
    if (isStruct && index >= t.members.size())
      return invalidInput("member " + Twine(index) + " does not exist");
    for (uint32_t i = 0; isStruct && i < index; ++i) {
      Expected<uint32_t> size = decoder.scalarCount(t.members[i]);
      if (!size)
        return size.takeError();
      offset += *size;
    }
    type = isStruct ? t.members[index] : t.element;
    if (!type)
      return invalidInput("index into a type without parts");
    if (isStruct)
      continue;
    Expected<uint32_t> size = decoder.scalarCount(type);
    if (!size)
      return size.takeError();
    offset += uint64_t(index) * *size;
  }
  return static_cast<uint32_t>(offset);
}

/// Checks that a run of scalars lies inside the value of \p id.
static Error checkInside(Decoder &decoder, spirv::Id id, uint64_t end) {
  Expected<uint32_t> size = decoder.scalarCount(decoder.typeOf(id));
  if (!size)
    return size.takeError();
  return end <= *size ? Error::success() : invalidInput("literal index out of range");
}

/// n: all scalars of the type. The copy of a pointer points to the same memory type.
static Error prepareCopy(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> count = decoder.scalarCount(inst.source->typeId);
  if (!count)
    return count.takeError();
  inst.n = *count;
  if (decoder.module().type(inst.source->typeId).kind == TypeKind::Pointer) {
    Expected<uint32_t> pointee = decoder.pointeeOf(operands[0]);
    if (!pointee)
      return pointee.takeError();
    decoder.setPointee(inst.source->resultId, *pointee);
  }
  return decoder.refs(operands, inst);
}

static Status copy(Invocation &invocation, const Inst &inst) {
  copyScalars(invocation.at(inst.op[0]), inst.n, invocation.at(inst.dst));
  return Status::Next;
}

/// The offset is added to op[0], so that an extraction is a plain copy of n scalars.
static Error prepareExtract(Decoder &decoder, Operands operands, Inst &inst) {
  spirv::Id type = decoder.typeOf(operands[0]);
  Expected<uint32_t> offset = walk(decoder, type, operands.drop_front());
  Expected<uint32_t> count = decoder.scalarCount(inst.source->typeId);
  if (!offset || !count)
    return joinErrors(offset.takeError(), count.takeError());
  inst.n = *count;
  if (Error error = checkInside(decoder, operands[0], uint64_t(*offset) + *count))
    return error;
  if (Error error = decoder.refs(operands.take_front(), inst))
    return error;
  inst.op[0] += *offset;
  return Error::success();
}

/// op[0] the object, op[1] the composite, extra where in it the object goes, n the object's
/// scalars.
static Error prepareInsert(Decoder &decoder, Operands operands, Inst &inst) {
  spirv::Id type = decoder.typeOf(operands[1]);
  Expected<uint32_t> offset = walk(decoder, type, operands.drop_front(2));
  Expected<uint32_t> part = decoder.scalarCount(decoder.typeOf(operands[0]));
  Expected<uint32_t> count = decoder.scalarCount(inst.source->typeId);
  if (!offset || !part || !count)
    return joinErrors(offset.takeError(), joinErrors(part.takeError(), count.takeError()));
  inst.n = *count;
  inst.extra = *offset;
  inst.op[2] = *part;
  if (Error error = checkInside(decoder, operands[1], uint64_t(*offset) + *part))
    return error;
  return decoder.refs(operands.take_front(2), inst);
}

/// Copies the composite, then the object over a part of it.
static Status insert(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  copyScalars(invocation.at(inst.op[1]), inst.n, dst);
  copyScalars(invocation.at(inst.op[0]), inst.op[2], dst + inst.extra);
  return Status::Next;
}

/// Lists at extra: n pairs of reference and number of scalars.
static Error prepareConstruct(Decoder &decoder, Operands operands, Inst &inst) {
  auto &lists = decoder.program().lists;
  inst.extra = static_cast<uint32_t>(lists.size());
  inst.n = static_cast<uint32_t>(operands.size());
  for (uint32_t id : operands) {
    Expected<uint32_t> reference = decoder.ref(id);
    if (!reference)
      return reference.takeError();
    Expected<uint32_t> count = decoder.scalarCount(decoder.typeOf(id));
    if (!count)
      return count.takeError();
    lists.insert(lists.end(), {*reference, *count});
  }
  return Error::success();
}

/// Concatenates the scalars of the operands.
static Status construct(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const uint32_t *list = &invocation.program().lists[inst.extra];
  for (uint32_t i = 0; i < inst.n; ++i, list += 2) {
    copyScalars(invocation.at(list[0]), list[1], dst);
    dst += list[1];
  }
  return Status::Next;
}

/// Lists at extra: n references; ~0 for an undefined component.
static Error prepareShuffle(Decoder &decoder, Operands operands, Inst &inst) {
  Inst sources;
  if (Error error = decoder.refs(operands.take_front(2), sources))
    return error;
  uint32_t sizes[2];
  for (unsigned i = 0; i < 2; ++i)
    sizes[i] = decoder.module().type(decoder.typeOf(operands[i])).count;
  auto &lists = decoder.program().lists;
  inst.extra = static_cast<uint32_t>(lists.size());
  inst.n = static_cast<uint32_t>(operands.size() - 2);
  for (uint32_t index : operands.drop_front(2)) {
    if (index == ~0u)
      lists.push_back(~0u);
    else if (index < sizes[0])
      lists.push_back(sources.op[0] + index);
    else if (index - sizes[0] < sizes[1])
      lists.push_back(sources.op[1] + index - sizes[0]);
    else
      return invalidInput("component " + Twine(index) + " does not exist");
  }
  return Error::success();
}

/// Copies the listed scalars; an undefined component is an undefined value.
static Status shuffle(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const uint32_t *list = &invocation.program().lists[inst.extra];
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = list[i] == ~0u ? Scalar::undefined(Cause::Uninitialized) : *invocation.at(list[i]);
  return Status::Next;
}

/// n counts the vector's components.
static Error prepareDynamic(Decoder &decoder, Operands operands, Inst &inst) {
  inst.n = decoder.module().type(decoder.typeOf(operands[0])).count;
  return decoder.refs(operands, inst);
}

/// op[0] vector, op[1] index. An index out of range gives an undefined value.
static Status extractDynamic(Invocation &invocation, const Inst &inst) {
  const Scalar *vector = invocation.at(inst.op[0]), &index = *invocation.at(inst.op[1]);
  Scalar *dst = invocation.at(inst.dst);
  if (index.isPoison())
    *dst = inheritPoison(index, index);
  else
    *dst = index.bits < inst.n ? vector[index.bits] : Scalar::undefined(Cause::Index);
  return Status::Next;
}

/// op[0] vector, op[1] component, op[2] index. Where the index is out of range or poison, all
/// components become so.
static Status insertDynamic(Invocation &invocation, const Inst &inst) {
  const Scalar *vector = invocation.at(inst.op[0]);
  const Scalar component = *invocation.at(inst.op[1]), index = *invocation.at(inst.op[2]);
  Scalar *dst = invocation.at(inst.dst);
  copyScalars(vector, inst.n, dst);
  if (!index.isPoison() && index.bits < inst.n)
    dst[index.bits] = component;
  else
    std::fill_n(dst, inst.n,
                index.isPoison() ? inheritPoison(index, index) : Scalar::undefined(Cause::Index));
  return Status::Next;
}

/// n: all scalars of the type.
static Error prepareUndef(Decoder &decoder, Operands, Inst &inst) {
  Expected<uint32_t> count = decoder.scalarCount(inst.source->typeId);
  if (!count)
    return count.takeError();
  inst.n = *count;
  return Error::success();
}

/// All scalars become undefined; a use of one that matters is a finding.
static Status makeUndef(Invocation &invocation, const Inst &inst) {
  std::fill_n(invocation.at(inst.dst), inst.n, Scalar::undefined(Cause::Uninitialized));
  return Status::Next;
}

/// OpCompositeExtract shares the handler of copies.
ArrayRef<OpRow> reference::compositeOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpUndef), prepareUndef, makeUndef},
      {uint32_t(Op::OpCopyObject), prepareCopy, copy},
      {uint32_t(Op::OpCopyLogical), prepareCopy, copy},
      {uint32_t(Op::OpCompositeConstruct), prepareConstruct, construct},
      {uint32_t(Op::OpCompositeExtract), prepareExtract, copy},
      {uint32_t(Op::OpCompositeInsert), prepareInsert, insert},
      {uint32_t(Op::OpVectorShuffle), prepareShuffle, shuffle},
      {uint32_t(Op::OpVectorExtractDynamic), prepareDynamic, extractDynamic},
      {uint32_t(Op::OpVectorInsertDynamic), prepareDynamic, insertDynamic},
  };
  return rows;
}
