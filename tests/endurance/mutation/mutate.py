"""Mutation testing: changes one token of a source, builds, and sees whether a test notices. The tree must
be committed, because sources are changed in place and put back.

usage: mutate.py [--count N] [--seed N] [--folders sim isa/exec] [--targets davsim_sim_tests ...]
                 [--tests '^(sim|isa)\\.'] [--build build]

A mutant that does not compile is none. One that the tests do not notice is printed: it is either a missing
test, or the change means nothing (docs/testing.md)."""

import argparse
import pathlib
import random
import re
import subprocess
import sys

CHANGES = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "),
           (r" != ", " == "), (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" / ", " * "),
           (r" && ", " || "), (r" \|\| ", " && "), (r" % ", " / "), (r"\btrue\b", "false"),
           (r"\bfalse\b", "true"), (r"\b0\b", "1"), (r"\b1\b", "2"), (r"\bstd::max\b", "std::min"),
           (r"\bstd::min\b", "std::max"), (r"\+\+(?=\w)", "--"), (r" \+= ", " -= "), (r"if \(!", "if ("),
           (r"\breturn true;", "return false;"), (r"\breturn false;", "return true;")]
# Texts of messages are no behaviour; checks at compile time and declarations cannot fail a test.
SKIPPED = re.compile(r'^\s*(//|#|static_assert|template|namespace|using)|"|\bconstexpr\b|\boperator\b')


def candidates(root, folders):
    """Every place that can be changed: path, line, start, end, what stands there afterwards."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.cpp")):
            for number, line in enumerate(path.read_text().split("\n")):
                if SKIPPED.search(line):
                    continue
                for pattern, new in CHANGES:
                    for match in re.finditer(pattern, line.split("//")[0]):
                        yield path, number, match.start(), match.end(), new


def run(command, limit, root):
    try:
        return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=limit,
                              check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def outcome(root, options):
    """killed, alive or stillborn."""
    if not run(["ninja", "-C", options.build, *options.jobs, *options.targets], 1800, root):
        return "stillborn"
    # A mutant that never ends is noticed too.
    tests = ["ctest", "--test-dir", options.build, "-R", options.tests, "-LE", "slow",
             "--stop-on-failure", "--timeout", "60", "-j", "1"]
    return "alive" if run(tests, 1800, root) else "killed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folders", nargs="+", default=["sim", "isa/exec"])
    parser.add_argument("--targets", nargs="+", default=["davsim_sim_tests", "davsim_isa_tests"])
    parser.add_argument("--tests", default=r"^(sim|isa)\.")
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", nargs="*", default=["-j1"])
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[3]
    if subprocess.run(["git", "diff", "--quiet"], cwd=root, check=False).returncode != 0:
        sys.exit("the tree has changes that are not committed")
    all_places = list(candidates(root, options.folders))
    chance = random.Random(options.seed)
    counts = {"killed": 0, "alive": 0, "stillborn": 0}
    while counts["killed"] + counts["alive"] < options.count:
        path, number, start, end, new = chance.choice(all_places)
        before = path.read_text()
        lines = before.split("\n")
        lines[number] = lines[number][:start] + new + lines[number][end:]
        path.write_text("\n".join(lines))
        try:
            result = outcome(root, options)
        finally:
            path.write_text(before)
        counts[result] += 1
        print(f"{result}: {path.relative_to(root)}:{number + 1}: {lines[number].strip()}", flush=True)
    share = 100 * counts["killed"] / options.count
    print(f"{options.count} of {len(all_places)} places, seed {options.seed}: {share:.0f} % noticed, "
          f"{counts['alive']} not; {counts['stillborn']} did not compile")


main()
