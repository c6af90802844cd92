#!/usr/bin/env python3
"""Fit the weights of the POISON rules (src/rules/poison/weights.txt) by logistic regression.

usage: fit_poison.py FEATURES [--folds K] [--write WEIGHTS]

FEATURES is written by `cargo run --example poison_score -- FOLDER --features FEATURES`: a line per window of
neighbouring sentences. A tool's score is that of its heaviest window. The weights in the tree are the prior: a
weight moves away from it only as far as the data pull (L2), keeps its sign, and `x@job` never exceeds `x`. Every source
counts the same, however many tools it has. No randomness: the same features give the same weights.

With --folds K the fit is repeated with each K-th part of the *sources* left out, and their recall is reported: an
estimate for sources that nobody has seen. (Patterns and lexicon are not refitted, of course.)"""
import argparse, collections, hashlib, math
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
a = argparse.ArgumentParser()
a.add_argument("features")
a.add_argument("--folds", type=int, default=0)
a.add_argument("--write")
a.add_argument("--prior", default=str(ROOT / "src/rules/poison/weights.txt"))
a.add_argument("--rounds", type=int, default=150)
a.add_argument("--pull", type=float, default=0.6, help="strength of the prior")
a.add_argument("--benign", type=float, default=3.0, help="what a false alarm costs beside a miss")
a = a.parse_args()

STEEP, MARGIN = 6.0, 1.0
# What must never decide, however the data pull: too common in honest texts that the corpora lack.
CAPS = {"secret-path@job": 0.35, "read-secret@job": 0.3, "praise-mild": 0.1, "chain": 0.2, "preflight": 0.2, "vague": 0.25, "reader-order": 0.25,
        "take-secret": 0.65, "take-secret@job": 0.3, "prefer": 0.45, "prefer-all": 0.5, "correct": 0.4, "chain-own": 0.35, "pretext": 0.45}
prior, header = {}, []
for line in Path(a.prior).read_text().splitlines():
    if line.startswith("#"):
        header.append(line)
    elif line.strip():
        name, value = line.split()
        prior[name] = float(value)


def base(name):
    return name.removesuffix("@job")


tools = collections.OrderedDict()
for line in open(a.features, encoding="utf-8"):
    split, group, tool, names = line.rstrip("\n").split("\t")
    if split == "transforms":
        group = "transforms"
    entry = tools.setdefault((split, tool), {"label": split != "benign", "group": group, "windows": [], "sure": False})
    if names == "!":
        entry["sure"] = True  # flagged by a rule that needs no weights
    elif names:
        entry["windows"].append(tuple(names.split()))
tools = list(tools.values())
for name in {n for t in tools for w in t["windows"] for n in w}:
    prior.setdefault(name, prior.get(base(name), 0.0))


def score(weights, tool):
    return max(((sum(weights[n] for n in w), w) for w in tool["windows"]), default=(0.0, ()))


def fit(train):
    weights = dict(prior)
    sizes = collections.Counter((t["label"], t["group"]) for t in train)
    groups = sum(1 for label, _ in sizes if label)
    negatives = sum(1 for t in train if not t["label"])
    for step in range(a.rounds):
        gradient = collections.defaultdict(float)
        for t in train:
            if t["sure"] and t["label"]:
                continue
            s, window = score(weights, t)
            # A miss counts by its source, a false alarm by itself; what is clear does not pull.
            p = 1 / (1 + math.exp(-max(-30, min(30, STEEP * (s - MARGIN)))))
            if t["label"]:
                w = math.sqrt(sizes[True, t["group"]]) / sizes[True, t["group"]]
                g = w * (p - 1)
            else:
                g = a.benign * groups / negatives * 12 * p * p
            for n in window:
                gradient[n] += g
        rate = 0.03 / (1 + step / 40)
        for n in weights:
            pulled = gradient[n] + a.pull * (weights[n] - prior[n])
            moved = weights[n] - rate * max(-3, min(3, pulled))
            weights[n] = max(0.0, min(CAPS.get(n, 1.3), moved)) if prior[n] >= 0 else min(0.0, max(-0.5, moved))
        for n in weights:
            if n.endswith("@job") and base(n) in weights:
                weights[n] = min(weights[n], weights[base(n)])
    return {n: round(w, 2) for n, w in weights.items()}


def hit(weights, t):
    return t["sure"] or score(weights, t)[0] >= MARGIN - 1e-9


def report(what, weights, part):
    good = [t for t in part if t["label"] and t["group"] != "transforms"]
    bad = [t for t in part if not t["label"]]
    hits, alarms = sum(hit(weights, t) for t in good), sum(hit(weights, t) for t in bad)
    print(f"{what}: recall {hits}/{len(good)} = {hits / max(1, len(good)):.3f}, false alarms {alarms}/{len(bad)} = {alarms / max(1, len(bad)):.4f}")
    return hits, len(good), alarms, len(bad)


report("prior", prior, tools)
weights = fit(tools)
report("fitted", weights, tools)
if a.folds:
    total = [0, 0, 0, 0]
    fold = lambda t: int(hashlib.sha256(t["group"].encode()).hexdigest(), 16) % a.folds
    for k in range(a.folds):
        part = fit([t for t in tools if fold(t) != k or t["group"] == "transforms"])
        got = report(f"fold {k}", part, [t for t in tools if fold(t) == k])
        total = [x + y for x, y in zip(total, got)]
    print(f"held back, {a.folds} folds by source: recall {total[0]}/{total[1]} = {total[0] / total[1]:.3f}, false alarms {total[2]}/{total[3]} = {total[2] / total[3]:.4f}")
if a.write:
    Path(a.write).write_text("\n".join(header + [f"{n} {w:g}" for n, w in weights.items()]) + "\n")
