// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules on machine code that need its exports, messages and interpolation: what they do is what
// the registers say.
#include "oracles/pal_elf/ElfCode.h"
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// The stage that hands vertices to rasterisation, or null.
static const FunctionCode *findLastVertexStage(const ElfModel &model) {
  if (const FunctionCode *vertex = findCode(model, ".vs"))
    return vertex;
  FieldMap enabled = graphicsRegisters(model).at(".vgt_shader_stages_en");
  return enabled.flag(".primgen_en") ? findCode(model, ".gs") : nullptr;
}

/// Reports the last export to a target that begins with one of \p targets when no such export has
/// DONE. Silent without any, and where the code continues elsewhere.
static void reportNotDone(const FunctionCode &function, ArrayRef<StringRef> targets,
                          RuleReporter &out) {
  const ExportFacts *last = nullptr;
  for (const ExportFacts &facts : function.exports) {
    if (none_of(targets,
                [&](StringRef target) { return StringRef(facts.target).starts_with(target); }))
      continue;
    if (facts.done)
      return;
    last = &facts;
  }
  if (last && !function.leaves())
    out.report(codeLocation(function, last->inst), targets.front(),
               "no export of the kind is marked as the last one (done)");
}

/// MC-11. Pixel shaders mark a colour, depth or null export, the last vertex stage a position.
static void checkDone(const ElfModel &model, RuleReporter &out) {
  if (const FunctionCode *pixel = findCode(model, ".ps"))
    reportNotDone(*pixel, {"mrt", "null", "dual_src_blend"}, out);
  if (const FunctionCode *vertex = findLastVertexStage(model))
    reportNotDone(*vertex, {"pos"}, out);
}

/// Returns true when control reaches an s_sendmsg of \p message, bits 3:0 of its immediate. The
/// variants that return a value do not count.
static bool sends(const FunctionCode &function, unsigned message) {
  for (uint32_t i = 0; i < function.insts.size(); ++i) {
    const Inst &inst = function.insts[i];
    if (function.isReached(i) && StringRef(inst.mnemonic).starts_with("s_sendmsg") &&
        !StringRef(inst.mnemonic).contains("_rtn") && (inst.simm16() & 15) == message)
      return true;
  }
  return false;
}

/// MC-12. One finding, at the first export that needs the space.
static void checkAllocation(const ElfModel &model, RuleReporter &out) {
  constexpr unsigned GsAllocReq = 9;
  FieldMap enabled = graphicsRegisters(model).at(".vgt_shader_stages_en");
  const FunctionCode *function = findCode(model, ".gs");
  if (!function || !enabled.flag(".primgen_en") || enabled.flag(".primgen_passthru_no_msg") ||
      function->leaves() || sends(*function, GsAllocReq))
    return;
  for (const ExportFacts &facts : function->exports)
    if (facts.target == "prim" || StringRef(facts.target).starts_with("pos"))
      return out.report(codeLocation(*function, facts.inst), "alloc",
                        "it is exported without asking for room (GS_ALLOC_REQ)");
}

/// MC-13. For pipelines of type Gs and GsTess.
static void checkGeometryDone(const ElfModel &model, RuleReporter &out) {
  constexpr unsigned GsDone = 3;
  const FunctionCode *function = findCode(model, ".gs");
  bool isLegacy = model.launch && (model.launch->type == "Gs" || model.launch->type == "GsTess");
  if (function && isLegacy && !function->leaves() && !sends(*function, GsDone))
    out.report(codeLocation(*function, 0), "done",
               "a geometry shader without NGG ends with the message GS_DONE");
}

/// Numbers of the exports called \p prefix with a number: "mrt" of mrt0, mrt3.
static std::set<unsigned> numbersOf(const FunctionCode &function, StringRef prefix) {
  std::set<unsigned> numbers;
  for (const ExportFacts &facts : function.exports) {
    StringRef rest = facts.target;
    unsigned number;
    if (rest.consume_front(prefix) && !rest.getAsInteger(10, number))
      numbers.insert(number);
  }
  return numbers;
}

