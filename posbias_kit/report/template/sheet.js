"use strict";
const body = document.querySelector("tbody");
const heads = [...document.querySelectorAll("thead th")];

function compare(one, other) {
  return one.localeCompare(other, "en", { numeric: true });
}

function sortBy(head, column) {
  const down = head.getAttribute("aria-sort") === "ascending";
  const rows = [...body.rows].map((row) => [row.cells[column].textContent, row]);
  rows.sort((one, other) => (down ? -1 : 1) * compare(one[0], other[0]));
  body.append(...rows.map(([, row]) => row));
  for (const other of heads) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
}

heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => sortBy(head, column)));
