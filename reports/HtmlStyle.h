// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The style sheet of all HTML pages.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay {

constexpr llvm::StringRef styleFile = "style.css";

/// Text and background of every state differ by more than 7:1 (WCAG AAA), in light and dark; all
/// other text by more than 4.5:1 (AA).
constexpr llvm::StringRef htmlStyle = R"css(
:root { color-scheme: light dark;
  --text: #1a1a1a; --quiet: #505050; --back: #ffffff; --head: #eeeeee; --box: #f5f5f5;
  --line: #767676; --link: #003a8c; --bar: #2f6db5;
  --opcode: #0b4f9e; --id: #6d2c91; --number: #8a3b00; --string: #14631f; --comment: #595959;
  --register: #6d2c91; --label: #8a3b00; --plus: #14631f; --minus: #9c1515;
  --s0: #1f5fa8; --s1: #b34700; --s2: #1b7a38; --s3: #8a2f7d; --s4: #7a5c00; --s5: #0d7377; }
@media (prefers-color-scheme: dark) { :root {
  --text: #eeeeee; --quiet: #bdbdbd; --back: #161616; --head: #303030; --box: #212121;
  --line: #8c8c8c; --link: #a8cbff; --bar: #7fb2ee;
  --opcode: #9cc7ff; --id: #dcb6f5; --number: #ffc08f; --string: #a4dfae; --comment: #b5b5b5;
  --register: #dcb6f5; --label: #ffc08f; --plus: #a4dfae; --minus: #ffaca6;
  --s0: #8fbdf5; --s1: #ffb07a; --s2: #8fd8a3; --s3: #eba6e0; --s4: #e6cf70; --s5: #7fd6d9; } }
body { font-family: system-ui, sans-serif; line-height: 1.5; margin: 0; color: var(--text);
       background: var(--back); }
main, nav { max-width: 90rem; margin: 0 auto; padding: 0.5rem 1rem; }
main:focus { outline: none; }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 1.75rem 0 0.5rem; overflow-wrap: anywhere; }
h3, h4 { overflow-wrap: anywhere; margin: 1rem 0 0.25rem; }
p, li, dd { overflow-wrap: anywhere; }
nav ul, ul.jump { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem;
  margin: 0; padding: 0; }
nav { border-bottom: 1px solid var(--line); }
nav a[aria-current] { font-weight: bold; text-decoration: none; color: var(--text); }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 0.5rem; top: 0.5rem; background: var(--back); padding: 0.5rem; z-index: 1; }
.quiet { color: var(--quiet); }
table { border-collapse: collapse; margin: 0; }
caption { text-align: left; color: var(--quiet); padding-bottom: 0.25rem; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.5rem; text-align: left;
         vertical-align: top; }
tbody th { font-weight: normal; min-width: 8rem; max-width: 34rem; overflow-wrap: anywhere; }
thead th { background: var(--head); white-space: nowrap; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
td.text { min-width: 14rem; max-width: 34rem; overflow-wrap: anywhere; }
button.sort { font: inherit; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer; text-align: inherit; text-decoration: underline dotted; }
th[aria-sort="ascending"] button::after { content: " \25B2"; }
th[aria-sort="descending"] button::after { content: " \25BC"; }
#filter { margin: 0.75rem 0; }
input { font: inherit; color: var(--text); background: var(--back); max-width: 100%;
  box-sizing: border-box; border: 1px solid var(--line); padding: 0.25rem 0.5rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.wide { overflow-x: auto; margin: 0.5rem 0 1.5rem; }
pre { overflow: auto; max-height: 32rem; background: var(--box); padding: 0.5rem; margin: 0;
      border: 1px solid var(--line); font-size: 0.85rem; line-height: 1.4; tab-size: 8; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.1rem 1rem;
  margin: 0.5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
@media (min-width: 60rem) { .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
details { margin: 0.75rem 0; }
figure { margin: 0.5rem 0 1rem; min-width: 0; }
figcaption { color: var(--quiet); padding-bottom: 0.25rem; }
.charts { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 2rem; }
@media (min-width: 60rem) { .charts { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
svg.chart { width: 100%; max-width: 44rem; height: auto; }
svg text { fill: var(--text); font-size: 15px; }
@media (max-width: 40rem) { svg.chart text { font-size: 19px; } }
svg .axis { stroke: var(--line); fill: none; }
svg .bar { fill: var(--bar); }
svg .line { fill: none; stroke-width: 2.5; }
svg.spark { vertical-align: middle; }
.s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); stroke-dasharray: 9 4; }
.s2 { stroke: var(--s2); stroke-dasharray: 2 3; } .s3 { stroke: var(--s3); stroke-dasharray: 12 3 3 3; }
.s4 { stroke: var(--s4); stroke-dasharray: 5 5; } .s5 { stroke: var(--s5); stroke-dasharray: 14 6; }
ul.legend { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap;
  gap: 0 1.25rem; }
.better { color: var(--plus); } .worse { color: var(--minus); }
.t-opcode { color: var(--opcode); font-weight: bold; } .t-id { color: var(--id); }
.t-number { color: var(--number); } .t-string { color: var(--string); }
.t-comment { color: var(--comment); font-style: italic; } .t-register { color: var(--register); }
.t-label { color: var(--label); font-weight: bold; } .t-directive { color: var(--comment); }
.t-plus { color: var(--plus); } .t-minus { color: var(--minus); } .t-place { color: var(--id); }
.state { padding: 0 0.35rem; border-radius: 0.2rem; white-space: nowrap; color: #1a1a1a; }
a .state { text-decoration: underline; }
.pass { background: #c9f0cf; }
.fail { background: #ffd0cc; }
.crash { background: #ffc4e1; }
.timeout { background: #ffdfb8; }
.oom { background: #f5d6a8; }
.unsupported { background: #e3e3e3; }
.invalid { background: #e4d4f4; }
.flaky { background: #fff2a8; }
.tool-error { background: #ffc9a8; }
)css";

} // namespace assay
