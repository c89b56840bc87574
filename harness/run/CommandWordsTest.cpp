// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/CommandWords.h"

#include "support/Error.h"
#include "gtest/gtest.h"

using namespace assay;

/// What is wrong with \p words as a compiler; "" when nothing is.
static std::string explain(std::vector<std::string> words,
                           llvm::ArrayRef<llvm::StringLiteral> known = compilerPlaceholders) {
  llvm::Error error = verifyCommandWords(words, known);
  return error ? takeError(std::move(error)).message : "";
}

TEST(CommandWords, TakesWhatNamesItsOutput) {
  EXPECT_EQ(explain({"cp", "s.elf", "{out}"}), "");
  EXPECT_EQ(explain({"cc", "-O{opt}", "-mcpu={target}", "{wave}", "{entry}", "{in}", "-o{out}"}),
            "");
  EXPECT_EQ(explain({"sh", "-c", "awk '{print}' {in} > {out}"}), "");
  EXPECT_EQ(explain({"cc", "${HOME}/x", "{}", "{1}", "{out}"}), "");
}

TEST(CommandWords, RefusesWhatWritesNothing) {
  EXPECT_NE(explain({}).find("a command is missing after --"), std::string::npos);
  EXPECT_NE(explain({"cp", "{in}", "out"}).find("no {out}"), std::string::npos);
}

TEST(CommandWords, RefusesUnknownNames) {
  EXPECT_NE(explain({"cp", "s.elf", "{ouf}", "{out}"}).find("has {ouf}; known are {in} {out}"),
            std::string::npos);
  EXPECT_NE(explain({"cc", "-x{in}{oPt}", "{out}"}).find("{oPt}"), std::string::npos);
  EXPECT_EQ(explain({"opt", "{entry}", "{out}"}, loweringPlaceholders),
            "the command after -- has {entry}; known are {in} {out} {target}");
}
