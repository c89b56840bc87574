// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Job.h"

#include "harness/run/FatPointerJobs.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include <concepts>

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

namespace {
enum class Presence { Required, Optional }; // JobFields.def
} // namespace

/// Writes one field of a job. There is a write() and a read() for each type of JobFields.def.
static void write(json::OStream &json, StringRef key, const std::string &text) {
  writeTextAttribute(json, key, text);
}

static void write(json::OStream &json, StringRef key, const std::vector<std::string> &texts) {
  writeTextsAttribute(json, key, texts);
}

template <std::integral T> static void write(json::OStream &json, StringRef key, T number) {
  if constexpr (std::is_signed_v<T>)
    json.attribute(key, int64_t(number));
  else
    json.attribute(key, uint64_t(number));
}

static void write(json::OStream &json, StringRef key, PalVersion version) {
  writeTextAttribute(json, key, getPalVersionName(version));
}

static void write(json::OStream &json, StringRef key, const JobSchedule &schedule) {
  writeTextsAttribute(json, key, printSchedule(schedule, /*all=*/true));
}

static void write(json::OStream &json, StringRef key, const JobPasses &passes) {
  writeTextsAttribute(json, key, printPasses(passes));
}

/// Leaves out optional fields that have their default.
std::string assay::printJob(const Job &job) {
  const Job unset;
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.job/1");
    json.attribute("kind", jobKindNames[static_cast<size_t>(job.kind)]);
#define FIELD(key, member, presence)                                                               \
  if (Presence::presence == Presence::Required || job.member != unset.member)                      \
    write(json, key, job.member);
#include "harness/run/JobFields.def"
  });
  json.flush();
  os << "\n";
  return text;
}

static void read(JsonFields &fields, StringRef key, std::string &text) {
  fields.read(key, text);
}

static void read(JsonFields &fields, StringRef key, std::vector<std::string> &texts) {
  fields.read(key, texts);
}

template <std::integral T> static void read(JsonFields &fields, StringRef key, T &number) {
  fields.readNumber(key, number);
}

static void read(JsonFields &fields, StringRef key, PalVersion &version) {
  std::string name;
  fields.read(key, name);
  if (std::optional<PalVersion> known = parsePalVersion(name))
    version = *known;
  else
    fields.fail("has the unknown version of metadata '" + name + "'");
}

/// What the words of \p key are by \p parse.
template <typename T>
static void readWords(JsonFields &fields, StringRef key, T &value,
                      Expected<T> (*parse)(ArrayRef<std::string>)) {
  std::vector<std::string> words;
  fields.read(key, words);
  if (Expected<T> parsed = parse(words))
    value = std::move(*parsed);
  else
    fields.fail("has in '" + key + "': " + toString(parsed.takeError()));
}

static void read(JsonFields &fields, StringRef key, JobSchedule &schedule) {
  readWords(fields, key, schedule, parseSchedule);
}

static void read(JsonFields &fields, StringRef key, JobPasses &passes) {
  readWords(fields, key, passes, parsePasses);
}

/// \p folder is where the job's files are. InvalidInput for another schema, an unknown kind and
/// malformed fields.
Expected<Job> assay::parseJob(StringRef text, StringRef folder) {
  Expected<json::Value> value = parseJson(text, "job");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "job");
  Job job;
  std::string schema, kind;
  fields.read("schema", schema);
  fields.read("kind", kind);
#define FIELD(key, member, presence)                                                               \
  if (Presence::presence == Presence::Required || fields.find(key))                                \
    read(fields, key, job.member);
#include "harness/run/JobFields.def"
  if (schema != "assay.job/1")
    fields.fail("has schema '" + schema + "', this build reads assay.job/1");
  const auto *kindName = find(jobKindNames, kind);
  if (kindName == std::end(jobKindNames))
    fields.fail("has the unknown kind '" + kind + "'");
  if (Error error = fields.takeError())
    return std::move(error);
  job.kind = static_cast<JobKind>(kindName - std::begin(jobKindNames));
  job.folder = folder.str();
  return std::move(job);
}

/// Takes over the configuration of the job. The wave size of a reference run is its subgroup size.
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

/// The file that a worker writes last.
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

/// InvalidInput for another schema, and for a file without verdict.
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
