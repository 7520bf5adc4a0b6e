// The page follows its study, and nothing that is typed is lost: forms that somebody is filling in stay as they are, are
// sent without leaving the page, and outlive a server that does not answer and a round that another has dealt with.
"use strict";
const work = document.querySelector("[data-changes]"), plain = document.querySelector("[data-keep]");
const here = work?.dataset.here ?? plain?.dataset.keep ?? "", store = `steerbo ${here}`;
const parse = text => new DOMParser().parseFromString(text, "text/html");
const fields = form => [...form.elements].filter(f => f.name && f.type !== "hidden" && f.tagName !== "BUTTON");
const changed = f => f.type === "checkbox" || f.type === "radio" ? f.checked !== f.defaultChecked
  : f.tagName === "SELECT" ? f.selectedIndex !== Math.max([...f.options].findIndex(o => o.defaultSelected), 0)
  : f.value !== f.defaultValue;
const busy = form => form.dataset.sending || form.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")
  || form.querySelector(".wrong, .doubt") || fields(form).some(changed);
const attribute = (name, text) => `[${name}="${CSS.escape(text)}"]`;

// -- what was typed, until it is saved or let go -------------------------------------------------------------------------
const drafts = () => { try { return JSON.parse(sessionStorage.getItem(store)) ?? {}; } catch { return {}; } };
function keep(change) {
  const all = drafts();
  change(all);
  try { sessionStorage.setItem(store, JSON.stringify(all)); } catch { /* a browser that keeps nothing */ }
}
const path = form => new URL(form.action).pathname;
const forget = action => keep(all => { delete all[action]; });
const ticked = f => f.type !== "checkbox" && f.type !== "radio" || f.checked;
function remember(form) { // a new study's form comes back from the server filled in: there, what is changed is not all
  const typed = Object.fromEntries(fields(form).filter(f => ticked(f) && f.type !== "file" && (form.matches(".new") ? f.value : changed(f)))
    .map(f => [f.name, f.type === "checkbox" ? "yes" : f.value]));
  keep(all => { if (Object.keys(typed).length) all[path(form)] = typed; else delete all[path(form)]; });
}
function fill(form, typed) {
  for (const [name, text] of Object.entries(typed)) {
    const field = form.querySelector(attribute("name", name));
    if (!field || field.type === "hidden") continue;
    if (field.type === "radio") { for (const each of form.querySelectorAll(attribute("name", name))) each.checked = each.value === text; }
    else if (field.type === "checkbox") field.checked = true; else field.value = text;
    field.closest("details:not(.variable)")?.setAttribute("open", "");
  }
  for (const row of form.querySelectorAll(".variable")) { // folded as the server folds it
    if (row.matches("[data-folds]") && [...row.querySelectorAll("input")].some(f => f.value.trim())) row.open = false;
    word(row);
  }
}
function word(row) { // what a folded row of a new study says: lines_of on the server words it in the same way
  const of = part => row.querySelector(`[name$="-${part}"]`).value.trim(), law = row.querySelector("select");
  const range = of("low") || of("high") ? `${of("low") || "…"} to ${of("high") || "…"} ${of("unit")}`.trim() : "";
  const about = law.value === "truncated-normal" && (of("mean") || of("sd")) ? `spread ${of("sd") || "…"} about ${of("mean") || "…"}` : "";
  const words = about || law.selectedOptions[0].textContent, [line, unheld] = row.querySelector("summary").childNodes;
  line.data = [of("name") || row.querySelector("[role=group]").getAttribute("aria-label"), of("choices") || range].filter(Boolean).join(": ");
  unheld.textContent = !law.value ? "" : law.value === "seen" ? `, ${words}` : `, when not held: ${words}`;
}
async function restore() {
  for (const [action, typed] of Object.entries(drafts())) {
    const form = [...document.querySelectorAll("form[method=post]")].find(f => path(f) === action);
    if (form) {
      const roomy = form.matches(".new") ? await roomier(form, typed) : form;
      if (!roomy.querySelector(".wrong, .doubt")) {
        fill(roomy, typed);
        if (plain && fields(roomy).some(changed)) say(roomy, "This was typed before, and is not saved yet.", "stale");
      }
      continue;
    }
    if (!work) continue;
    const token = action.match(/\/rounds\/([^/]+)\/(?!undo)[a-z]+$/)?.[1];
    if (token && !document.getElementById(`kept-${decodeURIComponent(token)}`)) {
      const card = await outlived(decodeURIComponent(token), typed, {});
      if (card) { card.dataset.action = action; document.getElementById("next").prepend(card); }
    }
  }
}

