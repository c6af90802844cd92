"""An MCP server on standard input and output whose tools list notes, and take a cap that they keep or do not.

usage: lists.py [LOG]     LOG: a file that takes a line a call
"""

import json
import sys

sys.dont_write_bytecode = True
from peer import note, serve

LOG = sys.argv[1] if len(sys.argv) > 1 else None
NOTES = {shelf: [{"id": "%s-%d" % (shelf, i), "tags": ["a", "b", "c"]} for i in range(12)] for shelf in ("low", "high")}


def tool(name, cap, said=None):
    whole = {"type": "integer", "minimum": 1, "maximum": 50}
    if said:
        whole["description"] = said
    properties = {"shelf": {"enum": ["low", "high"]}, cap: whole}
    schema = {"type": "object", "required": ["shelf"], "additionalProperties": False, "properties": properties}
    return {"name": name, "description": "Notes of a shelf.", "inputSchema": schema, "annotations": {"readOnlyHint": True}}


TOOLS = [
    tool("keeps", "limit"),
    tool("keeps_in_text", "per_page"),
    tool("keeps_beside_tags", "max_results"),
    tool("ignores", "limit"),
    tool("ignores_in_text", "pageSize"),
    tool("ignores_what_it_says", "count", "How many notes to return."),
    tool("one_too_many", "max_results"),
    tool("two_lists", "limit"),
    tool("short", "limit"),
    tool("prose", "limit"),
    tool("characters", "limit", "Maximum number of characters of each note."),
    tool("created", "count", "Number of notes to create."),
]


def call(name, arguments):
    note(LOG, name, arguments)
    schema = next(t for t in TOOLS if t["name"] == name)["inputSchema"]
    cap = [key for key in schema["properties"] if key != "shelf"][0]
    most = arguments.get(cap, 50)
    is_valid = arguments.get("shelf") in NOTES and set(arguments) <= {"shelf", cap} and type(most) is int and 1 <= most <= 50
    if not is_valid:
        return {"content": [{"type": "text", "text": "the arguments are wrong"}], "isError": True}
    notes = NOTES[arguments["shelf"]]
    if name.startswith("keeps"):
        notes = notes[:most]
    if name == "one_too_many":
        notes = notes[: most + 1]
    if name == "short":
        notes = notes[:1]
    data = {"shelf": arguments["shelf"], "notes": notes}
    if name == "keeps_beside_tags":
        data["tags"] = ["a", "b", "c"]
    if name == "two_lists":
        data["others"] = NOTES["low"] + NOTES["high"]
    if name == "prose":
        return {"content": [{"type": "text", "text": "\n".join(n["id"] for n in notes)}]}
    result = {"content": [{"type": "text", "text": json.dumps(data)}]}
    if not name.endswith("in_text"):
        result["structuredContent"] = data
    return result


serve("lists", lambda: TOOLS, call)
