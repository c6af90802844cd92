#!/usr/bin/env python3
"""Fit the weights of MCP-POISON-CONSTELLATION (src/rules/poison/constellation/weights.txt), and measure how well they carry over.

usage: fit_constellation.py FOLDER --listings FOLDER [--own FILE]... [--write] [--keep N] [--alarms N] [--folds K]

FOLDER holds poisoned.jsonl, benign.jsonl and transforms.jsonl (`../shared/poison` beside a checkout), --listings saved listings of
real servers (`../shared/corpus`); --own whole listings that were written for this purpose (default: tests/it/poison/own.jsonl).
What each sentence speaks of comes from `cargo run --example poison_score`. Needs scikit-learn.

The weights are those of a logistic regression on windows of two sentences: an honest tool is honest in each of them, an attack is
one in its heaviest. Then the heaviest N weights are kept, and fitted once more. The threshold is the lowest at which, with each
tool weighed by a fit that has not seen its source, at most --alarms of the benign tools, 7 in 1,000 of the hard ones and 4 in 1,000
of the tools in listings are reported by any POISON rule. Same input, same weights.

Printed: what is found with each source left out by turns, by the other rules alone and with this one."""
import argparse, collections, hashlib, os, subprocess, tempfile, warnings
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

warnings.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "src/rules/poison/constellation/weights.txt"
a = argparse.ArgumentParser()
a.add_argument("folder")
a.add_argument("--listings", required=True)
a.add_argument("--own", action="append")
a.add_argument("--write", action="store_true")
a.add_argument("--keep", type=int, default=2000)
a.add_argument("--alarms", type=int, default=6)
a.add_argument("--folds", type=int, default=8)
a.add_argument("--strength", type=float, default=0.03, help="the regression's C")
a.add_argument("--rare", type=int, default=8, help="what fewer attacks have is left out")
a = a.parse_args()

ATTACKS = {"poisoned", "transforms", "own-attack", "seed-attack"}
# What one tool counts: honest texts that were written to resemble attacks count more, disguises of one order less.
COUNTS = {"own-honest": 3, "seed-honest": 2, "benign": 1, "poisoned": 2, "own-attack": 2, "transforms": 0.5, "seed-attack": 1}
MISSED = 3.0
SCALE = 2.0


def run(tmp):
    binary = ROOT / "target" / os.environ.get("VERITY_PROFILE", "debug") / "examples/poison_score"
    subprocess.run(["cargo", "build", "--quiet", "--example", "poison_score"], cwd=ROOT, check=True)
    own = tmp / "own"
    paths = a.own or [ROOT / "tests/it/poison/own.jsonl"]
    own.write_text("".join(Path(p).read_text(encoding="utf-8") for p in paths), encoding="utf-8")
    quiet = tmp / "none"
    quiet.write_text("base -100000\n")
    subprocess.run([binary, a.folder, "--listings", a.listings, "--seeds", ROOT / "tests/it/poison", "--manifests", own,
                    "--constellations", quiet, "--notes", tmp / "notes", "--rules", tmp / "rules"], check=True, stdout=subprocess.DEVNULL)


def windows(notes):
    """Features of each sentence, and of it with the next one."""
    found = []
    for i, one in enumerate(notes):
        both = [one]
        if i + 1 < len(notes):
            after = notes[i + 1]
            if after[0] == one[0] and after[1] == one[1] + 1:
                both.append(after)
        features, names = set(), set()
        for _, _, flags, words in both:
            features |= flags
            names |= set(words)
            if len(words) <= 40:
                features |= {f"{x}+{y}" for n, x in enumerate(words) for y in words[n + 1:]}
        features |= names
        if "acts" in features:
            features |= {f"o:{n}" for n in names if not n.endswith("*")}
        features.add(f"n{min(len(names) // 4, 6)}")
        found.append(features)
    return found


def load(tmp):
    tools = collections.OrderedDict()
    for line in (tmp / "rules").read_text(encoding="utf-8").splitlines():
        name, group, id_, category, rules = line.split("\t")
        tool = tools.setdefault((name, group, id_), {"split": name, "group": group, "category": category, "notes": [], "known": False})
        tool["known"] |= bool(rules)
    for line in (tmp / "notes").read_text(encoding="utf-8").splitlines():
        name, group, id_, _, at, flags, words = line.split("\t")
        place, number = at.split(" ")
        tools[name, group, id_]["notes"].append((place, int(number), set(flags.split()), words.split()))
    return list(tools.values())


