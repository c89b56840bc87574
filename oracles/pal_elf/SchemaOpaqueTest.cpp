// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every key that may be in the metadata is looked at by a rule, or SchemaOpaque.def says why
// not.
#include "oracles/pal_elf/Schema.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;

namespace {

enum class Reason : uint8_t {
#define REASON(NAME, TEXT) NAME,
#include "oracles/pal_elf/SchemaOpaque.def"
};

struct OpaqueRow {
  SchemaName owner;
  StringRef key; ///< Empty: all of them.
  Reason reason;
};

constexpr OpaqueRow opaqueRows[] = {
#define OPAQUE_STRUCT(STRUCT_NAME, REASON_NAME) {SchemaName::STRUCT_NAME, "", Reason::REASON_NAME},
#define OPAQUE(STRUCT_NAME, KEY_NAME, REASON_NAME)                                                 \
  {SchemaName::STRUCT_NAME, KEY_NAME, Reason::REASON_NAME},
#include "oracles/pal_elf/SchemaOpaque.def"
};

} // namespace

/// What rules are made of: Rules*.cpp, and the typed metadata that they read.
static std::string readRuleSources() {
  std::error_code code;
  std::string text = cantFail(readFileText(ASSAY_SOURCE_DIR "/oracles/pal_elf/Metadata.cpp"));
  unsigned files = 0;
  for (sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/oracles/pal_elf/rules", code), end;
       it != end && !code; it.increment(code)) {
    StringRef path = it->path();
    StringRef name = path.substr(path.rfind('/') + 1);
    if (!name.starts_with("Rules") || !name.ends_with(".cpp"))
      continue;
    text += cantFail(readFileText(path));
    ++files;
  }
  EXPECT_GE(files, 10u);
  return text;
}

/// ".clip_dist_ena_3" is also named by ".clip_dist_ena_", to which a rule adds the number.
static bool isNamed(const std::string &sources, StringRef key) {
  StringRef stem = key.take_until([](char c) { return isDigit(c); });
  auto quoted = [](StringRef text) { return ("\"" + text + "\"").str(); };
  return sources.find(quoted(key)) != std::string::npos ||
         (stem.size() != key.size() && sources.find(quoted(stem)) != std::string::npos);
}

static bool isOpaque(const SchemaKey &row) {
  return any_of(opaqueRows, [&](const OpaqueRow &opaque) {
    return opaque.owner == row.owner && (opaque.key.empty() || opaque.key == row.name);
  });
}

TEST(SchemaOpaque, EveryKeyIsLookedAtOrExcused) {
  std::string sources = readRuleSources();
  EXPECT_FALSE(isNamed(sources, ".no_such_key"));
  for (const SchemaKey &row : getSchemaKeys())
    EXPECT_TRUE(isNamed(sources, row.name) || isOpaque(row))
        << row.name.str() << ": no rule names it, and SchemaOpaque.def has no reason why";
}

TEST(SchemaOpaque, ExcusesNothingThatARuleNames) {
  std::string sources = readRuleSources();
  for (const OpaqueRow &row : opaqueRows) {
    if (row.key.empty())
      continue;
    EXPECT_NE(findSchemaKey(row.owner, row.key), nullptr) << row.key.str();
    EXPECT_FALSE(isNamed(sources, row.key)) << row.key.str();
  }
}

TEST(SchemaOpaque, ExcusesNothingTwice) {
  std::set<SchemaName> whole;
  std::set<std::pair<SchemaName, StringRef>> seen;
  for (const OpaqueRow &row : opaqueRows) {
    EXPECT_TRUE(seen.insert({row.owner, row.key}).second) << row.key.str();
    EXPECT_FALSE(!row.key.empty() && whole.count(row.owner)) << row.key.str();
    if (row.key.empty())
      whole.insert(row.owner);
  }
}
