#!/usr/bin/env python3
"""Fit the weights of the POISON rules (src/rules/poison/weights.txt), and measure how well they carry over.

usage: fit_poison.py FOLDER [--write] [--loso] [--terms] [--rules FILE] [--folds K]

FOLDER holds poisoned.jsonl, benign.jsonl and transforms.jsonl (`../shared/poison` beside a checkout). The features come
from `cargo run --example poison_score` (built here if need be). --listings, a folder of saved listings of real servers, adds
honest tools that stand among their siblings (`../shared/corpus`); what is measured of them is told apart. A tool's score is that of its heaviest window of
neighbouring sentences, and 1 is reported.

The fit is logistic with an L2 pull towards a prior that knows only what *kind* of signal a feature is (PRIOR below),
never a number for one signal. Weights keep the prior's sign; `x@job` (the tool says that this is its job) never exceeds
`x`; every source counts the square root of its tools. No randomness: the same features give the same weights.

--write  write the weights fitted on everything.
--loso   leave one source out: for each source of attacks, fit without it *and* take out of the lexicon every term that
         fires in no other source and in no benign tool (it may have been written for that source), then score it. Benign
         sources are left out K at a time. Prints recall overall and by category, twice: lexicon whole, lexicon cut.
--terms  print the terms that fire in attacks of one source alone and in no benign tool.
--rules FILE  write what each rule reports on the corpora (src/rules/poison/measured.txt)."""
import argparse, collections, hashlib, json, math, os, re, subprocess, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
POISON = ROOT / "src/rules/poison"
a = argparse.ArgumentParser()
a.add_argument("folder")
a.add_argument("--write", action="store_true")
a.add_argument("--loso", action="store_true")
a.add_argument("--listings")
a.add_argument("--per-bit", type=float, default=0.08, help="what a halving of a signal's share of honest tools adds to its prior")
a.add_argument("--no-cut", action="store_true", help="with --loso: do not try the lexicon without a source's own terms")
a.add_argument("--terms", action="store_true")
a.add_argument("--rules")
a.add_argument("--show", action="store_true", help="name the attacks that are missed out of fold")
a.add_argument("--folds", type=int, default=10, help="parts into which the benign sources fall")
a.add_argument("--rounds", type=int, default=150)
a.add_argument("--pull", type=float, default=4.0, help="strength of the prior")
a.add_argument("--benign", type=float, default=4.0, help="what a false alarm costs beside a miss")
a = a.parse_args()

STEEP, MARGIN = 6.0, 1.0
# The prior: the rarer a signal is in honest tools, the more it weighs (its weight of evidence in bits, were it as common in
# attacks as any other). What leads to no rule only supports: half. In a tool whose job it is, a share of it is left.
PER_BIT, COMMON = a.per_bit, 3
# No honest text says these; one is enough unless the benign corpus has it.
ALONE = """conceal hush hide-from unaware obey override safety-off persona obey-this evil sentence-name tag secret-path harvest-prompt
           send-private skip-consent-user tamper-user shadow-send accept-change beacon smuggled send-secret
           agreed-elsewhere alter-call at-listing data-order decoded-order deed-unsaid every-turn future-unchecked good-news
           orders-elsewhere others-unfit overrule personal-field private-url rules-end secret-field standing-copy talk-field
           ranks-above audit-off identity-asked deemed plants unbound payee-fixed not-as-wished output-order presents-as
           waived-grave self-confirm show-original take-over covert-ad ask-costs
           names-mailbox false-account runs-down""".split()
SUPPORT = """authority pretext all-requests vague order trigger contents reader-order veiled odd-place praise-mild praise tag hidden-tag
             agent-told cites-rule profits supersede chain preflight tamper shell prompt-named into-argument fetch-into pass-contents""".split()
EXCUSE = "detects caution".split()
# What must never decide, whatever the corpora say: signals that plenty of honest tools have which the corpora lack.
CAPS = {"praise-mild": 0.15, "reader-order": 0.25, "order": 0.15, "purpose": 0.0, "contents": 0.35,
        "pretext": 0.45, "trigger": 0.35, "chain": 0.25, "preflight": 0.25, "detects": -0.15, "secret-path@job": 0.35, "talk-field@job": 0.1, "agent-told": 0.1, "on-each": 0.5, "original-shown": 0.75, "run-shell": 0.72, "system-path": 0.37, "read-secret": 0.5, "vague": 0.12, "unshown": 0.3, "tells-only": 0.5,
        "shadow@job": 0.25, "disowned@job": 0.2, "redirect@job": 0.15, "rival@job": 0.2, "overrule-mild": 0.45, "alter-value": 0.8, "private-read": 0.6, "tag-order": 0.4, "prefer": 0.45, "into-argument": 0.2, "fetch-into": 0.3, "unsaid": 0.8, "not-shown": 0.7, "harvest-name": 0.6,
        "read-secret@job": 0.3, "hoard@job": 0.3, "skip-consent@job": 0.2, "skip-ask@job": 0.2, "skip-consent-user@job": 0.25, "send-secret@job": 0.3, "take-secret@job": 0.25, "secret-into@job": 0.3, "system-path@job": 0.1}


