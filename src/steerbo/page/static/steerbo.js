// The page follows its study: parts are exchanged when the log has changed, but none that somebody is filling in.
"use strict";
const line = document.querySelector("[data-changes]");
const filledIn = part => [...part.querySelectorAll("input:not([type=hidden]), select")].some(field =>
  field === document.activeElement || (field.type === "checkbox" ? field.checked !== field.defaultChecked
    : field.tagName === "SELECT" ? field.selectedIndex > 0 : field.value !== field.defaultValue));
async function renew() {
  const answer = await fetch(location.pathname, {headers: {Accept: "text/html"}});
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const other = fresh.getElementById(part.id);
    if (!other || part.innerHTML === other.innerHTML) continue;
    if (filledIn(part)) { part.dataset.stale = "yes"; continue; }
    const open = [...part.querySelectorAll("details")].map(each => each.open);
    part.replaceWith(other);
    [...other.querySelectorAll("details")].forEach((each, i) => { if (open[i]) each.open = true; });
  }
}
if (line) {
  let known = null;
  const source = new EventSource(line.dataset.changes);
  source.addEventListener("change", event => {
    const {events} = JSON.parse(event.data);
    if (known !== null && events !== known) renew();
    known = events;
  });
}
for (const form of document.querySelectorAll("form[method=post]")) form.addEventListener("submit", () => {
  for (const button of form.querySelectorAll("button")) button.disabled = true;
});
