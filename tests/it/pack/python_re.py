"""Reads JSON lines [pattern, [text, …]]; prints for each whether re.search finds it: null if re.compile raises."""
import json
import re
import sys
import warnings

warnings.simplefilter("ignore")
for line in sys.stdin:
    pattern, texts = json.loads(line)
    try:
        compiled = re.compile(pattern)
    except Exception:
        print("null")
        continue
    print(json.dumps([compiled.search(text) is not None for text in texts]))
