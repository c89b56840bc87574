// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Extension Instructions": OpExtInst, and what of a module only informs.

#include "compiler/frontend/ExtInst.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

using Family = ArrayRef<ExtInstRow> (*)();

static constexpr Family GlslFamilies[] = {glslCommonRows, glslExponentialRows, glslTrigonometryRows,
                                          glslGeometryRows, glslPackingRows};

std::vector<const ExtInstRow *> assay::glslRows() {
  std::vector<const ExtInstRow *> rows;
  for (Family family : GlslFamilies)
    for (const ExtInstRow &row : family())
      rows.push_back(&row);
  return rows;
}

static DenseMap<unsigned, const ExtInstRow *> makeGlslMap() {
  DenseMap<unsigned, const ExtInstRow *> rows;
  for (const ExtInstRow *row : glslRows()) {
    [[maybe_unused]] bool isNew = rows.try_emplace(row->number, row).second;
    assert(isNew && "an instruction stands in two tables");
  }
  return rows;
}

static Error extInst(Translator &t, const Inst &inst) {
  static const DenseMap<unsigned, const ExtInstRow *> Glsl = makeGlslMap();
  auto import = t.spirv().extInstImports.find(inst.operand(0));
  StringRef set = import == t.spirv().extInstImports.end() ? StringRef() : import->second;
  if (set.starts_with("NonSemantic.") || set == "OpenCL.DebugInfo.100")
    return Error::success();
  if (set != "GLSL.std.450")
    return unsupported("extended instruction set '" + set + "'");
  const ExtInstRow *row = Glsl.lookup(inst.operand(1));
  if (!row)
    return unsupported("instruction " + Twine(inst.operand(1)) + " of GLSL.std.450");
  Expected<Value *> result = t.callExtInst(*row, inst);
  if (!result)
    return addContext(result.takeError(), row->name);
  return t.define(inst, *result);
}

static Error ignore(Translator &, const Inst &) {
  return Error::success();
}

static constexpr OpcodeRow Rows[] = {
    {.opcode = spv::Op::OpExtInst, .effect = extInst},
    {.opcode = spv::Op::OpLine, .effect = ignore},
    {.opcode = spv::Op::OpNoLine, .effect = ignore},
};

ArrayRef<OpcodeRow> assay::extInstOpcodes() {
  return Rows;
}

Constant *assay::floatLike(Value *like, double constant) {
  return floatConstant(like->getType(), constant);
}
