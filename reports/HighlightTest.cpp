// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/Highlight.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static std::string highlight(StringRef text, Language language) {
  std::string html;
  raw_string_ostream os(html);
  writeHighlighted(os, text, language);
  return html;
}

static std::string stripTags(StringRef html) {
  std::string text;
  bool isTag = false;
  for (char c : html) {
    isTag |= c == '<';
    if (!isTag)
      text += c;
    isTag &= c != '>';
  }
  return text;
}

TEST(Highlight, MarksTokensOfEachLanguage) {
  EXPECT_EQ(highlight("%1 = OpConstant %int 7 ; x", Language::Spirv),
            "<span class=\"t-id\">%1</span> = <span class=\"t-opcode\">OpConstant</span> "
            "<span class=\"t-id\">%int</span> <span class=\"t-number\">7</span> "
            "<span class=\"t-comment\">; x</span>");
  EXPECT_EQ(
      highlight("\ts_load_dwordx4 s[0:3], v12, off\nBB0_1:", Language::Isa),
      "\t<span class=\"t-opcode\">s_load_dwordx4</span> <span class=\"t-register\">s[0:3]"
      "</span>, <span class=\"t-register\">v12</span>, <span class=\"t-register\">off</span>\n"
      "<span class=\"t-label\">BB0_1:</span>");
  EXPECT_EQ(highlight("%8 = call @f(i32 7)", Language::Llvm),
            "<span class=\"t-id\">%8</span> = call <span class=\"t-id\">@f</span>(i32 "
            "<span class=\"t-number\">7</span>)");
  EXPECT_EQ(highlight("-a\n+b\n c", Language::Diff),
            "<span class=\"t-minus\">-a</span>\n<span class=\"t-plus\">+b</span>\n c");
  EXPECT_EQ(highlight("# x\nBUFFER b \"s\" // y", Language::Amber),
            "<span class=\"t-comment\"># x</span>\n<span class=\"t-label\">BUFFER</span> b "
            "<span class=\"t-string\">&quot;s&quot;</span> <span class=\"t-comment\">// y</span>");
}

TEST(Highlight, LosesNothingOfAnyText) {
  const StringRef texts[] = {
      "",         "\n",       "a<b>&\"unfinished",     "%", "-", "Op", "s[", "v", "\"\\", "//", "#",
      "x.y:z\t;", "\"a\nb\"", "OpName %x \"<script>\""};
  for (Language language : {Language::Plain, Language::Spirv, Language::Isa, Language::Amber,
                            Language::Llvm, Language::Diff})
    for (StringRef text : texts)
      EXPECT_EQ(stripTags(highlight(text, language)), stripTags(highlight(text, Language::Plain)))
          << text.str();
}
