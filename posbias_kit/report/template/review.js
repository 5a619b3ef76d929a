"use strict";
// Every text of the data reaches the page as textContent or as a value, never as HTML.
const data = JSON.parse(document.getElementById("data").textContent);
// A sheet exported again with other decisions filled in is a new one: no old draft hides them.
const shelf = "review " + data.shelf + " " + data.reviewer;
const part = (id) => document.getElementById(id);
const state = { at: 0, entries: {} };

function start() {
  for (const item of data.items) {
    state.entries[item.item] = { decision: item.decision, explanation: item.explanation };
  }
  try {
    const kept = JSON.parse(localStorage.getItem(shelf) || "null");
    if (kept) {
      state.at = Math.min(kept.at, data.items.length - 1);
      for (const [item, entry] of Object.entries(kept.entries)) {
        if (item in state.entries) state.entries[item] = entry;
      }
      tell("Going on where you stopped.");
    }
  } catch (error) {
    tell("This browser keeps nothing between visits: save to a file before you leave.");
  }
  part("reviewer").textContent = data.reviewer;
  show();
}

function keep() {
  try {
    localStorage.setItem(shelf, JSON.stringify(state));
  } catch (error) {
    tell("This browser keeps nothing between visits: save to a file before you leave.");
  }
}

function tell(text) {
  part("status").textContent = text;
}

function isDone(entry) {
  return Boolean(entry.decision && entry.explanation.trim());
}

function show() {
  const item = data.items[state.at];
  const entry = state.entries[item.item];
  part("number").textContent = state.at + 1 + " of " + data.items.length;
  for (const name of ["rubric", "request", "reference"]) part(name).textContent = item[name];
  part("reference-part").hidden = !item.reference;
  part("answers").replaceChildren(...item.answers.map(([id, text], place) => answer(id, text, place, entry)));
  const choices = item.answers.map(([id], place) => [id, "Answer " + (place + 1) + " (" + id + ")"]);
  choices.push([data.tie, "Tie"], [data.insufficient, "Insufficient evidence"]);
  part("decisions").replaceChildren(...choices.map(([value, text]) => choice(value, text, entry)));
  part("explanation").value = entry.explanation;
  count();
}

function answer(id, text, place, entry) {
  const box = document.createElement("section");
  box.className = "answer" + (entry.decision === id ? " chosen" : "");
  const head = document.createElement("h2");
  head.textContent = "Answer " + (place + 1) + " (" + id + ")";
  const body = document.createElement("div");
  body.className = "text";
  body.textContent = text;
  box.append(head, body);
  return box;
}

function choice(value, text, entry) {
  const label = document.createElement("label");
  const radio = document.createElement("input");
  radio.type = "radio";
  radio.name = "decision";
  radio.value = value;
  radio.checked = entry.decision === value;
  radio.addEventListener("change", () => decide(value));
  label.append(radio, " " + text);
  return label;
}

function count() {
  const entries = data.items.map((item) => state.entries[item.item]);
  const half = entries.filter((entry) => Boolean(entry.decision) !== Boolean(entry.explanation.trim()));
  part("done").textContent = entries.filter(isDone).length + " of " + entries.length + " done" +
    (half.length ? ", " + half.length + " without decision or explanation" : "");
}

function decide(value) {
  state.entries[data.items[state.at].item].decision = value;
  keep();
  show();
}

function go(place) {
  state.at = Math.max(0, Math.min(data.items.length - 1, place));
  keep();
  show();
  tell("");
  window.scrollTo(0, 0);
}

function goToOpen() {
  const count = data.items.length;
  for (let step = 1; step <= count; step += 1) {
    const place = (state.at + step) % count;
    if (!isDone(state.entries[data.items[place].item])) return go(place);
  }
  return tell("Every item is done: save with s.");
}

// The same rule as in the kit: no cell begins like a formula, and nothing is lost.
function cell(text) {
  const safe = /^['=+\-@\t\r\n]/.test(text) ? "'" + text : text;
  return '"' + safe.replaceAll('"', '""') + '"';
}

function plain(text) {
  return /^'['=+\-@\t\r\n]/.test(text) ? text.slice(1) : text;
}

function table() {
  const rows = data.items.map((item) => {
    const entry = state.entries[item.item];
    return [data.sheet, data.reviewer, item.item, entry.decision, entry.explanation];
  });
  return "\ufeff" + [data.columns, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([table()], { type: "text/csv" }));
  link.download = "review_" + data.reviewer + ".filled.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  const open = data.items.filter((item) => !isDone(state.entries[item.item])).length;
  tell("Saved as " + link.download + (open ? "; " + open + " items are still open." : "."));
}

function records(text) {
  const rows = [[]];
  for (const match of text.replace(/^\ufeff/, "").matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/g)) {
    if (match[0] === "" && rows.at(-1).length === 0) break;
    const field = match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1];
    rows.at(-1).push(plain(field));
    if (match[2] !== ",") rows.push([]);
  }
  return rows.filter((row) => row.length);
}

function take(text) {
  const [head = [], ...rows] = records(text);
  const at = Object.fromEntries(head.map((name, place) => [name, place]));
  const missing = ["reviewer", "item", "decision", "explanation"].filter((name) => !(name in at));
  if (missing.length) return tell("Nothing taken: the file has no column " + missing.join(", ") + ".");
  let taken = 0;
  for (const row of rows) {
    const [decision, explanation] = [row[at.decision] || "", row[at.explanation] || ""];
    if (!decision && !explanation.trim()) continue;  // open there: what is here stays
    if (row[at.reviewer] === data.reviewer && Object.hasOwn(state.entries, row[at.item])) {
      state.entries[row[at.item]] = { decision, explanation };
      taken += 1;
    }
  }
  keep();
  show();
  return tell(taken + " entries taken from the file.");
}

function askForFile() {
  part("open").focus();  // a browser opens its dialog for the field itself, not for the page
  tell("Press Enter to choose the saved file.");
}

document.addEventListener("keydown", (event) => {
  const typing = document.activeElement === part("explanation");
  if (event.key === "Escape" && typing) return part("explanation").blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const item = data.items[state.at];
  const place = Number(event.key) - 1;
  const actions = {
    t: () => decide(data.tie), 0: () => decide(data.tie), i: () => decide(data.insufficient),
    e: () => part("explanation").focus(), n: () => go(state.at + 1), ArrowRight: () => go(state.at + 1),
    p: () => go(state.at - 1), ArrowLeft: () => go(state.at - 1), u: goToOpen, s: save, o: askForFile,
  };
  const action = item.answers[place] ? () => decide(item.answers[place][0]) : actions[event.key];
  if (!action) return undefined;
  event.preventDefault();
  return action();
});
part("explanation").addEventListener("input", (event) => {
  state.entries[data.items[state.at].item].explanation = event.target.value;
  keep();
  count();
});
part("back").addEventListener("click", () => go(state.at - 1));
part("next").addEventListener("click", () => go(state.at + 1));
part("save").addEventListener("click", save);
part("open").addEventListener("change", (event) => {
  const [file] = event.target.files;
  if (file) file.text().then(take);
});
start();
