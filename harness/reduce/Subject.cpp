// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Subject.h"

#include "compiler/spirv/Module.h"
#include "fuzz/reduce/Reduction.h"
#include "oracles/input/CaseReader.h"
#include "oracles/input/amber/AmberWriter.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Decodes all modules. Errors are those of readSubject() after reading.
static Expected<Subject> makeSubject(Case input) {
  if (!input.unsupported.empty())
    return unsupported(input.unsupported.front().reason);
  if (input.pipelines.empty())
    return invalidInput("the case has no shader to reduce");
  Subject subject;
  for (const CasePipeline &pipeline : input.pipelines)
    for (const ShaderDescription &shader : pipeline.description.stages) {
      Expected<fuzz::Program> program = fuzz::decode(shader.spirv);
      if (!program)
        return addContext(program.takeError(), "pipeline " + pipeline.name);
      subject.programs.push_back(std::move(*program));
    }
  subject.input = std::move(input);
  return std::move(subject);
}

/// The number of the first program of pipeline \p number.
static size_t findFirst(const Subject &subject, size_t number) {
  size_t first = 0;
  for (const CasePipeline &pipeline : ArrayRef(subject.input.pipelines).take_front(number))
    first += pipeline.description.stages.size();
  return first;
}

MutableArrayRef<fuzz::Program> assay::programsOf(Subject &subject, size_t number) {
  return MutableArrayRef(subject.programs)
      .slice(findFirst(subject, number), subject.input.pipelines[number].description.stages.size());
}

ArrayRef<fuzz::Program> assay::programsOf(const Subject &subject, size_t number) {
  return ArrayRef(subject.programs)
      .slice(findFirst(subject, number), subject.input.pipelines[number].description.stages.size());
}

Expected<Subject> assay::readSubject(const CaseFile &file) {
  Expected<ReadOptions> options = makeReadOptions(file.spirvEnv);
  if (!options)
    return options.takeError();
  Expected<Case> input = readCase(file.path, file.id, *options);
  if (!input)
    return input.takeError();
  return makeSubject(std::move(*input));
}

Expected<Subject> assay::readSubjectFromText(StringRef text) {
  Expected<Case> input = readCaseFromText(text, "case.amber", "case.amber");
  if (!input)
    return input.takeError();
  return makeSubject(std::move(*input));
}

Expected<std::string> assay::printSubject(const Subject &subject) {
  Case input = subject.input;
  for (auto [number, pipeline] : enumerate(input.pipelines))
    for (auto [shader, program] :
         zip_equal(pipeline.description.stages, programsOf(subject, number))) {
      shader.spirv = fuzz::encode(program);
      if (Error error = spirv::validate(shader.spirv))
        return std::move(error);
    }
  return writeAmber(input);
}

Error assay::writeModule(const std::string &path, ArrayRef<uint32_t> words) {
  return writeFile(path,
                   ArrayRef(reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4));
}

size_t assay::countInstructions(const Subject &subject) {
  size_t count = 0;
  for (const fuzz::Program &program : subject.programs)
    count += fuzz::countInstructions(program);
  return count;
}
