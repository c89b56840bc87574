// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostic.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(Diagnostic, PrintsOnlyWhatIsKnown) {
  Diagnostic diagnostic{Severity::Error, "bad-operand", "operand 3 is no id", {"a.spv", 0, 12, 0}};
  EXPECT_EQ(formatDiagnostic(diagnostic), "a.spv:%12: error: operand 3 is no id [bad-operand]");
  EXPECT_EQ(formatDiagnostic({Severity::Note, "", "x", {}}), "note: x");
}

TEST(DiagnosticList, KeepsOrder) {
  DiagnosticList list;
  list.consume({Severity::Error, "a", "", {}});
  list.consume({Severity::Error, "b", "", {}});
  ASSERT_EQ(list.get().size(), 2u);
  EXPECT_EQ(list.get()[1].id, "b");
}
