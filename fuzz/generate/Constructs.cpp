// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

ArrayRef<Construct> constructs() {
  static constexpr Construct table[] = {
#define CONSTRUCT(FUNCTION, NAME, WEIGHT) {NAME, WEIGHT, FUNCTION::fits, FUNCTION::write},
#include "fuzz/generate/Constructs.def"
  };
  return table;
}

Value takeNumeric(Writer &writer, TypeInfo::Kind kind) {
  auto isOfKind = [&](const Value &each) {
    return writer.info(writer.scalarOf(each.type)).kind == kind;
  };
  if (writer.random().chance(90))
    if (auto value = writer.find(isOfKind))
      return *value;
  Id type = kind == TypeInfo::Bool    ? writer.pool().boolType()
            : kind == TypeInfo::Float ? writer.pool().floatType(32)
                                      : writer.randomInt();
  return writer.constant(type);
}

Value addResult(Writer &writer, spv::Op opcode, Id type, ArrayRef<Value> operands,
                uint32_t magnitude) {
  SmallVector<Operand, 4> ids;
  for (const Value &operand : operands)
    ids.push_back(fuzz::id(operand.id));
  bool isUniform = all_of(operands, [](const Value &each) { return each.isUniform; });
  Value result{writer.emit(opcode, type, ids), type, isUniform, magnitude};
  writer.add(result);
  return result;
}

} // namespace assay::fuzz
