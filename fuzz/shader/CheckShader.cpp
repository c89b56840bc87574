// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/shader/CheckShader.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "support/Error.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// One in so many inputs is compiled a second time.
static constexpr unsigned ColdEvery = 16;

/// What is wrong with a refusal. It may find the module invalid: spirv-val does not know every
/// rule.
static std::string checkRefusal(const ErrorParts &parts, const char *rule) {
  if (parts.kind != ErrorKind::Environment && parts.kind != ErrorKind::Internal &&
      !parts.message.empty())
    return "";
  return std::string(rule) + ": a refusal that is none: " + parts.message;
}

namespace {
/// What the front-end made of an input: text, or why not.
struct Translation {
  std::string text; ///< LLVM IR; empty after a refusal.
  std::optional<ErrorParts> refusal;
  std::string broken; ///< What a verifier says.
};
} // namespace

/// Translates the compute shader in a new context. \p records chooses the recording builder,
/// otherwise operations are built directly.
static Translation translate(const ShaderInput &input, const spirv::Module &source, bool records) {
  Translation result;
  LLVMContext context;
  DiagnosticCollector diagnostics;
  diagnostics.attach(context);
  std::unique_ptr<Builder> builder =
      records ? createBuilderRecorder(context) : createBuilderImpl(context);
  const PipelineDescription &pipeline = input.pipeline;
  Expected<std::unique_ptr<Module>> module = translateShader(
      pipeline.getShader(ShaderStage::Compute), source, context, *builder, pipeline.robustness);
  if (!module) {
    result.refusal = takeError(module.takeError());
    consumeError(diagnostics.takeFirstError());
    return result;
  }
  if (Error error = diagnostics.takeFirstError())
    result.broken = "a diagnostic: " + takeError(std::move(error)).message;
  raw_string_ostream os(result.broken);
  verifyModule(**module, &os);
  if (Error error = verifyDialect(**module, "lgc.", getLgcOps()))
    os << takeError(std::move(error)).message;
  raw_string_ostream(result.text) << **module;
  return result;
}

/// Translates twice with the recording builder, and once without it. Texts of the two builders
/// differ and are not compared.
std::string fuzz::checkFrontend(ShaderInput input) {
  chooseOptions(input);
  Expected<spirv::Module> source =
      spirv::decode(input.pipeline.getShader(ShaderStage::Compute).spirv);
  if (!source)
    return "FRONTEND-DECODE: " + takeError(source.takeError()).message;
  Translation recorded = translate(input, *source, /*records=*/true);
  Translation again = translate(input, *source, /*records=*/true);
  Translation direct = translate(input, *source, /*records=*/false);
  for (const Translation *each : {&recorded, &direct}) {
    if (!each->broken.empty())
      return "FRONTEND-BROKEN: " + each->broken + "\n" + each->text;
    if (each->refusal)
      if (std::string wrong = checkRefusal(*each->refusal, "FRONTEND-REFUSAL"); !wrong.empty())
        return wrong;
  }
  if (recorded.text != again.text)
    return "FRONTEND-DETERMINISM: the second time, it makes another module";
  if (recorded.refusal.has_value() != direct.refusal.has_value())
    return "FRONTEND-BUILDERS: refused by one builder only: " +
           (recorded.refusal ? recorded.refusal : direct.refusal)->message;
  return "";
}

/// Returns the first error that validate-elf finds; warnings are not wrong.
static std::string checkElf(ArrayRef<uint8_t> elf) {
  Expected<std::vector<Finding>> findings = validateElf(elf, {});
  if (!findings)
    return "COMPILE-ELF: " + takeError(findings.takeError()).message;
  for (const Finding &finding : *findings)
    if (finding.severity == Severity::Error)
      return "COMPILE-ELF: " + finding.rule + ": " + finding.location + ": " + finding.message;
  return "";
}

std::string fuzz::checkCompile(ShaderInput input, Compiler &compiler) {
  CompileOptions options = chooseOptions(input);
  Expected<CompileResult> result = compiler.compile(input.pipeline, options, EmitPhase::Elf);
  if (!result)
    return checkRefusal(takeError(result.takeError()), "COMPILE-REFUSAL");
  if (std::string wrong = checkElf(result->output); !wrong.empty())
    return wrong;
  if (input.choose(24, ColdEvery))
    return "";
  Expected<CompileResult> cold = Compiler().compile(input.pipeline, options, EmitPhase::Elf);
  if (!cold)
    return "COMPILE-DETERMINISM: refused when cold: " + takeError(cold.takeError()).message;
  return cold->output == result->output ? "" : "COMPILE-DETERMINISM: another ELF when cold";
}