/// SPI_SHADER_COL_FORMAT: 4 to 8 are pairs of 16 bits, the others whole registers. Up to GFX10 the
/// instruction says which it exports (compr), later it is in the format alone.
static void checkColorWidth(const FunctionCode &pixel, const ExportFacts &facts, uint64_t format,
                            unsigned gfxMajor, RuleReporter &out) {
  constexpr uint64_t FirstPair = 4, LastPair = 8;
  bool isPair = format >= FirstPair && format <= LastPair;
  if (format == 0 || facts.mask == 0)
    return;
  if (gfxMajor <= 10 && facts.compressed != isPair)
    out.report(codeLocation(pixel, facts.inst), "width",
               "it exports " + Twine(facts.compressed ? "pairs of 16 bits" : "whole registers") +
                   ", its format " + Twine(format) + " has " +
                   (isPair ? "pairs of 16 bits" : "whole registers"));
  if (gfxMajor >= 11 && isPair && facts.mask & 0xc)
    out.report(codeLocation(pixel, facts.inst), "width",
               "it exports four registers, but its format " + Twine(format) +
                   " has pairs of 16 bits in two");
}

/// PS-06. Silent for missing colours when the shader exports none at all: a colour export shader
/// may follow. Formats of targets that are not exported are reported only if the shader exports
/// other colours.
static void checkColors(const ElfModel &model, RuleReporter &out) {
  const FunctionCode *pixel = findCode(model, ".ps");
  FieldMap formats = graphicsRegisters(model).at(".spi_shader_col_format");
  if (!pixel || !formats.exists() || pixel->leaves())
    return;
  std::set<unsigned> exported = numbersOf(*pixel, "mrt");
  for (const ExportFacts &facts : pixel->exports) {
    StringRef number = facts.target;
    if (number.consume_front("mrt") && number != "z")
      checkColorWidth(*pixel, facts, formats.numberOr((".col_" + number + "_export_format").str()),
                      getGfxMajor(model), out);
  }
  for (unsigned i = 0; i < 8; ++i) {
    std::string key = ".col_" + std::to_string(i) + "_export_format";
    // Compilers may pack the formats of targets that are not there; only what is there counts.
    if (exported.count(i) && !formats.flag(key))
      out.report("'" + pixel->symbol->name.str() + "'", "unexpected",
                 "the code exports mrt" + Twine(i) + ", '" + key + "' is 0");
    if (!exported.count(i) && formats.flag(key) && !exported.empty())
      out.report("'" + pixel->symbol->name.str() + "'", "missing",
                 "the code does not export mrt" + Twine(i) + ", '" + key + "' is " +
                     Twine(formats.numberOr(key)));
  }
}

/// Says nothing about code that continues elsewhere or exports nothing.
void assay::checkDepthExports(const ElfModel &model, RuleReporter &out) {
  const FunctionCode *pixel = findCode(model, ".ps");
  std::optional<uint64_t> format = graphicsRegisters(model).number(".spi_shader_z_format");
  if (!pixel || !format || pixel->leaves() || pixel->exports.empty())
    return;
  const auto depth =
      find_if(pixel->exports, [](const ExportFacts &facts) { return facts.target == "mrtz"; });
  bool exports = depth != pixel->exports.end();
  if (exports && *format == 0)
    out.report(codeLocation(*pixel, depth->inst), "unexpected",
               "the code exports mrtz, '.spi_shader_z_format' is 0");
  if (!exports && *format)
    out.report("'" + pixel->symbol->name.str() + "'", "missing",
               "the code does not export mrtz, '.spi_shader_z_format' is " + Twine(*format));
}

/// Compares each position with its format. Says nothing about code that exports no position.
void assay::checkPositionExports(const ElfModel &model, RuleReporter &out) {
  const FunctionCode *vertex = findLastVertexStage(model);
  ArrayRef<MsgValue> formats = graphicsRegisters(model).items(".spi_shader_pos_format");
  if (!vertex || formats.empty() || vertex->leaves())
    return;
  std::set<unsigned> exported = numbersOf(*vertex, "pos");
  if (exported.empty())
    return; // All of its primitives may be culled, or streamed out.
  for (unsigned i = 0; i < std::max<size_t>(formats.size(), *exported.rbegin() + 1u); ++i) {
    bool isDeclared = i < formats.size() && numberOf(formats[i]) != 0;
    if (isDeclared != (exported.count(i) != 0))
      out.report("'" + vertex->symbol->name.str() + "'", isDeclared ? "missing" : "unexpected",
                 "the code exports " + Twine(isDeclared ? "no " : "") + "pos" + Twine(i) +
                     ", '.spi_shader_pos_format' has " + (isDeclared ? "a" : "no") +
                     " format for it");
  }
}

