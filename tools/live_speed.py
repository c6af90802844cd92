#!/usr/bin/env python3
"""How fast verity is with a live server, beside what the server itself takes.   usage: live_speed.py [VERITY [CMD ARGS…]]

Without a command: server-everything for the first part and server-filesystem for the second, as tools/real_servers.sh
installs them. Prints

- what the server takes from its start to its last listing, asked by a client that does nothing else, and what
  `verity capture` takes;
- what a call takes in a probe, which makes all of them in one session, and in a contract's pre-flight, where every call has
  a session (and so a process) of its own.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

NPM = "target/mcp-servers/npm/node_modules/@modelcontextprotocol/server-%s/dist/index.js"
verity = sys.argv[1] if len(sys.argv) > 1 else "target/release/verity"
server = sys.argv[2:] or ["node", NPM % "everything", "stdio"]
env = {"PATH": os.environ["PATH"]}
LISTS = {"prompts": ["prompts/list"], "resources": ["resources/list", "resources/templates/list"]}


def ask(process, ident, method, params):
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}) + "\n")
    process.stdin.flush()
    while True:
        answer = json.loads(process.stdout.readline())
        if answer.get("id") == ident and "method" not in answer:
            return answer.get("result", {})


def bare():
    start = time.monotonic()
    pipe = subprocess.PIPE
    process = subprocess.Popen(server, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=env)
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "speed", "version": "1"}}
    can = ask(process, 1, "initialize", hello)["capabilities"]
    process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    wanted = ["tools/list"] + [method for name, methods in LISTS.items() if name in can for method in methods]
    for ident, method in enumerate(wanted, 2):
        ask(process, ident, method, {})
    taken = time.monotonic() - start
    process.kill()
    process.wait()
    return taken


def run(*args, codes=(0,)):
    start = time.monotonic()
    done = subprocess.run([verity, *args], capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit("%s: %s" % (done.returncode, done.stderr))
    return time.monotonic() - start, done.stdout


def median(work, times=5):
    return statistics.median(work() for _ in range(times))


alone = median(bare)
captured = median(lambda: run("capture", "-q", "--", *server)[0])
print("start to last listing, a bare client: %.3f s" % alone)
print("verity capture:                       %.3f s, %.2f times as much (wanted: 1.5 at most)" % (captured, captured / alone))

with tempfile.TemporaryDirectory() as folder:
    at = lambda name: os.path.join(folder, name)
    if not sys.argv[2:]:
        os.mkdir(at("scratch"))
        open(at("scratch/a.txt"), "w").write("one\n")
        server = ["node", NPM % "filesystem", at("scratch")]
    listing = run("capture", "-q", "--", *server)[1]
    open(at("tools.json"), "w").write(listing)
    seconds, out = run("probe", "-q", "--format", "json", "--max-calls", "200", "--", *server, codes=(0, 1))
    calls = json.loads(out)["calls"]
    one = seconds / calls
    run("contract", "init", at("tools.json"), "-o", at("contract.json"), "--name", "speed")
    contract = json.load(open(at("contract.json")))
    names = [o["toolName"] for o in contract["permittedInterfaces"][0]["operations"]]
    entry = {"interfaceId": contract["permittedInterfaces"][0]["logicalId"], "target": server[0], "targetArgs": server[1:],
             "tools": names, "cwd": os.getcwd(), "serverEnvironment": {}, "maxElapsedMs": 60000, "maxOutputBytes": 1 << 25}
    json.dump({"authorizations": [entry]}, open(at("policy.json"), "w"))
    seconds_each, _ = run("probe", "-q", "--contract", at("contract.json"), "--policy", at("policy.json"), "--record",
                          at("seen.json"), codes=(0, 1))
    legs = len(json.load(open(at("seen.json")))["observations"])
    each = seconds_each / legs
    print("a call in one session:                %.4f s (%d calls in %.2f s)" % (one, calls, seconds))
    print("a call with a session of its own:     %.4f s (%d calls in %.2f s), %.1f times as much (wanted: 5 at least)"
          % (each, legs, seconds_each, each / one))
