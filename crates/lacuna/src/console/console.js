// Comfort for pages that work without it: local times, keys for lists, and receipts verified in the browser.
"use strict";

// Times in the reader's own zone and manner.
const language = document.documentElement.lang;
const forms = {
  day: { dateStyle: "long" },
  moment: { dateStyle: "medium", timeStyle: "short" },
};
for (const time of document.querySelectorAll("[data-form]")) {
  const at = new Date(time.getAttribute("datetime"));
  if (!Number.isNaN(at.getTime())) {
    time.textContent = new Intl.DateTimeFormat(language, forms[time.dataset.form]).format(at);
  }
}

// Lists of boxes: j and k move, a ticks all or none.
for (const list of document.querySelectorAll("form[data-bulk]")) {
  const boxes = [...list.querySelectorAll("input[type=checkbox]")];
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = boxes.indexOf(document.activeElement);
    const step = { j: 1, k: -1 }[event.key];
    if (step) {
      const next = boxes[Math.min(Math.max(here + step, 0), boxes.length - 1)];
      next?.focus();
      event.preventDefault();
    } else if (event.key === "a") {
      const all = boxes.every((box) => box.checked);
      boxes.forEach((box) => (box.checked = !all));
      event.preventDefault();
    }
  });
}

// The bytes that a receipt's signature covers: CBOR with definite lengths and shortest heads, under a domain name.
const CODES = {
  mode: { soft: 1, hard: 2, archive: 3, delete: 4 },
  cause: { request: 1, purge: 2, retention: 3, person: 4, destruction: 5, correction: 6, deferred: 7 },
  target: {
    ids: 1, subject: 2, query: 3, session: 4, conversation: 5, last_said: 6, tags: 7, sensitivity: 8, tier: 9,
    source: 10, everything: 11, time: 12,
  },
  probe: {
    rows: 1, keys: 2, blobs: 3, "open index": 4, words: 5, meaning: 6, "names and identifiers": 7, lineage: 8,
    "kept exports": 9, "short forms and near meaning": 10, "the same text": 11,
  },
};
const DOMAIN = "lacuna/receipt/v1";

const utf8 = (text) => [...new TextEncoder().encode(text)];
const unhex = (text) => {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error("not hex");
  return (text.match(/../g) ?? []).map((pair) => parseInt(pair, 16));
};
const bigEndian = (value, bytes) => {
  const out = [];
  for (let at = bytes - 1; at >= 0; at--) out.push(Number((value >> BigInt(8 * at)) & 255n));
  return out;
};
function head(major, number) {
  const value = BigInt(number);
  const first = major << 5;
  if (value < 24n) return [first | Number(value)];
  if (value < 256n) return [first | 24, Number(value)];
  if (value < 65536n) return [first | 25, ...bigEndian(value, 2)];
  if (value < 4294967296n) return [first | 26, ...bigEndian(value, 4)];
  return [first | 27, ...bigEndian(value, 8)];
}
const uint = (number) => head(0, number);
const int = (number) => (number >= 0 ? head(0, number) : head(1, -1 - number));
const bytes = (raw) => [...head(2, raw.length), ...raw];
const text = (words) => { const raw = utf8(words); return [...head(3, raw.length), ...raw]; };
const list = (items) => [...head(4, items.length), ...items.flat()];
const code = (set, word) => {
  const found = CODES[set][word];
  if (!found) throw new Error("unknown word");
  return uint(found);
};
const millis = (time) => Date.parse(time);

function receiptBytes(receipt) {
  const counts = receipt.counts;
  const numbers = [
    counts.direct, counts.indirect, counts.fell, counts.cut, counts.rebuilt, counts.held_back, counts.keys_destroyed,
  ];
  return list([
    uint(receipt.number),
    text(receipt.org),
    bytes(unhex(receipt.vault)),
    int(millis(receipt.at)),
    code("mode", receipt.mode),
    code("cause", receipt.cause),
    code("target", receipt.target),
    list(receipt.scope_hashes.map((hash) => bytes(unhex(hash)))),
    bytes(unhex(receipt.memories_hash)),
    list(numbers.map(uint)),
    list(receipt.probes.map((one) => list([code("probe", one.path), uint(one.looked_for), uint(one.found)]))),
    list(receipt.backups.map((one) => list([uint(one.number), int(millis(one.until))]))),
    list([uint(receipt.audit_seq), bytes(unhex(receipt.audit_hash))]),
    receipt.request === undefined ? [0xf6] : uint(receipt.request),
  ]);
}

function signedMessage(receipt) {
  const parts = [utf8(DOMAIN), receiptBytes(receipt)];
  return new Uint8Array(parts.flatMap((part) => [...bigEndian(BigInt(part.length), 8), ...part]));
}

async function verifies(receipt, key) {
  const raw = new Uint8Array(unhex(key.trim().replace(/^ed25519:/, "")));
  const imported = await crypto.subtle.importKey("raw", raw, { name: "Ed25519" }, false, ["verify"]);
  const signature = new Uint8Array(unhex(receipt.signature));
  return crypto.subtle.verify({ name: "Ed25519" }, imported, signature, signedMessage(receipt));
}

// Whether this browser knows the algorithm; a wrong key must not look like an old browser.
async function canVerify() {
  try {
    await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
    return true;
  } catch {
    return false;
  }
}

for (const place of document.querySelectorAll(".verify[data-receipt]")) {
  const result = place.querySelector(".result");
  const tell = (kind, words) => { result.className = `result ${kind}`; result.textContent = words; };
  place.querySelector(".script-only").hidden = false;
  place.addEventListener("click", async (event) => {
    const act = event.target.dataset.act;
    if (act === "print") print();
    if (act === "save") {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([place.dataset.receipt], { type: "application/json" }));
      link.download = place.dataset.name;
      link.click();
    }
    if (act !== "verify") return;
    if (!(await canVerify())) return tell("bad", place.dataset.cannot);
    const holds = await verifies(JSON.parse(place.dataset.receipt), place.querySelector("#key").value).catch(() => false);
    tell(holds ? "good" : "bad", holds ? place.dataset.good : place.dataset.bad);
  });
}
