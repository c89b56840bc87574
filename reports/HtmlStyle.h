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
  --text: #1a1f26; --quiet: #4f5965; --back: #f4f5f7; --panel: #ffffff; --head: #eceef1;
  --line: #d5d9df; --frame: #767f8a; --link: #0a4fb3; --bar: #2f6db5;
  --opcode: #0b4f9e; --id: #6d2c91; --number: #8a3b00; --string: #14631f; --comment: #59616b;
  --register: #6d2c91; --label: #8a3b00; --plus: #14631f; --minus: #9c1515;
  --s0: #1f5fa8; --s1: #b34700; --s2: #1b7a38; --s3: #8a2f7d; --s4: #7a5c00; --s5: #0d7377; }
.pass { --solid: #2e9b58; --tint: #d3f2dc; --ink: #08401c; }
.fail { --solid: #cf2f25; --tint: #ffd9d6; --ink: #6d0a05; }
.crash { --solid: #b81f74; --tint: #ffd3e9; --ink: #650a3c; }
.timeout { --solid: #d97b06; --tint: #ffe3bf; --ink: #5a3200; }
.oom { --solid: #96640a; --tint: #f3dfbb; --ink: #4d3300; }
.unsupported { --solid: #8b95a1; --tint: #e6e9ed; --ink: #343c46; }
.invalid { --solid: #7a57c2; --tint: #e7def8; --ink: #3b1d78; }
.flaky { --solid: #c7a505; --tint: #fdf1b0; --ink: #4c3d00; }
.tool-error { --solid: #e0611f; --tint: #ffd9c4; --ink: #662100; }
@media (prefers-color-scheme: dark) {
:root {
  --text: #e6e9ee; --quiet: #aab3bf; --back: #0f1318; --panel: #181d24; --head: #222932;
  --line: #323a45; --frame: #7d8794; --link: #93bdff; --bar: #7fb2ee;
  --opcode: #9cc7ff; --id: #dcb6f5; --number: #ffc08f; --string: #a4dfae; --comment: #a9b2bd;
  --register: #dcb6f5; --label: #ffc08f; --plus: #8fe0a5; --minus: #ffa8a1;
  --s0: #8fbdf5; --s1: #ffb07a; --s2: #8fd8a3; --s3: #eba6e0; --s4: #e6cf70; --s5: #7fd6d9; }
.pass { --solid: #3fae68; --tint: #14361f; --ink: #b4efc4; }
.fail { --solid: #e5584e; --tint: #4d1511; --ink: #ffd2ce; }
.crash { --solid: #d9509a; --tint: #4a1231; --ink: #ffcbe5; }
.timeout { --solid: #e0922e; --tint: #452a05; --ink: #ffdcae; }
.oom { --solid: #b98a3a; --tint: #3a2a0a; --ink: #f1dbb0; }
.unsupported { --solid: #77818d; --tint: #2b323b; --ink: #d5dbe2; }
.invalid { --solid: #9d7fe0; --tint: #2e2152; --ink: #e0d4fb; }
.flaky { --solid: #d5b82c; --tint: #3a3103; --ink: #f8e99a; }
.tool-error { --solid: #ee7d42; --tint: #4a200a; --ink: #ffd3bc; } }
* { box-sizing: border-box; }
body { font: 0.9375rem/1.5 system-ui, sans-serif; margin: 0; color: var(--text);
  background: var(--back); }
main, nav ul { max-width: 96rem; margin: 0 auto; padding: 0.5rem 1rem; }
main { padding-bottom: 3rem; }
main:focus { outline: none; }
code, pre, .m { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.75rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; overflow-wrap: anywhere; }
h3, h4 { font-size: 1rem; overflow-wrap: anywhere; margin: 1.25rem 0 0.25rem; }
p, li, dd { overflow-wrap: anywhere; }
p { margin: 0.5rem 0; }
nav { background: var(--panel); border-bottom: 1px solid var(--line); }
nav ul, ul.jump, ul.key { list-style: none; display: flex; flex-wrap: wrap;
  gap: 0.25rem 1.25rem; margin-top: 0; margin-bottom: 0; }
nav a { display: inline-block; padding: 0.25rem 0; text-decoration: none; }
nav a[aria-current] { font-weight: 600; color: var(--text);
  box-shadow: inset 0 -2px var(--link); }
ul.jump, ul.key { padding: 0; margin: 0.75rem 0; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 0.5rem; top: 0.5rem; background: var(--back); padding: 0.5rem; z-index: 9; }
.quiet { color: var(--quiet); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
.panels { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; margin: 1rem 0; }
@media (min-width: 60rem) { .panels { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 0.5rem;
  padding: 0.75rem 1rem; min-width: 0; }
.panel h2 { margin: 0 0 0.5rem; font-size: 1rem; }
.verdict { font-size: 1.25rem; font-weight: 600; line-height: 1.3; margin: 0 0 0.5rem;
  border-left: 0.375rem solid var(--solid); padding-left: 0.75rem; }
.totals { display: flex; height: 1.25rem; gap: 2px; border-radius: 0.25rem; overflow: hidden; }
.totals span { background: var(--solid); min-width: 4px; flex-basis: 0; }
td .totals { width: 10rem; height: 0.75rem; margin-top: 0.3rem; }
ul.key li { white-space: nowrap; }
ul.key i { display: inline-block; width: 0.75rem; height: 0.75rem; border-radius: 0.15rem;
  background: var(--solid); margin-right: 0.35rem; }
.figures { display: flex; flex-wrap: wrap; gap: 0.25rem 2rem; margin: 0.75rem 0 0; }
.figures div { display: flex; flex-direction: column-reverse; }
.figures dd { font-size: 1.5rem; line-height: 1.2; font-weight: 600;
  font-variant-numeric: tabular-nums; }
table { border-collapse: separate; border-spacing: 0; margin: 0; font-size: 0.875rem; }
caption { text-align: left; color: var(--quiet); padding: 0.25rem 0.6rem; }
th, td { border-bottom: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left;
  vertical-align: top; background: var(--panel); }
tbody:last-child tr:last-child > * { border-bottom: 0; }
tbody th { font-weight: 500; max-width: 34rem; overflow-wrap: anywhere; }
tbody th:not(.number) { min-width: 8rem; }
thead th { background: var(--head); white-space: nowrap; font-weight: 600; }
tbody tr:hover > * { background: var(--head); }
td.date { white-space: nowrap; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
td.text { min-width: 14rem; max-width: 34rem; overflow-wrap: anywhere; }
tr.group th { background: var(--head); font-weight: 600; }
button.sort { font: inherit; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer; text-align: inherit; text-decoration: underline dotted; }
th[aria-sort="ascending"] button::after { content: " \25B2"; }
th[aria-sort="descending"] button::after { content: " \25BC"; }
#filter { margin: 0.75rem 0; }
input[type="search"] { font: inherit; color: var(--text); background: var(--panel);
  max-width: 100%; border: 1px solid var(--frame); border-radius: 0.25rem;
  padding: 0.25rem 0.5rem; }
label.choice { display: inline-block; margin: 0.25rem 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.wide { position: relative; overflow-x: auto; margin: 0.5rem 0 1.5rem; border: 1px solid var(--line);
  border-radius: 0.5rem; background: var(--panel); width: fit-content; max-width: 100%; }
pre { overflow: auto; max-height: 32rem; background: var(--panel); padding: 0.6rem 0.75rem;
  margin: 0; border: 1px solid var(--line); border-radius: 0.5rem; font-size: 0.8125rem;
  line-height: 1.45; tab-size: 8; }
code { font-size: 0.875em; }
pre code { font-size: inherit; }
dl.values { display: grid; grid-template-columns: max-content minmax(0, 1fr);
  gap: 0.15rem 1rem; margin: 0.5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
@media (max-width: 30rem) { dl.values { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dl.values dd { margin-bottom: 0.35rem; } }
.pair { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
@media (min-width: 60rem) { .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
details { margin: 0.75rem 0; }
summary { cursor: pointer; padding: 0.15rem 0; overflow-wrap: anywhere; }
figure { margin: 0.5rem 0 1rem; min-width: 0; }
figcaption { color: var(--quiet); padding-bottom: 0.25rem; }
.pictures { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; }
.pictures img { width: 16rem; max-width: 100%; height: auto; image-rendering: pixelated;
  border: 1px solid var(--line); background: var(--head); display: block; }
.charts { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 2rem; }
@media (min-width: 60rem) { .charts { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
svg.chart { width: 100%; max-width: 44rem; height: auto; }
svg text { fill: var(--text); font-size: 15px; }
@media (max-width: 40rem) { svg.chart text { font-size: 19px; } }
svg .axis { stroke: var(--frame); fill: none; }
svg .bar { fill: var(--bar); }
svg .line { fill: none; stroke-width: 2.5; }
svg.spark { vertical-align: middle; }
.s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); stroke-dasharray: 9 4; }
.s2 { stroke: var(--s2); stroke-dasharray: 2 3; } .s3 { stroke: var(--s3); stroke-dasharray: 12 3 3 3; }
.s4 { stroke: var(--s4); stroke-dasharray: 5 5; } .s5 { stroke: var(--s5); stroke-dasharray: 14 6; }
ul.legend { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap;
  gap: 0 1.25rem; }
.better { color: var(--plus); } .worse { color: var(--minus); }
.best, .worst { font-weight: 700; }
.best::before { content: "\25BC\A0"; font-size: 0.7em; }
.worst::before { content: "\25B2\A0"; font-size: 0.7em; }
.best { color: var(--plus); } .worst { color: var(--minus); }
.ratio { color: var(--quiet); font-size: 0.85em; display: inline-block; min-width: 3.6em; }
.t-opcode { color: var(--opcode); font-weight: bold; } .t-id { color: var(--id); }
.t-number { color: var(--number); } .t-string { color: var(--string); }
.t-comment { color: var(--comment); font-style: italic; } .t-register { color: var(--register); }
.t-label { color: var(--label); font-weight: bold; } .t-directive { color: var(--comment); }
.t-plus { color: var(--plus); } .t-minus { color: var(--minus); } .t-place { color: var(--id); }
.state { padding: 0.05rem 0.45rem; border-radius: 0.25rem; white-space: nowrap;
  color: var(--ink); background: var(--tint); }
a .state { text-decoration: underline; }
.matrix { overflow: auto; max-height: 85vh; }
.matrix thead { position: sticky; top: 0; z-index: 2; }
.matrix thead th, .matrix thead td { text-align: center; font-size: 0.75rem; padding: 0.2rem 0.3rem;
  background: var(--head); border-left: 1px solid var(--line); vertical-align: bottom; }
.matrix tr > :first-child { position: sticky; left: 0; z-index: 1; border-left: 0;
  border-right: 1px solid var(--line); text-align: left; }
.matrix tbody th { padding: 0.1rem 0.6rem; min-width: 9rem; max-width: 22rem; vertical-align: middle; }
.matrix tbody td { padding: 1px; text-align: center; vertical-align: middle; white-space: nowrap; }
.matrix tr.group th { border-right: 0; padding: 0.25rem 0.6rem; }
.matrix tr.group th > span { position: sticky; left: 0.6rem; display: inline-block; }
.m { display: inline-block; min-width: 1.75rem; line-height: 1.5rem; border-radius: 0.2rem;
  text-align: center; text-decoration: none; font-weight: 600; color: var(--ink);
  background: var(--tint); }
a.m:hover { box-shadow: inset 0 0 0 2px var(--solid); }
#only:checked ~ .matrix tr.well, #only:checked ~ .matrix tbody.well { display: none; }
@media (max-width: 40rem) { .matrix tbody th { max-width: 9.5rem; font-size: 0.8125rem; }
  .panel { padding: 0.6rem 0.75rem; } }
@media print { .matrix { max-height: none; } nav, .skip, #filter { display: none; } }
)css";

} // namespace assay
