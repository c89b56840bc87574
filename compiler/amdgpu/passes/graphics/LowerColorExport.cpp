// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: AMD's ISA manuals, "Exports"; AMD's register reference, SPI_SHADER_COL_FORMAT,
// SPI_SHADER_Z_FORMAT, CB_SHADER_MASK, DB_SHADER_CONTROL; LLPC,
// lgc/lowering/FragmentColorExport.cpp.
#include "compiler/amdgpu/passes/graphics/LowerColorExport.h"

#include "compiler/amdgpu/passes/Glue.h"
#include "compiler/amdgpu/passes/WaveOperations.h"
#include "compiler/amdgpu/passes/graphics/StageFacts.h"
#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/amdgpu/passes/graphics/StageOutputs.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using pal::ExportFormat;

/// Targets of exports. Those of two sources are of GFX11 and later, null of GFX10 and before.
static constexpr unsigned colorTarget = 0, depthTarget = 8, nullTarget = 9, dualTarget = 21;
/// Number of color targets; nothing reads an output at a location from here on.
static constexpr unsigned mostTargets = 8;

/// The smallest format that keeps all bits of the target: halves where they are exact enough, then
/// 16-bit integers or normalized numbers, then as many 32-bit channels as are read.
ExportFormat amdgpu::chooseExportFormat(const FormatInfo &format, const ColorUse &use,
                                        const TargetBlending &target) {
  NumberKind number = format.number;
  bool isNorm = number == NumberKind::Unorm || number == NumberKind::Snorm;
  constexpr unsigned HalfMantissa = 11; // A half is exact enough for so many bits.
  if (number == NumberKind::Srgb || (isNorm && format.bits <= HalfMantissa) ||
      (number == NumberKind::Float && format.bits <= 16))
    return ExportFormat::Fp16Abgr;
  bool isShort = format.bits <= 16;
  if (isShort && isInteger(number) && !use.coversByAlpha)
    return number == NumberKind::Uint ? ExportFormat::Uint16Abgr : ExportFormat::Sint16Abgr;
  if (isShort && isNorm && !target.blends())
    return number == NumberKind::Unorm ? ExportFormat::Unorm16Abgr : ExportFormat::Snorm16Abgr;
  if (format.channels > 2)
    return ExportFormat::Abgr32;
  bool needsAlpha = use.writesAlpha && (use.coversByAlpha || target.readsAlpha());
  if (format.channels == 1)
    return needsAlpha ? ExportFormat::Ar32 : ExportFormat::R32;
  return needsAlpha ? ExportFormat::Abgr32 : ExportFormat::Gr32;
}

namespace {
/// Red, green, blue, alpha.
using Scalars = std::array<OutputScalar, 4>;

/// Four registers, and which of them are exported.
struct ExportValues {
  std::array<Value *, 4> values = {}; ///< Floats; null: none.
  bool isPacked = false;              ///< Two registers, each with two halves.
};

/// Plans all exports of a fragment shader first, since the last one is marked as such, then emits
/// them at its return.
class Exports {
public:
  Exports(Module &module, TrackedState &state, const StageMode &mode, StageOutputs outputs)
      : m_module(module), m_state(state), m_mode(mode), m_outputs(std::move(outputs)),
        m_builder(m_outputs.end) {}

  Error run();
  /// Of an unlinked shader: colors stay as they are, for its glue.
  Error leaveColors();

private:
  /// One export and its target.
  struct Planned {
    unsigned target = 0;
    ExportValues values;
  };