def base(name):
    return name.removesuffix("@job")


def priors(train):
    honest = [t for t in train if not t["label"]]
    seen = collections.Counter(n for t in honest for n in {n for w in t["windows"] for n in w})
    found = {}
    for name in tools.names:
        word, rare = base(name), seen[name] + 1
        value = max(0.0, PER_BIT * (math.log2(len(honest) / rare) - COMMON))
        value = value * 0.5 if word in SUPPORT and word not in ALONE else value
        value = 1.1 if word in ALONE and rare <= 2 else value
        value = (-0.7 if name.endswith("@job") else -0.3) if word in EXCUSE else value
        found[name] = value * (0.6 if name.endswith("@job") and value > 0 else 1.0)
    return found


def run_example(*options):
    binary = ROOT / "target" / os.environ.get("VERITY_PROFILE", "debug") / "examples/poison_score"
    subprocess.run(["cargo", "build", "--quiet", "--example", "poison_score"], cwd=ROOT, check=True)
    more = ["--seeds", ROOT / "tests/it/poison"] if "--group" not in options else []
    more += ["--listings", a.listings] if a.listings and "--group" not in options else []
    subprocess.run([binary, a.folder, *more, *map(str, options)], check=True, stdout=subprocess.DEVNULL)


class Tools:
    """The labelled tools with the features of their windows."""

    def __init__(self, features):
        tools = collections.OrderedDict()
        category = {}
        for line in (Path(a.folder) / "benign.jsonl").read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            category[entry["id"]] = entry["category"]
        for line in features.read_text(encoding="utf-8").splitlines():
            split, group, tool, names = line.split("\t")
            label = split not in ("benign", "seed-honest")
            group = "transforms" if split == "transforms" else group
            entry = tools.setdefault((split, tool), {"id": tool, "label": label, "group": group, "windows": set(), "sure": False,
                                                       "kind": "own" if split.startswith("seed") else category.get(tool, "listing")})
            if names == "!":
                entry["sure"] = True  # reported by a rule that needs no weights
            elif names:
                entry["windows"].add(tuple(names.split()))
        self.all = list(tools.values())
        for t in self.all:
            t["windows"] = sorted(t["windows"])
        signals = re.findall(r' = "([a-z-]+)", (?:Some|None)', (POISON / "signal.rs").read_text(encoding="utf-8"))
        self.names = sorted({*signals, *(n for t in self.all for w in t["windows"] for n in w)})


def score(weights, tool):
    return max(((sum(weights.get(n, 0) for n in w), w) for w in tool["windows"]), default=(0.0, ()))


def fit(train):
    # A feature that the training part lacks keeps its prior.
    prior = priors(train)
    weights = dict(prior)
    sizes = collections.Counter((t["label"], t["group"]) for t in train)
    groups = sum(1 for label, _ in sizes if label)
    negatives = sum(1 for t in train if not t["label"])
    train = [t for t in train if t["windows"] and not (t["sure"] and t["label"])]
    for step in range(a.rounds):
        gradient = collections.defaultdict(float)
        for t in train:
            s, window = score(weights, t)
            p = 1 / (1 + math.exp(-max(-30, min(30, STEEP * (s - MARGIN)))))
            if t["label"]:
                g = (p - 1) / math.sqrt(sizes[True, t["group"]])
            else:
                # An alarm counts by itself; what is clear does not pull.
                g = a.benign * groups / negatives * 12 * p * p
            for n in window:
                gradient[n] += g
        rate = 0.03 / (1 + step / 40)
        for n in weights:
            pulled = gradient[n] + a.pull * (weights[n] - prior[n])
            moved = weights[n] - rate * max(-3, min(3, pulled))
            if prior[n] >= 0:
                weights[n] = max(0.0, min(CAPS.get(n, 1.3), moved))
            else:
                weights[n] = min(CAPS.get(n, 0.0), max(-0.7, moved))
        for n in weights:
            if n.endswith("@job") and base(n) in weights:
                weights[n] = min(weights[n], weights[base(n)])
    return {n: round(w, 2) for n, w in weights.items()}


def hit(weights, t):
    return t["sure"] or score(weights, t)[0] >= MARGIN - 1e-9


def share(what, hits, of):
    print(f"{what}: {hits}/{of} = {hits / max(1, of):.4f}")


def report(what, weights, part):
    good = [t for t in part if t["label"] and t["group"] != "transforms" and t["kind"] != "own"]
    own = [t for t in part if t["kind"] == "own"]
    share(f"{what}, recall of own attacks", sum(hit(weights, t) for t in own if t["label"]), sum(t["label"] for t in own))
    share(f"{what}, recall", sum(hit(weights, t) for t in good), len(good))
    alarms(what, [(t, hit(weights, t)) for t in part if not t["label"]])


def alarms(what, verdicts):
    for name, of in (("false alarms", lambda k: k not in ("listing", "own")),
                     ("of these hard ones", lambda k: k not in ("listing", "plain", "own")),
                     ("false alarms in own honest tools", lambda k: k == "own"),
                     ("false alarms in listings", lambda k: k == "listing")):
        some = [h for t, h in verdicts if of(t["kind"])]
        share(f"{what}, {name}", sum(some), len(some))


