// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Extension Instructions": OpExtInst, and what of a module only informs.

#include "compiler/frontend/ExtInst.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

using Family = ArrayRef<ExtInstRow> (*)();

/// Families of GLSL.std.450. No number may be in two of them.
static constexpr Family GlslFamilies[] = {glslCommonRows,       glslExponentialRows,
                                          glslTrigonometryRows, glslGeometryRows,
                                          glslPackingRows,      glslInterpolationRows};

std::vector<const ExtInstRow *> assay::glslRows() {
  std::vector<const ExtInstRow *> rows;
  for (Family family : GlslFamilies)
    for (const ExtInstRow &row : family())
      rows.push_back(&row);
  return rows;
}

namespace {
/// An extended instruction set other than GLSL.std.450.
struct ExtInstSet {
  StringLiteral name;
  Family rows;
};
} // namespace

/// Names as in OpExtInstImport.
static constexpr ExtInstSet Sets[] = {
    {"SPV_AMD_shader_explicit_vertex_parameter", explicitVertexRows},
    {"SPV_AMD_shader_trinary_minmax", trinaryRows},
    {"SPV_AMD_gcn_shader", gcnShaderRows},
    {"SPV_AMD_shader_ballot", shaderBallotRows},
};

/// Returns the rows of GLSL.std.450 by instruction number.
static DenseMap<unsigned, const ExtInstRow *> makeGlslMap() {
  DenseMap<unsigned, const ExtInstRow *> rows;
  for (const ExtInstRow *row : glslRows()) {
    [[maybe_unused]] bool isNew = rows.try_emplace(row->number, row).second;
    assert(isNew && "an instruction is in two tables");
  }
  return rows;
}

/// The row of instruction \p number of \p set.
static Expected<const ExtInstRow *> findRow(StringRef set, uint32_t number) {
  static const DenseMap<unsigned, const ExtInstRow *> Glsl = makeGlslMap();
  const ExtInstRow *row = nullptr;
  const auto *other = find_if(Sets, [&](const ExtInstSet &each) { return each.name == set; });
  if (set == "GLSL.std.450") {
    row = Glsl.lookup(number);
  } else if (other != std::end(Sets)) {
    ArrayRef<ExtInstRow> rows = other->rows();
    const auto *found =
        find_if(rows, [&](const ExtInstRow &each) { return each.number == number; });
    row = found == rows.end() ? nullptr : found;
  } else {
    return unsupported("extended instruction set '" + set + "'");
  }
  if (!row)
    return unsupported("instruction " + Twine(number) + " of " + set);
  return row;
}

/// Operands: the import, the number, then those of the instruction. Instructions of non-semantic
/// sets and of OpenCL.DebugInfo.100 are ignored.
static Error extInst(Translator &t, const Inst &inst) {
  auto import = t.spirv().extInstImports.find(inst.operand(0));
  StringRef set = import == t.spirv().extInstImports.end() ? StringRef() : import->second;
  if (set.starts_with("NonSemantic.") || set == "OpenCL.DebugInfo.100")
    return Error::success();
  Expected<const ExtInstRow *> row = findRow(set, inst.operand(1));
  if (!row)
    return row.takeError();
  Expected<Value *> result = t.callExtInst(**row, inst);
  if (!result)
    return addContext(result.takeError(), (*row)->name);
  return t.define(inst, *result);
}

/// Handles OpLine and OpNoLine; the reader of the module has noted their lines.
static Error ignore(Translator &, const Inst &) {
  return Error::success();
}

static constexpr OpcodeRow ExtInstRows[] = {
    {.opcode = spv::Op::OpExtInst, .effect = extInst},
    {.opcode = spv::Op::OpLine, .effect = ignore},
    {.opcode = spv::Op::OpNoLine, .effect = ignore},
};

ArrayRef<OpcodeRow> assay::extInstOpcodes() {
  return ExtInstRows;
}

Constant *assay::floatLike(Value *like, double constant) {
  return floatConstant(like->getType(), constant);
}