  /// Collects the scalars of each location and index and plans a color for each.
  Error planColors();
  /// Plans one color, or none where no target reads it. Adds the registers of its format and mask.
  /// Unsupported for target formats that are not in the table.
  Error planColor(uint32_t location, uint32_t index, const Scalars &scalars);
  void planDepth();
  void planDualSource();
  /// Emits all exports; the last one ends them if \p isEnd. Without any, an export of nothing is
  /// made.
  void emit(bool isEnd = true);
  /// Emits one export. Registers that are null are left out of the mask; packed ones are compressed
  /// exports before GFX11.
  void emitOne(const Planned &planned, bool isDone);
  /// Converts the scalars of a color to \p format.
  ExportValues convert(const Scalars &scalars, ExportFormat format, NumberKind number);
  ExportValues convertWide(const Scalars &scalars, ArrayRef<unsigned> components,
                           NumberKind number);
  /// Packs four scalars into two registers; a half that was not written is poison.
  ExportValues convertPacked(const Scalars &scalars, ExportFormat format);
  Value *pack(Value *low, Value *high, ExportFormat format);
  Value *toFloat(const OutputScalar &scalar, NumberKind number);
  /// Returns the scalar as i32; 16 bits are extended by their sign if \p isSigned.
  Value *toInteger(const OutputScalar &scalar, bool isSigned);
  Value *asFloat(Value *value) { return m_builder.CreateBitCast(value, m_builder.getFloatTy()); }
  /// The value written to \p builtIn, or null where none or an undefined one is.
  Value *getBuiltIn(spv::BuiltIn builtIn) {
    Value *value = m_outputs.findBuiltIn(static_cast<uint32_t>(builtIn));
    return value && !isa<UndefValue>(value) ? value : nullptr;
  }
  /// Sets the field \p key of DB_SHADER_CONTROL to 1.
  void setControl(StringRef key) { addRegister(m_module, ".db_shader_control", key, 1); }

  Module &m_module;
  TrackedState &m_state;
  const StageMode m_mode;
  const StageOutputs m_outputs;
  IRBuilder<> m_builder;
  SmallVector<Planned, 9> m_exports; ///< Colors are last.
  /// Color exports so far, which is the number of the next.
  unsigned m_colors = 0;
};
} // namespace

/// Undefined values count as not written.
static bool isWritten(const OutputScalar &scalar) {
  return scalar.bits && !isa<UndefValue>(scalar.bits);
}

/// What a target of \p number gets of a shader's scalar, as the bits of a float register.
Value *Exports::toFloat(const OutputScalar &scalar, NumberKind number) {
  Value *narrow = nullptr;
  switch (scalar.type) {
  case InOutType::F32:
  case InOutType::I32:
    return asFloat(scalar.bits);
  case InOutType::I16:
    return asFloat(toInteger(scalar, number == NumberKind::Sint));
  case InOutType::F16:
    narrow = m_builder.CreateTrunc(scalar.bits, m_builder.getInt16Ty());
    return m_builder.CreateFPExt(m_builder.CreateBitCast(narrow, m_builder.getHalfTy()),
                                 m_builder.getFloatTy());
  }
  llvm_unreachable("the numbers were checked");
}

Value *Exports::toInteger(const OutputScalar &scalar, bool isSigned) {
  if (scalar.type != InOutType::I16)
    return scalar.bits;
  Value *narrow = m_builder.CreateTrunc(scalar.bits, m_builder.getInt16Ty());
  return isSigned ? m_builder.CreateSExt(narrow, m_builder.getInt32Ty())
                  : m_builder.CreateZExt(narrow, m_builder.getInt32Ty());
}

/// Two values in the halves of a register.
Value *Exports::pack(Value *low, Value *high, ExportFormat format) {
  static constexpr std::pair<ExportFormat, Intrinsic::ID> rows[] = {
      {ExportFormat::Fp16Abgr, Intrinsic::amdgcn_cvt_pkrtz},
      {ExportFormat::Unorm16Abgr, Intrinsic::amdgcn_cvt_pknorm_u16},
      {ExportFormat::Snorm16Abgr, Intrinsic::amdgcn_cvt_pknorm_i16},
      {ExportFormat::Uint16Abgr, Intrinsic::amdgcn_cvt_pk_u16},
      {ExportFormat::Sint16Abgr, Intrinsic::amdgcn_cvt_pk_i16},
  };
  const auto *row = find_if(rows, [&](const auto &each) { return each.first == format; });
  return asFloat(m_builder.CreateIntrinsic(row->second, {}, {low, high}));
}

