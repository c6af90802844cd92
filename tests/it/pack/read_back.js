// Prints each YAML file named on the command line as js-yaml reads it: one JSON line a file.
// JavaScript moves keys that look like array indices to the front, so objects are printed as
// lists of pairs: {"!pairs": [[key, value], …]}, taken from js-yaml's own order of insertion.
const fs = require("fs");
const yaml = require(process.argv[2]);

const shown = (v) => {
  if (Array.isArray(v)) return v.map(shown);
  if (v && typeof v === "object" && !(v instanceof Date)) {
    return { "!pairs": Object.entries(v).map(([k, x]) => [k, shown(x)]) };
  }
  if (v instanceof Date) return { "!error": "a date" };
  if (Object.is(v, -0)) return 0;
  return v;
};

for (const path of process.argv.slice(3)) {
  try {
    console.log(JSON.stringify(shown(yaml.load(fs.readFileSync(path, "utf8")))));
  } catch (e) {
    console.log(JSON.stringify({ "!error": String(e).slice(0, 300) }));
  }
}
