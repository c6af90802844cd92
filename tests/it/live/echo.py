"""The server of the conformance suite on standard input and output.

usage: echo.py MODE LOG     MODE: Answers, ToolError, Dies, Malformed, Hangs, Slow, Floods; LOG takes a line a call
"""

import json
import sys
import time

MODE, LOG = sys.argv[1:]


def send(ident, result):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": ident, "result": result}) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        info = {"name": "echo", "version": "1"}
        version = request["params"]["protocolVersion"]
        send(request["id"], {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
        continue
    with open(LOG, "a") as log:
        log.write("call\n")
    text = request["params"]["arguments"]["text"]
    result = {"content": [], "structuredContent": {"echo": text, "length": len(text)}}
    if MODE == "Dies":
        sys.exit(1)
    if MODE in ("Hangs", "Slow"):
        time.sleep(600)
    if MODE == "Floods":
        sys.stdout.write("x" * 4_000_000)
    if MODE == "ToolError":
        result["isError"] = True
    if MODE == "Malformed":
        result["isError"] = "no"
    send(request["id"], result)
