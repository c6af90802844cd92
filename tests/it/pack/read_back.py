"""Prints each YAML file named on the command line as PyYAML reads it: one JSON line a file.

Floats and integers stay what they are (`1.0`, `1`); a value that JSON cannot hold is an error."""
import json
import sys

import yaml


def strict(value):
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ValueError(f"key {key!r} is no string")
        return {k: strict(v) for k, v in value.items()}
    if isinstance(value, list):
        return [strict(v) for v in value]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise ValueError(f"{value!r} is no JSON value")


for path in sys.argv[1:]:
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    try:
        print(json.dumps(strict(yaml.safe_load(text))))
    except Exception as e:
        print(json.dumps({"!error": f"{type(e).__name__}: {str(e)[:300]}"}))
