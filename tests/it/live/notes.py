"""A server that keeps notes in its memory, for the tests of interaction plans.

usage: notes.py MODE [LOG]     MODE: ok, forgetful (reports a write that it does not do), unnamed (a write's result lacks the id),
                               signed (a note tells what is in DESK and SHELF);
                               with `-text` behind it, results are JSON in a text block and nothing else
"""

import json
import os
import sys

sys.dont_write_bytecode = True
from peer import note, serve

MODE, TEXT = sys.argv[1].removesuffix("-text"), sys.argv[1].endswith("-text")
LOG = sys.argv[2] if len(sys.argv) > 2 else None
notes = {"n-1": {"title": "milk"}, "n-2": {"title": "eggs"}}


def made(name, arguments):
    if name == "add_note":
        ident = "n-%d" % (len(notes) + 1)
        accepted = len(arguments["title"]) < 20
        if accepted and MODE != "forgetful":
            signed = {"author": "%s, %s" % (os.environ["DESK"], os.environ["SHELF"])} if MODE == "signed" else {}
            notes[ident] = {**arguments, **signed}
        return {"accepted": accepted} if MODE == "unnamed" else {"accepted": accepted, "id": ident}
    kept = notes.get(arguments["id"])
    return {"found": kept is not None, "title": "", **(kept or {})}


def call(name, arguments):
    note(LOG, name, arguments)
    result = made(name, arguments)
    blocks = {"content": [{"type": "text", "text": json.dumps(result)}]}
    return blocks if TEXT else {**blocks, "structuredContent": result}


serve("notes", list, call)
