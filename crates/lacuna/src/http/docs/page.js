"use strict";
const api = JSON.parse(document.getElementById("description").textContent);
const METHODS = ["get", "post", "put", "patch", "delete"];
const DEPTH_MAX = 6;
/* Three operations are enough to begin with; they come first, and so do their groups. */
const FIRST = [["Remember", "remember"], ["Recall", "search"], ["Forget", "plan_forget"]];
const FIRST_TAGS = ["memories", "forget"];
const early = (list, name) => (list.includes(name) ? list.indexOf(name) : list.length);

/* Text is only ever set as text: nothing of the description can become markup. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  for (const child of children) made.append(child);
  return made;
}

function resolve(schema) {
  let found = schema || {};
  for (let steps = 0; found.$ref && steps < DEPTH_MAX; steps += 1) {
    found = found.$ref.slice(2).split("/").reduce((at, step) => at[step], api);
  }
  return found;
}

function kind(schema) {
  const named = schema.$ref && schema.$ref.split("/").pop();
  const found = resolve(schema);
  if (found.enum) return found.enum.map((word) => JSON.stringify(word)).join(" | ");
  if (found.oneOf || found.anyOf) return (found.oneOf || found.anyOf).map(kind).join(" | ");
  const types = [].concat(found.type || (named ? [] : ["any"]));
  const words = types.map((type) => (type === "array" ? `list of ${kind(found.items || {})}` : type));
  return named && (!words.length || words[0] === "object") ? named : words.join(" or ");
}

function properties(schema, into = {}) {
  const found = resolve(schema);
  for (const part of found.allOf || []) properties(part, into);
  for (const [name, value] of Object.entries(found.properties || {})) {
    into[name] = { schema: value, required: (found.required || []).includes(name) };
  }
  return into;
}

function fields(schema, depth) {
  const rows = Object.entries(properties(schema)).map(([name, field]) => {
    const about = resolve(field.schema);
    const cell = element("td", {}, field.schema.description || about.description || "");
    const inner = about.type === "array" ? about.items || {} : field.schema;
    if (depth < DEPTH_MAX && Object.keys(properties(inner)).length) {
      cell.append(element("details", {}, element("summary", {}, "its fields"), fields(inner, depth + 1)));
    }
    const mark = field.required ? " (required)" : "";
    return element("tr", {}, element("td", {}, element("code", {}, name), mark), element("td", {}, kind(field.schema)), cell);
  });
  return element("table", {}, element("tbody", {}, ...rows));
}

function example(value) {
  return element("pre", {}, typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

function parameters(operation) {
  const rows = (operation.parameters || []).map((parameter) => {
    const mark = parameter.required ? " (required)" : "";
    return element("tr", {},
      element("td", {}, element("code", {}, parameter.name), mark),
      element("td", {}, `${parameter.in}, ${kind(parameter.schema || {})}`),
      element("td", {}, parameter.description || ""));
  });
  return rows.length ? [element("h4", {}, "Parameters"), element("table", {}, element("tbody", {}, ...rows))] : [];
}

function body(title, content) {
  const parts = [];
  for (const [type, media] of Object.entries(content || {})) {
    parts.push(element("h4", {}, title, element("span", { class: "quiet" }, ` ${type}`)));
    if (media.example !== undefined) parts.push(example(media.example));
    if (media.schema && Object.keys(properties(media.schema)).length) {
      parts.push(element("details", {}, element("summary", {}, "Fields"), fields(media.schema, 0)));
    }
  }
  return parts;
}

function answers(operation) {
  const parts = [];
  const problems = [];
  for (const [status, given] of Object.entries(operation.responses || {})) {
    if (Number(status) >= 400) {
      problems.push(element("li", {}, element("code", {}, status), ` ${given.description}`));
      continue;
    }
    parts.push(element("p", {}, element("code", {}, status), ` ${given.description}`), ...body("Answer", given.content));
  }
  if (problems.length) parts.push(element("details", {}, element("summary", {}, "When it fails"), element("ul", {}, ...problems)));
  return parts;
}

function show(path, method, operation) {
  const head = element("h3", {}, element("span", { class: "method" }, method.toUpperCase()), element("code", {}, path));
  return element("section", { class: "operation", id: operation.operationId },
    head, element("p", {}, [operation.summary, operation.description].filter(Boolean).join(" ")),
    ...parameters(operation), ...body("Request", (operation.requestBody || {}).content), ...answers(operation));
}

function unfold() {
  const page = document.getElementById("page");
  const index = document.getElementById("index");
  const groups = new Map((api.tags || []).map((tag) => [tag.name, { about: tag.description || "", list: [] }]));
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const tag = (item[method].tags || ["other"])[0];
      if (!groups.has(tag)) groups.set(tag, { about: "", list: [] });
      groups.get(tag).list.push([path, method, item[method]]);
    }
  }
  page.append(element("h1", {}, `${api.info.title} ${api.info.version}`), element("p", {}, api.info.description || ""));
  const start = element("div", {}, element("h2", {}, "start here"));
  for (const [word, id] of FIRST) start.append(element("a", { href: `#${id}`, "data-words": word.toLowerCase() }, word));
  index.append(start);
  const ids = FIRST.map(([, id]) => id);
  for (const [tag, group] of [...groups].sort(([a], [b]) => early(FIRST_TAGS, a) - early(FIRST_TAGS, b))) {
    if (!group.list.length) continue;
    group.list.sort(([, , a], [, , b]) => early(ids, a.operationId) - early(ids, b.operationId));
    page.append(element("h2", { id: `tag-${tag}` }, tag), element("p", { class: "quiet" }, group.about));
    const links = element("div", {}, element("h2", {}, tag));
    for (const [path, method, operation] of group.list) {
      page.append(show(path, method, operation));
      const words = `${method} ${path} ${operation.summary || ""}`.toLowerCase();
      links.append(element("a", { href: `#${operation.operationId}`, "data-words": words }, `${method.toUpperCase()} ${path}`));
    }
    index.append(links);
  }
}

document.getElementById("filter").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const link of document.querySelectorAll("nav a[data-words]")) link.hidden = !link.dataset.words.includes(wanted);
});
unfold();
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
