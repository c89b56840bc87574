// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every function of corpora/ir/fat-pointers by the own lowering and by LLVM's, on gcn of four
// generations, against the interpreter; and the table of docs/fat-pointers.md that comes of it.
#include "harness/system/fat_pointers/Study.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::fat_pointers;

static constexpr StringRef tableBegin =
    "<!-- table: written by harness/system/fat_pointers/CorpusTest.cpp -->\n";
static constexpr StringRef tableEnd = "<!-- end of table -->\n";
static constexpr const char *targets[] = {"gfx900", "gfx1030", "gfx1100", "gfx1201"};

namespace {
struct Row {
  std::string file;
  std::string function;
  Study own, llvm; ///< The worst of all targets.
};
} // namespace

static bool isFullScale() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full";
}

static std::vector<std::string> listFiles() {
  std::vector<std::string> files;
  std::error_code error;
  for (sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/ir/fat-pointers", error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".ll"))
      files.push_back(it->path());
  EXPECT_FALSE(error) << error.message();
  std::ranges::sort(files);
  return files;
}

/// How bad; of two of a kind the first stays.
static unsigned badness(Treatment treatment) {
  static constexpr unsigned ranks[] = {0, 4, 2, 3, 1};
  return ranks[static_cast<size_t>(treatment)];
}

static Study studyAll(Module &module, StringRef function, bool useLlvmLowering) {
  Study worst{Treatment::Ok, "", 0};
  for (const char *target : targets)
    for (unsigned level : isFullScale() ? std::vector<unsigned>{0, 2} : std::vector<unsigned>{2}) {
      StudyOptions options;
      options.compile.target = cantFail(findTarget(target));
      options.compile.optLevel = level;
      options.compile.useLlvmLowering = useLlvmLowering;
      options.trials = isFullScale() ? 64 : 8;
      // The own lowering may die no more than any code of ours: this test would die with it.
      Study each = useLlvmLowering ? studyInChild(module, function, options)
                                   : study(module, function, options);
      if (badness(each.treatment) > badness(worst.treatment)) {
        worst = std::move(each);
        worst.reason = std::string(target) + ": " + worst.reason;
      }
    }
  return worst;
}

static std::vector<Row> studyFile(const std::string &file) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseIRFile(file, problem, context);
  if (!module) {
    ADD_FAILURE() << file << ": " << problem.getMessage().str();
    return {};
  }
  std::vector<Row> rows;
  for (Function &function : *module)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      rows.push_back({llvm::sys::path::filename(file).str(), function.getName().str(),
                      studyAll(*module, function.getName(), false),
                      studyAll(*module, function.getName(), true)});
  return rows;
}

/// What a cell of a Markdown table can hold of a reason: its first line, shortened, without bars.
static std::string makeCell(StringRef reason) {
  constexpr size_t Length = 100;
  std::string text = reason.split('\n').first.take_front(Length).str();
  std::ranges::replace(text, '|', '/');
  return text;
}

static std::string makeTable(ArrayRef<Row> rows) {
  std::string table =
      "| file | function | own | LLVM's | what LLVM's does |\n| --- | --- | --- | --- | --- |\n";
  for (const Row &row : rows)
    table += "| " + row.file + " | " + row.function + " | " + toString(row.own.treatment).str() +
             " | " + toString(row.llvm.treatment).str() + " | " + makeCell(row.llvm.reason) +
             " |\n";
  return table;
}

/// All of it is one test: the table needs every row. With ASSAY_REWRITE set, it is written.
TEST(FatPointers, CorpusRunsAlikeAndStandsInTheDocumentation) {
  std::vector<Row> rows;
  for (const std::string &file : listFiles())
    append_range(rows, studyFile(file));
  EXPECT_GE(rows.size(), 140u);
  for (const Row &row : rows) {
    EXPECT_TRUE(row.own.treatment == Treatment::Ok)
        << row.file << ", " << row.function << ": " << toString(row.own.treatment).str() << ", "
        << row.own.reason;
  }
  std::string path = ASSAY_SOURCE_DIR "/docs/fat-pointers.md";
  std::string text = cantFail(readFileText(path));
  size_t begin = text.find(tableBegin.str());
  size_t end = text.find(tableEnd.str());
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  begin += tableBegin.size();
  std::string table = makeTable(rows);
  if (std::getenv("ASSAY_REWRITE"))
    return cantFail(writeFile(path, StringRef(text.replace(begin, end - begin, table))));
  if (!isFullScale()) // More trials may find more.
    EXPECT_EQ(text.substr(begin, end - begin), table)
        << "run this program with ASSAY_REWRITE=1 to write the table";
}