// -- a form whose round another has dealt with ---------------------------------------------------------------------------
async function outlived(token, typed, labels) {
  const page = await look(`${here}/rounds/${encodeURIComponent(token)}?kept=1`), card = page?.querySelector("article.kept");
  if (!card) return null;
  const form = card.querySelector("form"), list = card.querySelector("dl.typed");
  const placed = name => form?.querySelector(attribute("name", name));
  if (form) fill(form, typed);
  for (const [name, text] of Object.entries(typed)) if (!placed(name)) {
    const row = document.createElement("div"), label = document.createElement("dt"), value = document.createElement("dd");
    label.textContent = labels[name] ?? name.replace(/^[a-z]+:/, "");
    value.textContent = text;
    row.append(label, value);
    list.append(row);
  }
  return card;
}
async function giveWay(holder, form) {
  const typed = Object.fromEntries(fields(form).filter(f => f.value && f.type !== "checkbox").map(f => [f.name, f.value]));
  const labels = Object.fromEntries(fields(form).map(f => [f.name, f.labels?.[0]?.textContent.trim()]));
  const token = holder.id.replace(/^[a-z]+-/, ""), active = document.activeElement;
  const card = await outlived(token, typed, labels);
  if (!card) { say(form, "Someone else has entered this round in the meantime.", "stale"); return; }
  card.dataset.action = path(form);
  const name = form.contains(active) ? active.name : "";
  for (const old of document.querySelectorAll(`#${CSS.escape(card.id)}`)) if (old !== holder) old.remove();
  document.getElementById("next").prepend(card);
  holder.remove();
  const field = name && card.querySelector(attribute("name", name));
  if (field) field.focus(); else if (name) card.querySelector("button, a").focus();
}