/// GEO-07, up to GFX10. VS_EXPORT_COUNT holds the number less one.
static void checkParameters(const ElfModel &model, RuleReporter &out) {
  const FunctionCode *vertex = findLastVertexStage(model);
  FieldMap config = graphicsRegisters(model).at(".spi_vs_out_config");
  if (!vertex || !config.exists() || getGfxMajor(model) >= 11)
    return;
  std::set<unsigned> exported = numbersOf(*vertex, "param");
  bool hasNone = config.flag(".no_pc_export") && getGfxMajor(model) >= 10;
  if (hasNone && config.flag(".vs_export_count"))
    return; // GEO-05 says so.
  uint64_t declared = hasNone ? 0 : config.numberOr(".vs_export_count") + 1;
  if (!exported.empty() && *exported.rbegin() >= declared)
    out.report("'" + vertex->symbol->name.str() + "'", "count",
               "the code exports param" + Twine(*exported.rbegin()) +
                   ", '.spi_vs_out_config' declares " + Twine(declared));
}

/// Returns the attribute that an interpolation instruction reads, by its text ("attr3.x"). Nullopt
/// for other instructions.
static std::optional<unsigned> attributeOf(const Inst &inst) {
  StringRef name = inst.mnemonic;
  if (!name.starts_with("v_interp_") && !name.starts_with("lds_param_load") &&
      !name.starts_with("ds_param_load"))
    return std::nullopt;
  StringRef text = inst.text;
  size_t at = text.find("attr");
  unsigned number;
  if (at == StringRef::npos || text.drop_front(at + 4)
                                   .take_while([](char c) { return isDigit(c); })
                                   .getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// PS-05. One finding, for the first attribute outside of the declared ones.
static void checkAttributes(const ElfModel &model, RuleReporter &out) {
  const FunctionCode *pixel = findCode(model, ".ps");
  FieldMap control = graphicsRegisters(model).at(".spi_ps_in_control");
  if (!pixel || !control.exists())
    return;
  uint64_t count = control.numberOr(".num_interps") + control.numberOr(".num_prim_interp");
  for (uint32_t i = 0; i < pixel->insts.size(); ++i) {
    std::optional<unsigned> attribute = attributeOf(pixel->insts[i]);
    if (attribute && pixel->isReached(i) && *attribute >= count)
      return out.report(codeLocation(*pixel, i), "attribute",
                        "it reads attribute " + Twine(*attribute) + ", there are " + Twine(count));
  }
}

static constexpr RuleInfo exportsRules[] = {
    {"MC-11",
     RuleLevel::Error,
     "One export of each kind is marked as the last",
     {EnforcerKind::Hardware, "AMD ISA manuals, EXP: DONE"},
     "A pixel shader that exports colours or depth marks one of these exports as done, the last "
     "vertex stage one of its positions. Code that goes on elsewhere (s_setpc_b64) may do so "
     "there.",
     checkDone,
     RuleScope::Code},
    {"MC-12",
     RuleLevel::Error,
     "A primitive shader requests space before it exports",
     {EnforcerKind::Hardware, "AMD ISA manuals, S_SENDMSG: GS_ALLOC_REQ"},
     "NGG code that exports primitives or positions sends GS_ALLOC_REQ somewhere, unless "
     "'.primgen_passthru_no_msg' is set.",
     checkAllocation,
     RuleScope::Code},
    {"MC-13",
     RuleLevel::Error,
     "A geometry shader without NGG sends GS_DONE",
     {EnforcerKind::Hardware, "AMD ISA manuals, S_SENDMSG: GS_DONE"},
     "It sends GS_DONE somewhere.",
     checkGeometryDone,
     RuleScope::Code},
    {"PS-05",
     RuleLevel::Error,
     "Interpolated attributes exist",
     {EnforcerKind::Hardware, "SPI_PS_IN_CONTROL.NUM_INTERP: so many attributes are put into LDS"},
     "No v_interp or lds_param_load of an attribute that '.num_interps' does not count.",
     checkAttributes,
     RuleScope::Code},
    {"PS-06",
     RuleLevel::Error,
     "Exported colours have a format, and vice versa",
     {EnforcerKind::Hardware, "SPI_SHADER_COL_FORMAT"},
     "Asked only of shaders that export a colour: others may end in a colour export shader, or "
     "have had all of theirs removed. Formats of 16 bits are exported as pairs (compr up to "
     "GFX10), others as whole registers.",
     checkColors,
     RuleScope::Code},
    {"GEO-07",
     RuleLevel::Error,
     "Parameters that are exported are declared",
     {EnforcerKind::Hardware, "SPI_VS_OUT_CONFIG.VS_EXPORT_COUNT: room in the parameter cache"},
     "Up to GFX10; later chips write parameters to memory.",
     checkParameters,
     RuleScope::Code},
};

ArrayRef<RuleInfo> assay::getExportRules() {
  return exportsRules;
}
