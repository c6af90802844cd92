"""An MCP server on standard input and output that lists and answers what a file says, for the tests of the probe.

usage: says.py FILE LOG     LOG takes a line a call. FILE holds JSON:
  tools, prompts, resources   what is listed
  answers                     [{"result": …} | {"error": …}, …]: the first call gets the first, those after the last one that again;
                              `{q}` in a text is the argument `q`
  refusal                     the same for a call whose `q` is no text
  after                       what tools/list (and so on) brings after the first call, in the words of `tools`, …; or {"error": …}, or
                              "end": the server goes
"""

import json
import sys

sys.dont_write_bytecode = True
from peer import note, send

CONF = json.load(open(sys.argv[1]))
LOG = sys.argv[2]
calls = 0


def listed(key):
    after = CONF.get("after") if calls else None
    if after == "end":
        sys.exit(0)
    if after and "error" in after:
        return after
    return {"result": {key: {**CONF, **(after or {})}.get(key, [])}}


def call(params):
    global calls
    calls += 1
    note(LOG, params["name"], params["arguments"])
    q = params["arguments"].get("q")
    if not isinstance(q, str) and "refusal" in CONF:
        return CONF["refusal"]
    answers = CONF["answers"]
    answer = json.dumps(answers[min(calls, len(answers)) - 1])
    return json.loads(answer.replace("{q}", json.dumps(str(q))[1:-1]))


for line in sys.stdin:
    request = json.loads(line)
    method = request.get("method", "")
    if "id" not in request:
        continue
    if method == "initialize":
        kinds = {kind: {} for kind in ("tools", "prompts", "resources") if kind in CONF}
        info = {"name": "says", "version": "1"}
        version = request["params"]["protocolVersion"]
        answer = {"result": {"protocolVersion": version, "capabilities": kinds, "serverInfo": info}}
    elif method == "tools/call":
        answer = call(request["params"])
    elif method.endswith("/list"):
        answer = listed("resourceTemplates" if "templates" in method else method.split("/")[0])
    else:
        answer = {"error": {"code": -32601, "message": "Method not found"}}
    send({"id": request["id"], **answer})
