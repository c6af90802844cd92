"""What the test servers in this folder share: messages on standard input and output."""

import json
import sys


class ProtocolError(Exception):
    """Answered as an error of the protocol; its argument is the code."""


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(path, *what):
    """Keep a line in a file, if one is named."""
    if path:
        with open(path, "a") as log:
            log.write(json.dumps(what) + "\n")


def answer(method, params, name, listing, call):
    if method == "initialize":
        info = {"name": name, "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": listing()}
    if method == "tools/call":
        return call(params["name"], params["arguments"])
    raise ProtocolError(-32601)


def serve(name, listing, call):
    """Answer until standard input ends: `listing()` gives tools, `call(name, arguments)` a result."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        try:
            send({"id": request["id"], "result": answer(request["method"], request.get("params", {}), name, listing, call)})
        except ProtocolError as error:
            send({"id": request["id"], "error": {"code": error.args[0], "message": "wrong"}})
