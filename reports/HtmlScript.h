// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The script of the HTML pages. They say everything without it; it makes columns sortable and adds
// a field that filters rows.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay {

constexpr llvm::StringRef scriptFile = "report.js";

constexpr llvm::StringRef htmlScript = R"js(// Columns that sort, and a field that filters rows.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) continue;
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    const key = (row) => row.cells[column].dataset.key ?? row.cells[column].textContent.trim();
    const isNumber = head.classList.contains("number");
    // What is not a number stands below all that are.
    const number = (row) => {
      const value = Number.parseFloat(key(row));
      return Number.isNaN(value) ? -Infinity : value;
    };
    const compareNumbers = (a, b) => (a > b) - (a < b);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const compare = (a, b) => isNumber ? compareNumbers(number(a), number(b))
                                         : key(a).localeCompare(key(b));
      body.append(...[...body.rows].sort((a, b) => down ? compare(b, a) : compare(a, b)));
    });
  });
}
const place = document.getElementById("filter");
if (place) {
  const label = document.createElement("label");
  const field = document.createElement("input");
  const said = document.createElement("output");
  field.type = "search";
  label.append("Filter rows: ", field);
  place.append(label, " ", said);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    let shown = 0, all = 0;
    for (const body of document.querySelectorAll("table.sortable tbody, .matrix tbody")) {
      let inBody = 0;
      for (const row of body.querySelectorAll("tr:not(.group)")) {
        const text = `${row.textContent} ${row.dataset.words ?? ""}`.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        inBody += !row.hidden;
        ++all;
      }
      for (const head of body.querySelectorAll("tr.group")) head.hidden = !inBody;
      shown += inBody;
    }
    said.textContent = field.value ? `${shown} of ${all} rows` : "";
  });
}
)js";

} // namespace assay