def single_source_terms(path):
    """For each source, the terms that fire in no other attack source and in no benign tool."""
    groups, honest = collections.defaultdict(set), set()
    for line in path.read_text(encoding="utf-8").splitlines():
        split, group, _, term = line.split("\t")
        if split == "benign":
            honest.add(term)
        elif split == "poisoned":
            groups[term].add(group)
    single = collections.defaultdict(list)
    for term, where in sorted(groups.items()):
        if len(where) == 1 and term not in honest:
            single[min(where)].append(term)
    return single


def cut(terms):
    """The lexicon without `terms`."""
    without, lines = set(terms), []
    for line in (POISON / "lexicon.txt").read_text(encoding="utf-8").splitlines():
        name, colon, words = line.partition(": ")
        if colon and not line.startswith("#"):
            kept = [w for w in words.split(", ") if f"{name}: {w.strip()}" not in without]
            line = f"{name}: {', '.join(kept)}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def leave_one_source_out(tmp, single):
    categories = {}
    for line in (Path(a.folder) / "poisoned.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        categories[entry["id"]] = entry["category"]
    sources = sorted({t["group"] for t in tools.all if t["label"] and t["group"] != "transforms" and t["kind"] != "own"})
    whole, less = collections.Counter(), collections.Counter()
    total = collections.Counter(categories.values())
    missed = []
    for source in sources:
        train = [t for t in tools.all if t["group"] != source]
        weights = fit(train)
        own = [t for t in tools.all if t["group"] == source and t["label"]]
        whole.update(categories[t["id"]] for t in own if hit(weights, t))
        if a.no_cut:
            missed += [(source, t["id"], categories[t["id"]]) for t in own if not hit(weights, t)]
            continue
        (tmp / "lexicon").write_text(cut(single[source]), encoding="utf-8")
        (tmp / "weights").write_text("".join(f"{n} {w:g}\n" for n, w in weights.items()))
        run_example("--group", source, "--lexicon", tmp / "lexicon", "--weights", tmp / "weights", "--rules", tmp / "rules")
        for line in (tmp / "rules").read_text(encoding="utf-8").splitlines():
            split, _, tool, category, rules = line.split("\t")
            if split == "poisoned":
                less[category] += bool(rules)
                missed += [] if rules else [(source, tool, category)]
    print("| category | lexicon whole | lexicon cut |\n|---|---|---|")
    for category, n in total.most_common():
        print(f"| {category} | {whole[category]}/{n} | {less[category]}/{n} |")
    share("leave one source out, lexicon whole, recall", whole.total(), total.total())
    share("leave one source out, lexicon cut, recall", less.total(), total.total())
    if a.show:
        for source, tool, category in missed:
            print("MISSED", tool, category, source)
    fold = lambda t: int(hashlib.sha256(t["group"].encode()).hexdigest(), 16) % a.folds
    verdicts = []
    for k in range(a.folds):
        weights = fit([t for t in tools.all if t["label"] or fold(t) != k])
        held = [t for t in tools.all if not t["label"] and fold(t) == k]
        verdicts += [(t, hit(weights, t)) for t in held]
        if a.show:
            print("ALARMS", [t["id"] for t in held if hit(weights, t)])
    alarms(f"benign sources in {a.folds} folds", verdicts)


def measured(path):
    """What each rule reports: hits among the attacks, alarms among the benign."""
    hits, alarms, sizes = collections.Counter(), collections.Counter(), collections.Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        split, _, _, category, rules = line.split("\t")
        if category == "listing":
            continue
        sizes[split] += 1
        rules += " any" if rules else ""
        {"benign": alarms, "poisoned": hits}.get(split, collections.Counter()).update(rules.split())
    lines = ["# What each POISON rule reports at warning or error, by tools/fit_poison.py: rule, attacks, benign tools; `any` is one rule or more.",
             f"corpus {sizes['poisoned']} {sizes['benign']}"]
    lines += [f"{rule} {hits[rule]} {alarms[rule]}" for rule in sorted({*hits, *alarms})]
    return "\n".join(lines) + "\n"


with tempfile.TemporaryDirectory() as tmp:
    tmp = Path(tmp)
    run_example("--features", tmp / "features", "--terms", tmp / "terms", "--rules", tmp / "rules")
    tools = Tools(tmp / "features")
    single = single_source_terms(tmp / "terms")
    if a.terms:
        for source, terms in sorted(single.items()):
            print(f"{source}: {' | '.join(terms)}")
    weights = fit(tools.all)
    report("fitted on everything", weights, tools.all)
    if a.loso:
        leave_one_source_out(tmp, single)
    if a.rules:  # what the tree's weights give, not those fitted just now
        Path(a.rules).write_text(measured(tmp / "rules"))
    if a.write:
        path = POISON / "weights.txt"
        header = [line for line in path.read_text().splitlines() if line.startswith("#")]
        path.write_text("\n".join(header + [f"{n} {w:g}" for n, w in weights.items()]) + "\n")
