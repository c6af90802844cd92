"use strict";
for (const form of document.querySelectorAll("form.filters")) {
  // Each form filters what follows it, up to the next one.
  const scope = [];
  for (let next = form.nextElementSibling; next && next.tagName !== "FORM"; next = next.nextElementSibling) {
    scope.push(next);
  }
  const all = (what) => scope.flatMap((e) => [...(e.matches(what) ? [e] : []), ...e.querySelectorAll(what)]);
  const findings = all("article.finding");
  const output = form.querySelector("output");
  const apply = () => {
    const levels = new Set([...form.querySelectorAll("input:checked")].map((i) => i.value));
    const rule = form.elements.rule.value;
    const tool = form.elements.tool.value;
    let shown = 0;
    for (const f of findings) {
      f.hidden = !levels.has(f.dataset.level) || (rule && f.dataset.rule !== rule) || (tool && f.dataset.tool !== tool) ? true : false;
      shown += f.hidden ? 0 : 1;
    }
    for (const s of all("section.tool")) {
      s.hidden = !s.querySelector("article.finding:not([hidden])");
    }
    output.value = shown + " of " + findings.length + " shown";
  };
  form.hidden = false;
  form.addEventListener("change", apply);
  form.addEventListener("submit", (e) => e.preventDefault());
  apply();
}