// -- taking in what is new -----------------------------------------------------------------------------------------------
async function look(address) {
  try {
    const answer = await fetch(address, {headers: {Accept: "text/html"}});
    return answer.ok ? lowered(parse(await answer.text())) : null;
  } catch { return null; }
}
function lowered(page) { // a part that has a page of its own is one of several here: so is its heading
  for (const head of work ? page.querySelectorAll("main h1") : []) {
    const lower = page.createElement("h2");
    for (const {name, value} of head.attributes) lower.setAttribute(name, value);
    lower.append(...head.childNodes);
    head.replaceWith(lower);
  }
  return page;
}
function holding(part, done) {
  const forms = [...part.querySelectorAll("form[method=post]")].filter(form => form !== done && busy(form));
  return new Map(forms.map(form => [[...part.children].find(child => child.contains(form)), form]));
}
function exchange(part, other, held) {
  const opened = new Set([...part.querySelectorAll("details[open]")].map(each => each.querySelector("summary")?.textContent));
  let cursor = part.firstChild;
  const next = node => { const after = node.nextSibling; if (!held.has(node)) node.remove(); return after; };
  for (const child of [...other.childNodes]) {
    const mine = child.id && [...held.keys()].find(h => h.id === child.id);
    if (!mine) { part.insertBefore(child, cursor); continue; }
    while (cursor && cursor !== mine) cursor = next(cursor);
    cursor = mine.nextSibling;
  }
  while (cursor) cursor = next(cursor);
  for (const each of part.querySelectorAll("details:not([open])"))
    if (opened.has(each.querySelector("summary")?.textContent)) each.open = true;
}
function merge(fresh, done = null) {
  const waiting = [];
  let later = false;
  for (const part of document.querySelectorAll("[data-live]")) {
    const other = fresh.getElementById(part.id);
    if (!other || part.innerHTML === other.innerHTML) continue;
    if (part.dataset.src && !other.dataset.src) continue; // it was made longer, or searched: see renew
    if (part.hasAttribute("data-once") && part.children.length && other.children.length) continue; // it renews itself
    if (other.hasAttribute("data-later")) {
      later = true;
      if (!part.hasAttribute("data-later")) continue; // what was known before stands until it is computed anew
    } else part.removeAttribute("data-later");
    const held = holding(part, done);
    if (held.size && part.id === "rounds") { part.dataset.stale = "yes"; continue; }
    for (const [holder, form] of held) {
      const twin = holder.id && other.querySelector(`#${CSS.escape(holder.id)}`);
      const still = twin && [...twin.querySelectorAll("form")].some(each => path2(each) === path(form)
        && fields(form).filter(changed).every(f => each.querySelector(attribute("name", f.name))));
      // A form that is being sent waits for its own answer: what has dealt with the round may be this form.
      if (!still && holder.matches(".round") && !holder.querySelector("form[data-sending]")) waiting.push([holder, form]);
      const mark = "form [name=set]", other2 = twin?.querySelector(mark)?.value;
      if (still && other2 && other2 !== holder.querySelector(mark)?.value)
        say(form, "Someone has corrected what was looked at, so other settings follow from it. Save to see them.", "stale");
    }
    for (const card of part.querySelectorAll(":scope > .kept")) if (!done || !card.contains(done)) held.set(card, null);
    exchange(part, other, held);
    if (other.dataset.src) part.dataset.src = other.dataset.src;
  }
  if (later) compute();
  observe();
  return Promise.all(waiting.map(([holder, form]) => giveWay(holder, form)));
}
async function compute() { // what takes its time
  const fresh = await look(`${here}?whole=1`);
  if (!fresh) return;
  const rest = ["advice", "compared", "why"];
  for (const each of fresh.querySelectorAll("[data-live]")) if (!rest.includes(each.id)) each.removeAttribute("id");
  await merge(fresh);
}
const path2 = form => new URL(form.getAttribute("action"), location.href).pathname;
async function part(id, address) {
  const fresh = await look(address), mine = document.getElementById(id), other = fresh?.getElementById(id);
  if (!mine || !other) return;
  const focused = mine.contains(document.activeElement) ? document.activeElement : null;
  const again = focused && (focused.id ? `#${CSS.escape(focused.id)}` : focused.href && `a${attribute("href", focused.getAttribute("href"))}`);
  mine.replaceChildren(...other.childNodes);
  if (other.dataset.src || mine.hasAttribute("data-live")) mine.dataset.src = other.dataset.src ?? "";
  if (!mine.dataset.src) delete mine.dataset.src;
  mine.dataset.seen = "yes";
  const field = again && mine.querySelector(again);
  if (field) { field.focus(); if (field.setSelectionRange && field.value) field.setSelectionRange(field.value.length, field.value.length); }
}
async function renew() {
  const fresh = await look(here);
  if (!fresh) return;
  await merge(fresh);
  for (const card of document.querySelectorAll("article.edit[data-said]")) { // an outcome that is being corrected
    const now = await look(`${here}/rounds/${encodeURIComponent(card.id.replace(/^[a-z]+-/, ""))}`);
    const other = now?.querySelector("article.edit"), form = card.querySelector("form");
    if (!other || !form || other.dataset.said === card.dataset.said) continue;
    say(form, `Someone else has corrected this in the meantime. ${other.querySelector(".stands").textContent}`, "stale");
  }
  for (const each of document.querySelectorAll("[data-src][data-seen]")) await part(each.id, each.dataset.src);
}
function say(form, text, kind = "wrong") {
  form.querySelectorAll(":scope > .said").forEach(each => each.remove());
  const line = document.createElement("p");
  line.className = `said ${kind}`;
  line.setAttribute("role", "alert");
  line.textContent = text;
  form.append(line);
}

