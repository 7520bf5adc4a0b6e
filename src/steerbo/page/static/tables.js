// Tables are sorted by a click on a head, in the order that the server wrote into the cells; what is folded is printed all the same.
"use strict";
document.addEventListener("click", event => {
  const head = event.target.closest("th");
  if (!head || !event.target.closest("th button")) return;
  const body = head.closest("table").tBodies[0], place = row => Number(row.cells[head.cellIndex].dataset.place);
  const up = head.getAttribute("aria-sort") !== "ascending", rows = [...body.rows];
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  rows.sort((a, b) => (up ? 1 : -1) * (place(a) - place(b)));
  body.append(...rows);
});
const folded = [];
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details:not([open])"))
    if (!each.querySelector("form")) { folded.push(each); each.open = true; }
});
addEventListener("afterprint", () => { for (const each of folded.splice(0)) each.open = false; });