/// The first register has red and green, the second blue and alpha. A register without a written
/// scalar stays null.
ExportValues Exports::convertPacked(const Scalars &scalars, ExportFormat format) {
  bool isInt = format == ExportFormat::Uint16Abgr || format == ExportFormat::Sint16Abgr;
  Type *type = isInt ? m_builder.getInt32Ty() : m_builder.getFloatTy();
  auto valueOf = [&](unsigned i) -> Value * {
    if (!isWritten(scalars[i]))
      return PoisonValue::get(type);
    return isInt ? toInteger(scalars[i], format == ExportFormat::Sint16Abgr)
                 : toFloat(scalars[i], NumberKind::Float);
  };
  ExportValues result;
  result.isPacked = true;
  for (unsigned half = 0; half < 2; ++half) {
    unsigned first = 2 * half;
    if (isWritten(scalars[first]) || isWritten(scalars[first + 1]))
      result.values[half] = pack(valueOf(first), valueOf(first + 1), format);
  }
  return result;
}

/// Component components[i] in register i.
ExportValues Exports::convertWide(const Scalars &scalars, ArrayRef<unsigned> components,
                                  NumberKind number) {
  ExportValues result;
  for (auto [i, component] : enumerate(components))
    if (isWritten(scalars[component]))
      result.values[i] = toFloat(scalars[component], number);
  return result;
}

/// \p number decides how 16-bit integers are extended in formats of 32 bits.
ExportValues Exports::convert(const Scalars &scalars, ExportFormat format, NumberKind number) {
  switch (format) {
  case ExportFormat::R32:
    return convertWide(scalars, {0}, number);
  case ExportFormat::Gr32:
    return convertWide(scalars, {0, 1}, number);
  case ExportFormat::Ar32: {
    // Alpha is in the second register from GFX10 on, in the fourth before (Mesa, ac_nir_lower_ps).
    ExportValues result = convertWide(scalars, {0, 3}, number);
    if (m_state.getTarget().major < 10)
      std::swap(result.values[1], result.values[3]);
    return result;
  }
  case ExportFormat::Abgr32:
    return convertWide(scalars, {0, 1, 2, 3}, number);
  default:
    return convertPacked(scalars, format);
  }
}

/// A location without a target is exported only where its alpha decides on coverage, then as Ar32.
/// The mask counts indices with dual sources, locations otherwise.
Error Exports::planColor(uint32_t location, uint32_t index, const Scalars &scalars) {
  // For the first color it makes no difference.
  bool hasDual = (location || index) && m_state.hasDualSource();
  if (location >= mostTargets || (index && !hasDual))
    return Error::success(); // Nothing reads it.
  std::optional<TexelFormat> target = m_state.findTargetFormat(location);
  ColorUse use;
  use.writesAlpha = isWritten(scalars[3]);
  use.coversByAlpha = location == 0 && m_state.hasAlphaToCoverage();
  if (!target && !(use.coversByAlpha && use.writesAlpha))
    return Error::success();
  ExportFormat format = ExportFormat::Ar32;
  NumberKind number = NumberKind::Float;
  if (target) {
    std::optional<FormatInfo> info = findFormat(*target);
    if (!info)
      return unsupported("a color target of format " + Twine(static_cast<unsigned>(*target)));
    auto blends = [&] { return m_state.blends(location); };
    auto readsAlpha = [&] { return m_state.blendsByAlpha(location); };
    format = chooseExportFormat(*info, use, {blends, readsAlpha});
    number = info->number;
  }
  ExportValues values = convert(scalars, format, number);
  if (all_of(values.values, [](Value *value) { return !value; }))
    return Error::success();
  uint32_t channels = 0;
  for (unsigned i = 0; i < 4; ++i)
    channels |= uint32_t(isWritten(scalars[i])) << i;
  if (faultPlanted(Fault::ColorMask))
    channels &= channels - 1;
  unsigned number16 = m_colors++;
  addRegister(
      m_module, ".spi_shader_col_format", (".col_" + Twine(number16) + "_export_format").str(),
      static_cast<uint32_t>(faultPlanted(Fault::ColorFormat) ? ExportFormat::Abgr32 : format));
  addRegister(m_module, ".cb_shader_mask",
              (".output" + Twine(hasDual ? index : location) + "_enable").str(), channels);
  m_exports.push_back({colorTarget + number16, values});
  return Error::success();
}

