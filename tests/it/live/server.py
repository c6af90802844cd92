"""A small MCP server on standard input and output for the tests, with a mode for each way to be a bad one.

usage: server.py MODE [FILE [child]]     child: start one, which names itself in FILE, and be bad then
"""

import json
import os
import subprocess
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "plain"
ADD = (
    '{"name": "add","description": "Add two numbers.", "x-unknown": [1.50, 1E+2], "inputSchema": {"type": "object",'
    ' "properties": {"a": {"type": "number", "description": "First."}, "b": {"type": "number", "description": "Second."}},'
    ' "required": ["a", "b"]}, "annotations": {"readOnlyHint": true}}'
)
OTHER = '{"name":"now","description":"The time, said twice.","description":"The time in UTC.","inputSchema":{"type":"object"}}'


def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def send(message):
    write(json.dumps(message) + "\n")


def result(request, text):
    ident = request["id"]
    if MODE == "wrong-ids":
        ident = "not-yours"
    if MODE == "text-ids":
        ident = str(ident)
    write('{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (json.dumps(ident), text))


def initialize(request):
    version = request["params"]["protocolVersion"]
    if MODE == "future":
        version = "2099-01-01"
    if MODE == "old":
        version = "2024-11-05"
    body = {
        "protocolVersion": version,
        "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
        "serverInfo": {"name": "odd-server", "version": "1.2.3"},
        "instructions": "Ask for sums.",
    }
    result(request, json.dumps(body))


def discover(request):
    meta = request["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28", meta
    body = {
        "resultType": "complete",
        "supportedVersions": ["2025-11-25", "2026-07-28"],
        "capabilities": {"tools": {}},
        "ttlMs": 0,
        "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "newest", "version": "3"}},
    }
    result(request, json.dumps(body))


def tools(request):
    cursor = request["params"].get("cursor")
    if MODE == "publishes":
        told = {"name": "add", "description": "Signs in with %s." % os.environ["TOKEN"], "inputSchema": {"type": "object"}}
        return result(request, json.dumps({"tools": [told]}))
    if MODE == "tells-why":
        said = "no database for " + "." * 80 + os.environ["TOKEN"]
        return send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32000, "message": said}})
    if MODE == "endless":
        page = int(cursor or 0)
        return result(request, '{"tools":[],"nextCursor":"%d"}' % (page + 1))
    if MODE == "circle":
        return result(request, '{"tools":[%s],"nextCursor":"again"}' % ADD)
    if MODE == "many":
        entry = '{"name":"t%d","inputSchema":{"type":"object"}}'
        return result(request, '{"tools":[%s]}' % ",".join(entry % i for i in range(100_000)))
    if MODE == "none":
        return result(request, '{"tools":[]}')
    if MODE == "no-array":
        return result(request, '{"tools":"later"}')
    if MODE == "newest":
        rest = '"resultType":"complete","ttlMs":60000,"cacheScope":"public"'
        return result(request, '{%s,"tools":[%s]}' % (rest, ADD))
    if cursor is None:
        return result(request, '{"tools": [%s], "nextCursor": "%s"}' % (ADD, os.urandom(8).hex()))
    result(request, '{"tools": [%s]}' % OTHER)


def call(request):
    arguments = request["params"]["arguments"]
    if MODE == "call-slow":
        time.sleep(600)
    if MODE == "call-flood":
        write("x" * 2_000_000)
    if MODE == "call-flood-log":
        sys.stderr.write("x" * 2_000_000)
        sys.stderr.flush()
    if MODE == "call-many-values":
        write('{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"sum":[%s0]}}}\n' % (request["id"], "0," * 1_000_000))
        return
    if MODE == "call-rpc-error":
        send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32602, "message": "Unknown tool"}})
        return
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a") as log:
            log.write(json.dumps(arguments) + "\n")
    total = 3 if MODE == "call-ignores" else arguments["a"] + arguments["b"]
    body = {"content": [{"type": "text", "text": str(total)}], "structuredContent": {"sum": total}}
    if MODE == "call-prose":
        del body["structuredContent"]
    if MODE == "call-error":
        body["isError"] = True
    result(request, json.dumps(body))


def start_child(**streams):
    """A child that would outlive its parent; it names itself in the file."""
    code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", code, sys.argv[2]], **streams)
    while not os.path.exists(sys.argv[2]) or not open(sys.argv[2]).read():
        time.sleep(0.01)


def main():
    if sys.argv[3:] == ["child"]:
        # It holds no pipe of ours: that the server ended is seen at once.
        start_child(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if MODE == "die":
        sys.stderr.write("no database at db.internal, token=%s\n" % os.environ.get("TOKEN"))
        sys.exit(7)
    if MODE in ("child", "hang-child"):
        start_child()
    if MODE in ("hang", "hang-child"):
        time.sleep(600)
    if MODE == "deaf":
        os.close(0)
        time.sleep(600)
    if MODE == "mute":
        os.close(1)
        time.sleep(600)
    if MODE == "flood-blank":
        while True:
            write("\n" * 65536)
    if MODE == "flood-small":
        while True:
            write("{}\n" * 65536)
    if MODE == "flood":
        while True:
            write("x" * 65536)
    if MODE == "flood-messages":
        while True:
            send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 4096}})
    if MODE == "flood-log":
        while True:
            sys.stderr.write("x" * 65536)
    if MODE == "binary":
        sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":1,"result":{"a":"\xff\xfe"}}\n')
        sys.stdout.flush()
    if MODE == "chatter":
        write("Listening on standard input\n")
    if MODE == "speaks-first":
        send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "hello"}})
        send({"jsonrpc": "2.0", "id": 99, "result": {"tools": []}})
        write("\n\n")
        answer = json.loads(sys.stdin.readline())
        while "result" not in answer:
            request, answer = answer, json.loads(sys.stdin.readline())
        assert answer == {"jsonrpc": "2.0", "id": 1, "result": {}}, answer
        initialize(request)
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if "id" not in request or method is None:
            continue
        if method == "server/discover" and MODE == "newest":
            discover(request)
        elif method == "initialize" and MODE not in ("newest", "refuses"):
            initialize(request)
        elif method == "tools/list":
            if MODE == "dies-later":
                sys.exit(0)
            if MODE == "half":
                write('{"jsonrpc":"2.0","id":2,"result":{"tools":[')
                sys.exit(0)
            tools(request)
        elif method == "tools/call":
            call(request)
        elif method == "prompts/list":
            result(request, '{"prompts": [{"name": "sum_up", "description": "Sum it up."}]}')
        elif method == "resources/list":
            result(request, '{"resources": [{"uri": "file:///a", "name": "a", "description": "A file."}]}')
        elif method == "resources/templates/list":
            result(request, '{"resourceTemplates": []}')
        else:
            send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "Method not found"}})


main()
