// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/Script.h"

#include "fuzz/transform/Pipeline.h"
#include "oracles/input/AmberWriter.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace llvm;

namespace assay::fuzz {

static Expected<TransformedScript>
change(StringRef text, StringRef path,
       function_ref<Expected<TransformedInput>(const Case &)> transform) {
  Expected<Case> input = readCaseFromText(text, path, path);
  if (!input)
    return input.takeError();
  if (input->pipelines.empty())
    return unsupported("a case without a pipeline");
  Expected<TransformedInput> transformed = transform(*input);
  if (!transformed)
    return transformed.takeError();
  Expected<std::string> written = writeAmber(transformed->result);
  if (!written)
    return written.takeError();
  return TransformedScript{std::move(*written), std::move(transformed->log)};
}

Expected<TransformedScript> transformScript(StringRef text, StringRef path,
                                            const TransformOptions &options) {
  return change(text, path,
                [&](const Case &input) { return transformPipeline(input, 0, options); });
}

Expected<TransformedScript> replayScript(StringRef text, StringRef path,
                                         const TransformationLog &log) {
  return change(text, path, [&](const Case &input) { return replayPipeline(input, 0, log); });
}

} // namespace assay::fuzz
