// SPDX-License-Identifier: BSD-3-Clause
// Tables sort by a click on a column's name, and long ones show only the rows that hold a text.
"use strict";

const FEWEST_ROWS_TO_FILTER = 6;

function compare(numeric) {
  if (!numeric) return (one, other) => one.localeCompare(other, "en", { numeric: true });
  return (one, other) => Number(one) - Number(other);
}

// What has no number stands last, whichever the direction.
function sortRows(table, column, descending, numeric) {
  const body = table.tBodies[0];
  const text = (row) => row.cells[column].textContent.trim();
  const order = compare(numeric);
  const known = (row) => !numeric || !Number.isNaN(Number(text(row)));
  const rows = [...body.rows];
  const sorted = rows.filter(known).sort((one, other) => order(text(one), text(other)));
  if (descending) sorted.reverse();
  body.append(...sorted, ...rows.filter((row) => !known(row)));
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortRows(table, column, descending, head.classList.contains("number"));
    });
  });
}

function makeFilterable(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < FEWEST_ROWS_TO_FILTER) return;
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "only rows with ...";
  field.setAttribute("aria-label", "Show only rows with these words");
  const count = document.createElement("output");
  const line = document.createElement("p");
  line.className = "filter";
  line.append(field, " ", count);
  table.parentElement.before(line);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const cells = [...row.cells].map((cell) => cell.textContent.trim().toLowerCase());
      row.hidden = !words.every((word) => cells.some((cell) => cell.includes(word)));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    line.classList.toggle("active", words.length > 0);
  });
}

for (const table of document.querySelectorAll("table")) {
  makeSortable(table);
  makeFilterable(table);
}

// The numbers stand in the page once, as JSON: columns, and rows of values.
// In CSV of all reports a text that a spreadsheet would run as a formula gets an apostrophe.
function asCsv({ columns, data }) {
  const isFormula = (value) => /^[=+\-@]./.test(value) && Number.isNaN(Number(value));
  const shown = (value) => (isFormula(value) ? `'${value}` : value);
  const quoted = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const line = (values) => values.map((value) => quoted(shown(String(value ?? "")))).join(",");
  return [columns, ...data].map(line).join("\n") + "\n";
}

for (const button of document.querySelectorAll("[data-download]")) {
  button.addEventListener("click", () => {
    const kind = button.dataset.download;
    const numbers = document.getElementById("numbers").textContent;
    const text = kind === "csv" ? asCsv(JSON.parse(numbers)) : numbers;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: `text/${kind}` }));
    link.download = `gatherbench.${kind}`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

// A link to what is behind a fold opens it.
window.addEventListener("hashchange", () => {
  const fold = document.querySelector(location.hash)?.closest("details");
  if (fold) {
    fold.open = true;
    document.querySelector(location.hash).scrollIntoView();
  }
});