// -- sending -------------------------------------------------------------------------------------------------------------
async function send(form, submitter) {
  const counter = document.documentElement.dataset;
  try { await sent(form, submitter); } finally { counter.sent = Number(counter.sent ?? 0) + 1; }
}
function replaced(answer, fresh) { // a page that does not follow a study
  if (answer.redirected) { location.assign(answer.url); return; }
  document.querySelector("[data-keep]").replaceWith(fresh.querySelector("[data-keep]"));
  for (const form of document.querySelectorAll("form.new")) remember(form);
  restore();
  const said = document.querySelector("[aria-invalid=true], .field:has(.doubt) input, .wrong, [role=status]");
  const free = [...document.querySelectorAll(".variable [name$='-name']")].find(f => !f.value); // more rows were asked for
  (said ?? free ?? document.querySelector(".variable summary"))?.focus();
}
async function roomier(form, typed) { // more rows, where a draft has more than an empty form
  const most = Math.max(-1, ...Object.keys(typed).map(name => Number(name.match(/^v(\d+)-/)?.[1] ?? -1)));
  if (form.querySelector(`[name="v${most}-name"]`) || most < 0) return form;
  const fresh = await look(`${here}?rows=${most + 1}`), other = fresh?.querySelector("[data-keep]");
  if (!other) return form;
  document.querySelector("[data-keep]").replaceWith(other);
  return other.querySelector("form.new");
}
async function sent(form, submitter) {
  const data = new FormData(form), body = form.enctype === "multipart/form-data" ? data : new URLSearchParams(data);
  if (submitter?.name) body.set(submitter.name, submitter.value);
  const inside = form.contains(document.activeElement), buttons = form.querySelectorAll("button");
  form.dataset.sending = "yes";
  buttons.forEach(button => { button.disabled = true; });
  let answer, fresh;
  try {
    answer = await fetch(form.action, {method: "POST", body, headers: {Accept: "text/html"}});
    fresh = parse(await answer.text());
  } catch {
    say(form, "The server does not answer. What you typed is kept here: send it again once it is back.");
  } finally {
    delete form.dataset.sending;
    buttons.forEach(button => { button.disabled = false; });
  }
  if (!fresh) { submitter?.focus(); return; }
  if (!fresh.querySelector(work ? "#next" : "[data-keep]") && !answer.redirected) {
    const said = fresh.querySelector("main .wrong")?.textContent ?? fresh.querySelector("h1")?.textContent ?? answer.statusText;
    say(form, answer.status === 401 ? `${said}. What you typed is kept: open this page anew, and type the key.` : `Not saved: ${said}`);
    return;
  }
  if (answer.redirected || answer.ok && form.closest("#share")) forget(path(form));
  if (!work) { replaced(answer, fresh); return; }
  const card = form.closest("article.kept"), row = form.closest("tr.editing");
  if (answer.ok && card?.dataset.action) forget(card.dataset.action);
  await merge(fresh, form);
  if (answer.ok && row) { row.remove(); await renew(); }
  if (answer.ok && card) card.remove();
  for (const each of document.querySelectorAll("[data-src][data-seen]")) part(each.id, each.dataset.src);
  const wrong = document.querySelector("[aria-invalid=true]") ?? document.querySelector(".field:has(.doubt) input")
    ?? document.querySelector("#next .kept :is(input, button, a)");
  const first = document.querySelector("#next .round :is(input:not([type=hidden]), select), #ask :is(input:not([type=hidden]), button)");
  if (!answer.ok) wrong?.focus(); else if (inside) (first ?? document.querySelector("#next :is(a, button)"))?.focus({preventScroll: true});
}
if (work) {
  document.addEventListener("submit", event => {
    const form = event.target;
    if (form.getAttribute("role") === "search") {
      event.preventDefault();
      const text = new FormData(form).get("q");
      part("rounds", text ? `${here}/rounds?q=${encodeURIComponent(text)}` : here);
    } else if (form.method === "post" && !form.matches(".leave")) {
      event.preventDefault();
      if (!form.dataset.sending) send(form, event.submitter);
    }
  });
  document.addEventListener("input", event => { if (event.target.form?.method === "post") remember(event.target.form); });
  document.addEventListener("click", async event => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const tab = link.closest(".tabs");
    if (tab) { event.preventDefault(); part("learned", link.href); }
    else if (link.hasAttribute("data-more")) { event.preventDefault(); part("rounds", link.href); }
    else if (link.dataset.part) { event.preventDefault(); part(link.dataset.part, link.href); }
    else if (link.hasAttribute("data-edit")) { event.preventDefault(); edit(link); }
    else if (link.hasAttribute("data-let-go")) { event.preventDefault(); letGo(link); }
  });
  document.addEventListener("keydown", event => {
    if (event.key !== "Escape") return;
    const row = event.target.closest("tr.editing, #saved article.edit"), menu = document.querySelector("details.menu[open]");
    if (menu) { menu.open = false; menu.querySelector("summary").focus(); } else if (row) letGo(row.querySelector("[data-let-go]"));
  });
  document.addEventListener("click", event => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
}
async function edit(link) {
  const page = await look(link.href), card = page?.querySelector("article.edit"), row = link.closest("tr");
  if (!card) { location.href = link.href; return; }
  if (document.getElementById(card.id)) { document.querySelector(`#${CSS.escape(card.id)} input:not([type=hidden])`)?.focus(); return; }
  if (row) {
    const line = document.createElement("tr"), cell = document.createElement("td");
    line.className = "editing";
    cell.colSpan = row.cells.length;
    cell.append(card);
    line.append(cell);
    row.after(line);
  } else link.closest(".card").append(card);
  card.querySelector("input:not([type=hidden])")?.focus();
}
function letGo(link) {
  const card = link.closest("article"), row = card.closest("tr.editing"), before = row?.previousElementSibling;
  for (const form of card.querySelectorAll("form")) forget(path(form));
  if (card.dataset.action) forget(card.dataset.action);
  if (card.id.startsWith("kept-")) keep(all => {
    const part = `/rounds/${encodeURIComponent(card.id.slice(5))}/`;
    for (const action of Object.keys(all)) if (action.includes(part)) delete all[action];
  });
  (row ?? card).remove();
  (before?.querySelector("[data-edit]") ?? document.querySelector("#next :is(input:not([type=hidden]), button, a)"))?.focus();
  renew();
}

