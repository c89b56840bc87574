// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Job.h"

#include "harness/run/FatPointerJobs.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// In the order of JobKind.
static constexpr StringLiteral jobKindNames[] = {"compile", "run", "validate", "fat-pointers",
                                                 "hash-chains"};

Job assay::makeCompileJob(Job job, StringRef phase) {
  job.kind = JobKind::Compile;
  job.phase = phase.str();
  return job;
}

std::string assay::printJob(const Job &job) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.job/1");
    json.attribute("kind", jobKindNames[static_cast<size_t>(job.kind)]);
    writeTextAttribute(json, "case_path", job.casePath);
    writeTextAttribute(json, "case_id", job.caseId);
    if (!job.spirvEnv.empty())
      writeTextAttribute(json, "spirv_env", job.spirvEnv);
    writeTextAttribute(json, "compiler", job.compiler);
    writeTextsAttribute(json, "command", job.command);
    writeTextAttribute(json, "machine", job.machine);
    writeTextAttribute(json, "target", job.target);
    json.attribute("opt_level", job.optLevel);
    json.attribute("wave_size", job.waveSize);
    json.attribute("subgroup_size", job.subgroupSize);
    json.attribute("use_llvm_lowering", uint64_t(job.useLlvmLowering));
    if (job.palVersion != PalVersion::V3_0)
      writeTextAttribute(json, "pal_version", getPalVersionName(job.palVersion));
    json.attribute("seed", job.seed);
    writeTextsAttribute(json, "plants", job.plants);
    json.attribute("compare", uint64_t(job.compare));
    writeTextAttribute(json, "reference_file", job.referenceFile);
    writeTextAttribute(json, "reference_note", job.referenceNote);
    json.attribute("own_reference", uint64_t(job.ownReference));
    json.attribute("keep_outcome", uint64_t(job.keepOutcome));
    json.attribute("list_buffers", uint64_t(job.listBuffers));
    if (!job.pictureFolder.empty())
      writeTextAttribute(json, "picture_folder", job.pictureFolder);
    json.attribute("score", uint64_t(job.score));
    if (!job.judgedBuffer.empty())
      writeTextAttribute(json, "judged_buffer", job.judgedBuffer);
    json.attribute("checks_lowering", uint64_t(job.checksLowering));
    if (job.twice)
      json.attribute("twice", uint64_t(job.twice));
    if (job.detour)
      json.attribute("detour", uint64_t(job.detour));
    if (!job.elfFile.empty())
      writeTextAttribute(json, "elf_file", job.elfFile);
    writeTextAttribute(json, "phase", job.phase);
    writeTextAttribute(json, "entry_point", job.entryPoint);
    writeTextsAttribute(json, "files", job.files);
    writeTextsAttribute(json, "rule_options", job.ruleOptions);
    writeTextsAttribute(json, "schedule", printSchedule(job.schedule, /*all=*/true));
    if (job.passes != JobPasses())
      writeTextsAttribute(json, "passes", printPasses(job.passes));
    if (!job.cacheFolder.empty()) {
      writeTextAttribute(json, "cache_folder", job.cacheFolder);
      writeTextAttribute(json, "cache_policy", job.cachePolicy);
      json.attribute("checks_cache", uint64_t(job.checksCache));
    }
    json.attribute("timeout_ms", job.limits.timeoutMs);
    json.attribute("memory_bytes", job.limits.memoryBytes);
    json.attribute("file_bytes", job.limits.fileBytes);
    json.attribute("max_instructions", job.limits.maxInstructions);
    writeTextAttribute(json, "rerun", job.rerun);
  });
  json.flush();
  os << "\n";
  return text;
}

