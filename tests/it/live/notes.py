"""A server that keeps notes in its memory, for the tests of interaction plans.

usage: notes.py MODE [LOG]     MODE: ok, forgetful (reports a write that it does not do), unnamed (a write's result lacks the id);
                               with `-text` behind it, results are JSON in a text block and nothing else
"""

import json
import sys

MODE, TEXT = sys.argv[1].removesuffix("-text"), sys.argv[1].endswith("-text")
notes = {"n-1": "milk", "n-2": "eggs"}


def call(name, arguments):
    if name == "add_note":
        ident = "n-%d" % (len(notes) + 1)
        accepted = len(arguments["title"]) < 20
        if accepted and MODE != "forgetful":
            notes[ident] = arguments["title"]
        return {"accepted": accepted} if MODE == "unnamed" else {"accepted": accepted, "id": ident}
    title = notes.get(arguments["id"])
    return {"found": title is not None, "title": title or ""}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    ident, method, params = request["id"], request["method"], request.get("params", {})
    if method == "initialize":
        info = {"name": "notes", "version": "1"}
        send({"id": ident, "result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}})
    elif method == "tools/call":
        if len(sys.argv) > 2:
            with open(sys.argv[2], "a") as log:
                log.write(json.dumps([params["name"], params["arguments"]]) + "\n")
        made = call(params["name"], params["arguments"])
        result = {"content": [{"type": "text", "text": json.dumps(made)}]}
        if not TEXT:
            result["structuredContent"] = made
        send({"id": ident, "result": result})
    else:
        send({"id": ident, "error": {"code": -32601, "message": "Method not found"}})