const watch = new IntersectionObserver(found => {
  for (const {target, isIntersecting} of found) if (isIntersecting) { watch.unobserve(target); part(target.id, target.dataset.src); }
});
function observe() {
  for (const each of document.querySelectorAll("section[data-src]:not([data-seen]):not([data-live])")) watch.observe(each);
}

// -- entering by a link, whose key stands where no server and no other page sees it ----------------------------------------
const entry = document.querySelector("form[action='/key']");
if (entry && location.hash.startsWith("#steerbo_")) {
  entry.elements.key.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  entry.requestSubmit();
}

// -- following -----------------------------------------------------------------------------------------------------------
if (work) {
  let known = null;
  const away = document.getElementById("away"), source = new EventSource(work.dataset.changes);
  source.addEventListener("change", event => {
    const {events} = JSON.parse(event.data), missed = !away.hidden;
    away.hidden = true;
    if ((known !== null && events !== known) || missed) renew();
    known = events;
  });
  source.addEventListener("error", () => { away.hidden = false; });
  addEventListener("pagehide", () => source.close());
  observe();
  restore();
  if (document.querySelector("[data-later]")) compute();
} else if (plain) {
  document.addEventListener("submit", event => {
    if (event.target.method !== "post" || event.target.matches(".leave")) return;
    event.preventDefault();
    if (!event.target.dataset.sending) send(event.target, event.submitter);
  });
  document.addEventListener("input", event => {
    if (event.target.form?.method === "post") remember(event.target.form);
    const row = event.target.closest(".variable");
    if (row) word(row);
  });
  document.addEventListener("click", event => { if (event.target.closest("[data-let-go]")) keep(all => { for (const each of Object.keys(all)) delete all[each]; }); });
  restore();
}