Expected<Job> assay::parseJob(StringRef text, StringRef folder) {
  Expected<json::Value> value = parseJson(text, "job");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "job");
  Job job;
  std::string schema, kind;
  fields.read("schema", schema);
  fields.read("kind", kind);
  fields.read("case_path", job.casePath);
  fields.read("case_id", job.caseId);
  fields.readIfThere("spirv_env", job.spirvEnv);
  fields.read("compiler", job.compiler);
  fields.read("command", job.command);
  fields.read("machine", job.machine);
  fields.read("target", job.target);
  fields.readNumber("opt_level", job.optLevel);
  fields.readNumber("wave_size", job.waveSize);
  fields.readNumber("subgroup_size", job.subgroupSize);
  fields.readNumber("use_llvm_lowering", job.useLlvmLowering);
  std::string palVersion = getPalVersionName(job.palVersion).str();
  fields.readIfThere("pal_version", palVersion);
  fields.readNumber("seed", job.seed);
  fields.read("plants", job.plants);
  fields.readNumber("compare", job.compare);
  fields.read("reference_file", job.referenceFile);
  fields.read("reference_note", job.referenceNote);
  fields.readNumber("own_reference", job.ownReference);
  fields.readNumber("keep_outcome", job.keepOutcome);
  fields.readNumber("list_buffers", job.listBuffers);
  fields.readIfThere("picture_folder", job.pictureFolder);
  fields.readNumber("score", job.score);
  fields.readIfThere("judged_buffer", job.judgedBuffer);
  if (fields.find("checks_lowering")) // Predicates of older bundles lack it.
    fields.readNumber("checks_lowering", job.checksLowering);
  if (fields.find("twice"))
    fields.readNumber("twice", job.twice);
  if (fields.find("detour"))
    fields.readNumber("detour", job.detour);
  fields.readIfThere("elf_file", job.elfFile);
  fields.read("phase", job.phase);
  fields.read("entry_point", job.entryPoint);
  fields.read("files", job.files);
  fields.read("rule_options", job.ruleOptions);
  std::vector<std::string> schedule;
  fields.read("schedule", schedule);
  std::vector<std::string> passes;
  if (fields.find("passes"))
    fields.read("passes", passes);
  fields.readIfThere("cache_folder", job.cacheFolder);
  fields.readIfThere("cache_policy", job.cachePolicy);
  if (fields.find("checks_cache"))
    fields.readNumber("checks_cache", job.checksCache);
  fields.readNumber("timeout_ms", job.limits.timeoutMs);
  fields.readNumber("memory_bytes", job.limits.memoryBytes);
  fields.readNumber("file_bytes", job.limits.fileBytes);
  fields.readNumber("max_instructions", job.limits.maxInstructions);
  fields.read("rerun", job.rerun);
  if (std::optional<PalVersion> version = parsePalVersion(palVersion))
    job.palVersion = *version;
  else
    fields.fail("has the unknown version of metadata '" + palVersion + "'");
  if (schema != "assay.job/1")
    fields.fail("has schema '" + schema + "', this build reads assay.job/1");
  const auto *kindName = find(jobKindNames, kind);
  if (kindName == std::end(jobKindNames))
    fields.fail("has the unknown kind '" + kind + "'");
  if (Error error = fields.takeError())
    return std::move(error);
  Expected<JobSchedule> parsed = parseSchedule(schedule);
  if (!parsed)
    return addContext(parsed.takeError(), "job");
  job.schedule = std::move(*parsed);
  Expected<JobPasses> control = parsePasses(passes);
  if (!control)
    return addContext(control.takeError(), "job");
  job.passes = *control;
  job.kind = static_cast<JobKind>(kindName - std::begin(jobKindNames));
  job.folder = folder.str();
  return std::move(job);
}

Verdict assay::makeVerdict(const Job &job, State state, std::string reason) {
  Verdict verdict;
  verdict.caseId = job.caseId;
  verdict.compiler = job.compiler;
  verdict.machine = job.machine;
  verdict.target = job.target;
  verdict.optLevel = job.optLevel;
  verdict.waveSize = machineOf(job.machine).isReference ? job.subgroupSize : job.waveSize;
  if (job.useLlvmLowering)
    verdict.lowering = loweringName(FatLowering::Llvm);
  verdict.state = state;
  verdict.reason = std::move(reason);
  verdict.rerun = job.rerun;
  return verdict;
}

std::string assay::printResult(const Verdict &verdict) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.result/1");
    json.attributeBegin("verdict");
    writeVerdict(json, verdict);
    json.attributeEnd();
  });
  json.flush();
  os << "\n";
  return text;
}

Expected<Verdict> assay::parseResult(StringRef text) {
  Expected<json::Value> value = parseJson(text, "result");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "result");
  std::string schema;
  fields.read("schema", schema);
  if (schema != "assay.result/1")
    fields.fail("has schema '" + schema + "', this build reads assay.result/1");
  const json::Value *verdict = fields.find("verdict");
  if (!verdict)
    fields.fail("lacks the verdict");
  if (Error error = fields.takeError())
    return std::move(error);
  return readVerdict(*verdict);
}
