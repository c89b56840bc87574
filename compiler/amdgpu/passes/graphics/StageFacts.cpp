// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/graphics/StageFacts.h"

#include "compiler/pal/GraphicsTable.h"
#include "support/Error.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

static constexpr StringLiteral factsName = "amdgpu.stage";

namespace {
/// A row taken apart.
struct FactRow {
  SmallVector<StringRef, 3> texts; ///< The kind first.
  SmallVector<uint32_t, 2> numbers;
};

/// A kind of row: its name, how many operands it has, and what it does to the facts.
struct FactKind {
  StringLiteral name;
  unsigned texts, numbers; ///< That it must have, its name apart.
  Error (*apply)(StageFacts &facts, const FactRow &row);
};

/// A flag's name in the IR and its member.
struct FlagRow {
  StringLiteral name;
  bool StageFacts::*member;
};
} // namespace

/// In the order of StageFlag.
static constexpr FlagRow flagRows[] = {
    {"ps-sample-mask", &StageFacts::psSampleMask},
    {"ps-dummy-export", &StageFacts::psDummyExport},
    {"ps-writes-depth", &StageFacts::psWritesDepth},
    {"uses-viewport", &StageFacts::usesViewport},
};

/// Appends a row of texts and i32 numbers to the module's named metadata.
static void addRow(Module &module, ArrayRef<StringRef> texts, ArrayRef<uint32_t> numbers) {
  LLVMContext &context = module.getContext();
  SmallVector<Metadata *, 4> operands;
  for (StringRef text : texts)
    operands.push_back(MDString::get(context, text));
  for (uint32_t number : numbers)
    operands.push_back(
        ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), number)));
  module.getOrInsertNamedMetadata(factsName)->addOperand(MDNode::get(context, operands));
}

void amdgpu::addRegister(Module &module, StringRef map, StringRef key, uint32_t value) {
  assert(pal::findFieldRow(map, key) && "no row of GraphicsRegisters.def");
  addRow(module, {"register", map, key}, value);
}

void amdgpu::addPositions(Module &module, uint32_t count) {
  addRow(module, {"positions"}, count);
}

void amdgpu::addParameter(Module &module, uint32_t semantic, uint32_t index) {
  addRow(module, {"parameter"}, {semantic, index});
}

void amdgpu::addInterpolant(Module &module, uint32_t semantic, bool isFlat) {
  addRow(module, {"interpolant"}, {semantic, uint32_t(isFlat)});
}

void amdgpu::addInterpolantHalves(Module &module, uint32_t semantic, bool hasHigh) {
  addRow(module, {"interpolant-halves"}, {semantic, uint32_t(hasHigh)});
}

void amdgpu::addPointCoordinate(Module &module) {
  addRow(module, {"point-coordinate"}, {});
}

void amdgpu::addFlag(Module &module, StageFlag flag) {
  addRow(module, {"flag", flagRows[static_cast<unsigned>(flag)].name}, {});
}

/// Writes the value into the field that the two keys name; InvalidInput where there is none.
static Error applyRegister(StageFacts &facts, const FactRow &row) {
  const pal::FieldRow *field = pal::findFieldRow(row.texts[1], row.texts[2]);
  if (!field)
    return invalidInput("no register '" + row.texts[1] + "' has '" + row.texts[2] + "'");
  field->write(facts.registers, row.numbers[0]);
  return Error::success();
}

/// All positions have four components. InvalidInput for more than the hardware has.
static Error applyPositions(StageFacts &facts, const FactRow &row) {
  if (row.numbers[0] > pal::maxPositions)
    return invalidInput(Twine(row.numbers[0]) + " positions");
  for (unsigned i = 0; i < row.numbers[0]; ++i)
    facts.registers.spiShaderPosFormat[i] = pal::PositionFormat::FourComponents;
  return Error::success();
}