/// Colors are planned, and so numbered, in ascending order of location, then of index.
Error Exports::planColors() {
  std::map<std::pair<uint32_t, uint32_t>, Scalars> colors;
  for (const auto &[place, scalar] : m_outputs.located)
    colors[{place.location, place.index}][place.component] = scalar;
  for (auto &[key, scalars] : colors) {
    if (faultPlanted(Fault::ColorOrder))
      std::swap(scalars[0], scalars[2]);
    if (Error error = planColor(key.first, key.second, scalars))
      return error;
  }
  return Error::success();
}

/// 32 bits each: depth in the first register, the stencil reference in the second, the sample mask
/// in the third. Depth and stencil that early tests have used already are not exported.
void Exports::planDepth() {
  Value *depth = m_mode.earlyFragmentTests ? nullptr : getBuiltIn(spv::BuiltIn::FragDepth);
  Value *stencil =
      m_mode.earlyFragmentTests ? nullptr : getBuiltIn(spv::BuiltIn::FragStencilRefEXT);
  Value *mask = getBuiltIn(spv::BuiltIn::SampleMask);
  if (!depth && !stencil && !mask)
    return;
  ExportFormat format = mask      ? ExportFormat::Abgr32
                        : stencil ? ExportFormat::Gr32
                                  : ExportFormat::R32;
  Planned planned{depthTarget, {}};
  auto set = [&](unsigned index, Value *value, StringRef control) {
    if (!value)
      return;
    planned.values.values[index] = asFloat(value);
    setControl(control);
  };
  set(0, depth, ".z_export_enable");
  set(1, stencil, ".stencil_test_val_export_enable");
  set(2, mask, ".mask_export_enable");
  if (depth)
    addFlag(m_module, StageFlag::PsWritesDepth);
  if (mask)
    addFlag(m_module, StageFlag::PsSampleMask);
  addRegister(m_module, "", ".spi_shader_z_format", static_cast<uint32_t>(format));
  m_exports.push_back(planned);
}

/// From GFX11 on the first export has both sources of even lanes, in the two lanes of a pair, and
/// the second one those of odd lanes (LLPC, dualSourceSwizzle).
void Exports::planDualSource() {
  if (m_state.getTarget().major < 11 || m_colors != 2 || !m_state.hasDualSource())
    return;
  WaveOperations wave(m_builder, m_state.getTarget(), m_state.getWaveSize());
  Value *isOdd = m_builder.CreateTrunc(createLaneNumber(m_builder, m_state.getWaveSize()),
                                       m_builder.getInt1Ty());
  Planned &first = m_exports[m_exports.size() - 2], &second = m_exports.back();
  for (unsigned i = 0; i < 4; ++i) {
    Value *&low = first.values.values[i], *&high = second.values.values[i];
    if (!low && !high)
      continue;
    Type *type = m_builder.getFloatTy();
    Value *one = low ? low : PoisonValue::get(type), *two = high ? high : PoisonValue::get(type);
    auto swap = [&](Value *value) {
      return wave.dppForAll(value, static_cast<uint32_t>(Dpp::QuadSwapPairs));
    };
    auto inQuads = [&](Value *value) {
      return m_builder.CreateIntrinsic(Intrinsic::amdgcn_wqm, type, {value});
    };
    low = inQuads(m_builder.CreateSelect(isOdd, swap(two), one));
    high = inQuads(m_builder.CreateSelect(isOdd, two, swap(one)));
    if (faultPlanted(Fault::DualSourceSwap))
      std::swap(low, high);
  }
  first.target = dualTarget;
  second.target = dualTarget + 1;
}