with tempfile.TemporaryDirectory() as tmp:
    run(Path(tmp))
    tools = load(Path(tmp))

for tool in tools:
    tool["windows"] = windows(tool["notes"])
label = np.array([t["split"] in ATTACKS for t in tools])
split = np.array([t["split"] for t in tools])
category = np.array([t["category"] for t in tools])
known = np.array([t["known"] for t in tools])
counts = np.array([COUNTS[s] for s in split], float)
fold = np.array([int(hashlib.sha256(t["group"].encode()).hexdigest(), 16) % a.folds for t in tools])

seen = collections.Counter()
for tool in (t for t, attack in zip(tools, label) if attack):
    seen.update(set().union(*tool["windows"]) if tool["windows"] else ())
vocabulary = sorted(f for f, n in seen.items() if n >= a.rare)
index = {f: i for i, f in enumerate(vocabulary)}
owner = np.array([n for n, t in enumerate(tools) for _ in t["windows"]])
columns, ends = [], [0]
for tool in tools:
    for window in tool["windows"]:
        columns += sorted(index[f] for f in window if f in index)
        ends.append(len(columns))
X = csr_matrix((np.ones(len(columns), dtype=np.float32), columns, ends), shape=(len(owner), len(vocabulary)))


def heaviest(rows, values):
    """Of the rows of each tool the one with the highest value."""
    of = owner[rows]
    order = np.lexsort((values[rows], of))
    last = np.r_[of[order][1:] != of[order][:-1], True]
    return rows[order[last]]


def fit(tools_in):
    inside = tools_in[owner]
    honest, attack = np.where(inside & ~label[owner])[0], np.where(inside & label[owner])[0]
    values = np.asarray(X.sum(1)).ravel()
    for _ in range(4):
        rows = np.concatenate([honest, heaviest(attack, values)])
        y = label[owner[rows]]
        cost = counts[owner[rows]] * np.where(y, MISSED, 1.0)
        model = LogisticRegression(C=a.strength, max_iter=200, solver="liblinear").fit(X[rows], y, sample_weight=cost)
        values = model.decision_function(X)
    keep = np.argsort(-abs(model.coef_[0]), kind="stable")[: a.keep]
    mask = np.zeros(X.shape[1], dtype=np.float32)
    mask[keep] = 1
    model = LogisticRegression(C=a.strength * 3, max_iter=200, solver="liblinear")
    return model.fit(X[rows].multiply(mask).tocsr(), y, sample_weight=cost)


def weigh(model):
    best = np.full(len(tools), -99.0)
    np.maximum.at(best, owner, model.decision_function(X))
    return best


unseen = np.full(len(tools), -99.0)
for k in range(a.folds):
    unseen[fold == k] = weigh(fit(fold != k))[fold == k]

listing = (split == "benign") & (category == "listing")
benign = (split == "benign") & ~listing
hard = benign & (category != "plain")
for at in np.arange(5.0, 1.5, -0.25):
    both = known | (unseen >= at)
    print(f"at {at:.2f}: benign {both[benign].sum()}, hard {both[hard].sum()}, tools of listings {both[listing].sum()}, "
          f"own attacks {both[split == 'own-attack'].sum()}, own honest {both[split == 'own-honest'].sum()}")
threshold = 6.0
while threshold > 0:
    found = known | (unseen > threshold - 0.05)
    if found[benign].sum() > a.alarms or found[hard].sum() > 0.007 * hard.sum() or found[listing].sum() > 0.004 * listing.sum():
        break
    threshold -= 0.05
print(f"threshold {threshold:.2f}")
for what, of in (("attacks", split == "poisoned"), ("disguised", split == "transforms"), ("own attacks", split == "own-attack"),
                 ("benign", benign), ("hard", hard), ("tools of listings", listing), ("own honest", split == "own-honest")):
    both = known | (unseen >= threshold)
    print(f"{what}: without this rule {known[of].sum()}, this rule alone {(unseen >= threshold)[of].sum()}, both {both[of].sum()} of {of.sum()}")
if a.write:
    model = fit(np.ones(len(tools), bool))
    hundredths = lambda w: round(100 * float(w) / SCALE)
    lines = [f"base {hundredths(model.intercept_[0] - threshold) + 100}"]
    lines += [f"{f} {hundredths(w)}" for f, w in zip(vocabulary, model.coef_[0]) if hundredths(w)]
    header = "# What concepts weigh that meet, in hundredths; written by tools/fit_constellation.py.\n"
    WEIGHTS.write_text(header + "\n".join(lines) + "\n", encoding="utf-8")