static Error applyParameter(StageFacts &facts, const FactRow &row) {
  facts.semantics.preraster.push_back({row.numbers[0], row.numbers[1]});
  return Error::success();
}

/// Adds the input and its control together, so that both lists have one order.
static Error applyInterpolant(StageFacts &facts, const FactRow &row) {
  facts.semantics.psInputs.push_back(row.numbers[0]);
  pal::SpiPsInputCntl &control = facts.registers.spiPsInputCntl.emplace_back();
  control.flatShade = row.numbers[1] != 0;
  return Error::success();
}

/// The same for halves, of which the low ones are always there.
static Error applyInterpolantHalves(StageFacts &facts, const FactRow &row) {
  facts.semantics.psInputs.push_back(row.numbers[0]);
  pal::SpiPsInputCntl &control = facts.registers.spiPsInputCntl.emplace_back();
  control.fp16Interp = control.attr0Valid = true;
  control.attr1Valid = row.numbers[1] != 0;
  return Error::success();
}

/// Of no vertex shader: locations of shaders and of built-ins are below.
static constexpr uint32_t pointSemantic = 0xffff;

static Error applyPointCoordinate(StageFacts &facts, const FactRow &) {
  facts.semantics.psInputs.push_back(pointSemantic);
  facts.registers.spiPsInputCntl.emplace_back().pointSprite = true;
  return Error::success();
}

/// InvalidInput for a flag without a row.
static Error applyFlag(StageFacts &facts, const FactRow &row) {
  for (const FlagRow &flag : flagRows)
    if (flag.name == row.texts[1]) {
      facts.*flag.member = true;
      return Error::success();
    }
  return invalidInput("the flag '" + row.texts[1] + "' is unknown");
}

/// The columns: name, texts and numbers after the name, function.
static constexpr FactKind factKinds[] = {
    {"register", 2, 1, applyRegister},
    {"positions", 0, 1, applyPositions},
    {"parameter", 0, 2, applyParameter},
    {"interpolant", 0, 2, applyInterpolant},
    {"interpolant-halves", 0, 2, applyInterpolantHalves},
    {"point-coordinate", 0, 0, applyPointCoordinate},
    {"flag", 1, 0, applyFlag},
};

/// Takes a row apart; InvalidInput for operands that are neither text nor numbers of up to 32 bits.
static Expected<FactRow> parseRow(const MDNode &node) {
  FactRow row;
  for (const MDOperand &operand : node.operands()) {
    if (auto *text = dyn_cast_or_null<MDString>(operand))
      row.texts.push_back(text->getString());
    else if (auto *number = mdconst::dyn_extract_or_null<ConstantInt>(operand);
             number && number->getBitWidth() <= 32)
      row.numbers.push_back(static_cast<uint32_t>(number->getZExtValue()));
    else
      return invalidInput("a row holds text and numbers only");
  }
  if (row.texts.empty())
    return invalidInput("a row begins with its kind");
  return row;
}

/// Applies a row by its kind; InvalidInput where the kind is unknown or operands are missing.
static Error applyRow(StageFacts &facts, const MDNode &node) {
  Expected<FactRow> row = parseRow(node);
  if (!row)
    return row.takeError();
  for (const FactKind &kind : factKinds) {
    if (kind.name != row->texts.front())
      continue;
    if (row->texts.size() != kind.texts + 1 || row->numbers.size() != kind.numbers)
      return invalidInput("'" + kind.name + "' with too few or too many operands");
    return kind.apply(facts, *row);
  }
  return invalidInput("'" + row->texts.front() + "' is unknown");
}

Expected<StageFacts> amdgpu::readStageFacts(const Module &module) {
  StageFacts facts;
  if (const NamedMDNode *named = module.getNamedMetadata(factsName))
    for (const MDNode *node : named->operands())
      if (Error error = applyRow(facts, *node))
        return addContext(std::move(error), "!" + factsName);
  return facts;
}
