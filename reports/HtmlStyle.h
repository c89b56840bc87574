// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The style sheet of the HTML report.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay {

/// Text and background of every state differ by more than 7:1 (WCAG AAA), in light and dark.
constexpr llvm::StringRef htmlStyle = R"css(
:root { color-scheme: light dark; }
body { font-family: system-ui, sans-serif; line-height: 1.5; margin: 0; color: #1a1a1a;
       background: #ffffff; }
main { max-width: 75rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; }
caption { text-align: left; font-style: italic; padding-bottom: 0.25rem; }
th, td { border: 1px solid #767676; padding: 0.25rem 0.5rem; text-align: left;
         vertical-align: top; }
thead th { background: #eeeeee; color: #1a1a1a; }
td.number { text-align: right; }
a { color: #003a8c; }
a:focus-visible, pre:focus-visible, .wide:focus-visible, summary:focus-visible {
  outline: 3px solid #003a8c; outline-offset: 2px; }
.wide { overflow-x: auto; }
pre { overflow-x: auto; background: #f3f3f3; color: #1a1a1a; padding: 0.5rem;
      border: 1px solid #767676; }
dt { font-weight: bold; }
.state { padding: 0 0.35rem; border-radius: 0.2rem; white-space: nowrap; color: #1a1a1a; }
.pass { background: #c9f0cf; }
.fail { background: #ffd0cc; }
.crash { background: #ffc4e1; }
.timeout { background: #ffdfb8; }
.oom { background: #f5d6a8; }
.unsupported { background: #e3e3e3; }
.invalid { background: #e4d4f4; }
.flaky { background: #fff2a8; }
.tool-error { background: #ffc9a8; }
@media (prefers-color-scheme: dark) {
  body { color: #eeeeee; background: #161616; }
  thead th { background: #303030; color: #eeeeee; }
  a { color: #a8cbff; }
  a:focus-visible, pre:focus-visible, .wide:focus-visible, summary:focus-visible {
    outline-color: #a8cbff; }
  pre { background: #242424; color: #eeeeee; }
}
)css";

} // namespace assay
