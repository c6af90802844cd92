"""Reads JSON lines [schema, [instance, …]]; prints what jsonschema.validate says of each instance: true,
false, or null where it raises something else than a ValidationError. A line `null` where the schema cannot be
used at all."""
import json
import sys
import warnings

import jsonschema
from jsonschema.validators import validator_for

warnings.simplefilter("ignore")
# A runner has frames of its own on the stack.
sys.setrecursionlimit(850)


def verdict(validator, instance):
    try:
        return next(iter(validator.iter_errors(instance)), None) is None
    except Exception:
        return None


for line in sys.stdin:
    schema, instances = json.loads(line)[:2]
    try:
        cls = validator_for(schema, default=jsonschema.Draft202012Validator)
        cls.check_schema(schema)
    except Exception:
        print("null")
        continue
    validator = cls(schema)
    print(json.dumps([verdict(validator, instance) for instance in instances]))