/// Each register of a compressed export has two bits in the mask. The valid-mask operand is always
/// set.
void Exports::emitOne(const Planned &planned, bool isDone) {
  bool isCompressed = planned.values.isPacked && m_state.getTarget().major < 11;
  Type *type = isCompressed ? static_cast<Type *>(FixedVectorType::get(m_builder.getHalfTy(), 2))
                            : m_builder.getFloatTy();
  uint32_t mask = 0;
  SmallVector<Value *, 8> arguments = {m_builder.getInt32(planned.target), nullptr};
  for (unsigned i = 0; i < (isCompressed ? 2u : 4u); ++i) {
    Value *value = planned.values.values[i];
    mask |= value ? (isCompressed ? 3u << 2 * i : 1u << i) : 0;
    arguments.push_back(value ? m_builder.CreateBitCast(value, type) : PoisonValue::get(type));
  }
  arguments[1] = m_builder.getInt32(mask);
  arguments.append({m_builder.getInt1(isDone), m_builder.getTrue()});
  m_builder.CreateIntrinsic(isCompressed ? Intrinsic::amdgcn_exp_compr : Intrinsic::amdgcn_exp,
                            type, arguments);
}

void Exports::emit(bool isEnd) {
  if (m_exports.empty()) {
    bool hasNull = m_state.getTarget().major < 11;
    addFlag(m_module, StageFlag::PsDummyExport);
    // Without a null target, the first color is one that has a format and no channels (Mesa,
    // radv_compute_spi_color_formats).
    if (!hasNull)
      addRegister(m_module, ".spi_shader_col_format", ".col_0_export_format",
                  static_cast<uint32_t>(ExportFormat::R32));
    m_exports.push_back({hasNull ? nullTarget : colorTarget, {}});
  }
  for (auto [i, planned] : enumerate(m_exports))
    emitOne(planned, isEnd && i + 1 == m_exports.size());
}

/// Depth, stencil and sample mask are exported here; colors become results of the function, for the
/// glue. Unsupported for more colors than glue has registers.
Error Exports::leaveColors() {
  planDepth();
  auto count = count_if(m_outputs.located, [](const auto &each) { return isWritten(each.second); });
  if (count == 0) {
    emit();
    setControl(".alpha_to_mask_disable");
    return Error::success();
  }
  if (count > colorValues)
    return unsupported(Twine(count) + " unlinked outputs");
  if (!m_exports.empty())
    emit(/*isEnd=*/false);
  for (const auto &[place, scalar] : m_outputs.located)
    if (isWritten(scalar))
      WriteOutputOp::create(m_builder, place.location, place.component, place.index,
                            uint64_t(scalar.type), scalar.bits);
  return Error::success();
}

/// Plans and emits everything. Alpha to coverage is switched off where the state has none.
Error Exports::run() {
  planDepth();
  if (Error error = planColors())
    return error;
  planDualSource();
  emit();
  if (!m_state.hasAlphaToCoverage())
    setControl(".alpha_to_mask_disable");
  return Error::success();
}

/// Lowers the outputs of \p entry by the state of \p module, unlinked or not.
static Error lower(Module &module, Function &entry) {
  Expected<TrackedState> state = TrackedState::open(module, "lower-color-export");
  if (!state)
    return state.takeError();
  Expected<StageMode> mode = getStageMode(entry);
  if (!mode)
    return mode.takeError();
  StageOutputs outputs = takeOutputs(entry);
  if (!outputs.end)
    return Error::success(); // It never returns, and has no outputs.
  Exports exports(module, *state, *mode, std::move(outputs));
  return state->isUnlinked() ? exports.leaveColors() : exports.run();
}

/// Runs on fragment shaders and on glue for them.
PreservedAnalyses amdgpu::LowerColorExport::run(Module &module, ModuleAnalysisManager &) {
  Function *entry = findStageOrGlue(module, ShaderStage::Fragment);
  if (!entry)
    return PreservedAnalyses::all();
  if (Error error = lower(module, *entry))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
