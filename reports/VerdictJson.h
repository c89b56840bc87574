// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts and findings as JSON, both ways: in reports, and in the result file of a worker.
#pragma once

#include "oracles/api/Verdict.h"
#include "reports/Report.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace assay {

class JsonFields;

/// Writes \p verdict as one JSON object, keys in a fixed order. \p known: Report::knownAs().
void writeVerdict(llvm::json::OStream &json, const Verdict &verdict, llvm::StringRef known = "");

/// The reverse. InvalidInput for anything writeVerdict would not have written.
llvm::Expected<Verdict> readVerdict(const llvm::json::Value &value);

/// The buffers of one case as a JSON array, and back. InvalidInput for another shape.
void writeBuffers(llvm::json::OStream &json, llvm::ArrayRef<BufferListing> buffers);
llvm::Expected<std::vector<BufferListing>> readBuffers(const llvm::json::Value &value);

/// Writes the attribute "counts", a number for each state, and reads it.
void writeCounts(llvm::json::OStream &json, const Counts &counts);
void readCounts(JsonFields &fields, Counts &counts);

/// Writes the attributes "schema" and "counts", the first two of every JSON result.
void writeHeader(llvm::json::OStream &json, llvm::StringRef verb, const Counts &counts);

/// The reverse of a whole JSON report. InvalidInput for another schema; a newer one is named.
llvm::Expected<Report> readJsonReport(llvm::StringRef text);

} // namespace assay
