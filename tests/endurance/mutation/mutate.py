"""Mutation testing of the timing models and of what instructions do: how many small errors do the tests notice?

usage: ./dev mutate [--seed N] [--count N] [--folders FOLDER...] [--named FILE] [--only NUMBER...]
                    [--tests REGEX] [--jobs N] [--tree FOLDER]

COUNT places are drawn at random from all that sites.py finds. A copy of the committed tree gets all of these
mutants at once, and one build serves them. Each test runs once to see which mutants it reaches. Then each
mutant runs those tests that reach it, the most special ones first, until one fails or takes too long. What no
test notices is printed, except for the mutants that equivalent.txt names, with the reason why they change
nothing that anybody can see. FILE names mutants that join the sample, a line each in the words of "not noticed".
Needs python3-clang-14. Results of earlier steps lie in build-mutate."""

import argparse
import concurrent.futures
import json
import multiprocessing
import pathlib
import random
import re
import subprocess
import sys
import time

import names
import sites
import tests

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = "tests/endurance/mutation"
ARGUMENTS = ["-x", "c++", "-std=c++20", "-w", f"-I{ROOT}", f"-I{ROOT}/isa/include", "-DSC_CPLUSPLUS=201703L",
             "-resource-dir=/usr/lib/llvm-14/lib/clang/14.0.6"]
TARGETS = ["davsim", *(f"davsim_{name}_tests" for name in tests.BINARIES)]


def output_of(*command, at=ROOT):
    return subprocess.run(command, cwd=at, capture_output=True, text=True, check=True).stdout.strip()


def find_in(paths):
    return sites.find(ROOT, paths, ARGUMENTS)


def all_sites(folders, work):
    """Of every source below FOLDERS. Kept beside the tree, because reading the sources takes minutes."""
    names = output_of("git", "ls-files", "-s", *(f"{folder}/**.cpp" for folder in folders))
    kept = work / "sites.json"
    if kept.exists():
        known = json.loads(kept.read_text())
        if known["names"] == names:
            return [sites.Site(*fields) for fields in known["sites"]]
    with multiprocessing.Pool(2) as pool:
        paths = [line.split("\t")[1] for line in names.splitlines()]
        found = [site for part in pool.map(find_in, list(sites.groups(ROOT, paths)), 1) for site in part]
    found.sort()
    fields = [[site.path, site.start, site.end, site.line, site.kind, site.before, site.after] for site in found]
    kept.write_text(json.dumps({"names": names, "sites": fields}))
    return found


def copy_tree(tree):
    """The committed tree. Sources that hold mutants already stay as they are until build() writes them."""
    if not (tree / ".git").exists():
        subprocess.run(["git", "init", "-q", str(tree)], check=True)
    commit = output_of("git", "rev-parse", "HEAD")
    has = subprocess.run(["git", "rev-parse", "-q", "--verify", "HEAD"], cwd=tree, capture_output=True, text=True,
                         check=False).stdout.strip()
    if has != commit:
        subprocess.run(["git", "fetch", "-q", "--depth=1", str(ROOT), "HEAD"], cwd=tree, check=True)
        subprocess.run(["git", "checkout", "-q", "-f", "--detach", "FETCH_HEAD"], cwd=tree, check=True)


def broken(text, numbered):
    """The numbers of the mutants in whose lines the compiler finds an error."""
    found = set()
    for path, line in re.findall(r"((?:sim|isa)/[\w/.-]+):(\d+)(?::\d+)?: (?:error|  +required)", text):
        for number, site in numbered.items():
            last = site.line + site.before.count("\n")
            if path.endswith(site.path) and site.line <= int(line) <= last + 1:
                found.add(number)
    return found


def put(path, data):
    """What stays the same keeps its time, and is not built again."""
    if path.read_bytes() != data:
        path.write_bytes(data)


def build(tree, numbered):
    """Drops the mutants that do not compile. Returns the rest."""
    sources = output_of("git", "ls-files", "sim/**.cpp", "isa/exec/**.cpp", at=tree).splitlines()
    while True:
        for path in sources:
            original = subprocess.run(["git", "show", f"HEAD:{path}"], cwd=tree, capture_output=True,
                                      check=True).stdout
            own = [(number, site) for number, site in numbered.items() if site.path == path]
            put(tree / path, sites.with_mutants(original, path, own, f"{HERE}/mutant.hpp") if own else original)
        subprocess.run(["cmake", "--preset", "release", "--log-level=WARNING"], cwd=tree, check=True,
                       stdout=subprocess.DEVNULL)
        result = subprocess.run(["ninja", "-C", "build", "-k0", *TARGETS], cwd=tree,
                                capture_output=True, text=True, check=False)
        if result.returncode == 0:
            return numbered
        bad = broken(result.stdout, numbered)
        if not bad:
            sys.exit(result.stdout[-20000:])
        for number in bad:
            print(f"does not compile: {describe(number, numbered[number])}", flush=True)
            del numbered[number]


def describe(number, site):
    before = " ".join(site.before.split())
    return f"{number}: {site.path}:{site.line}: {site.kind}: {before[:90]}"


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folders", nargs="+", default=["sim", "isa/exec"])
    parser.add_argument("--named", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--tests", default="", help="the expression that names of tests match; default all")
    parser.add_argument("--only", nargs="+", type=int, help="run these mutants of the sample only")
    parser.add_argument("--jobs", type=int, default=2, help="mutants that run at once, default 2")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT / "build-mutate")
    options = parser.parse_args()
    options.tree.mkdir(exist_ok=True)
    copy_tree(options.tree)
    work = options.tree / "build"
    work.mkdir(exist_ok=True)
    found = all_sites(options.folders, work)
    by_key = {}
    for site in found:
        by_key.setdefault(names.key(ROOT, site), []).append(site)
    same = set(names.named_in(ROOT / HERE / "equivalent.txt", by_key, options.folders))
    more = names.named_in(options.named, by_key, options.folders) if options.named else []
    named = [site for name in more for site in by_key[name]]
    sample = sites.choose(found, options.count, random.Random(options.seed), named)
    numbered = build(options.tree, dict(enumerate(sample, 1)))
    started = time.monotonic()
    run = tests.Tests(options.tree, work, options.tests)
    killed, alive = 0, []
    numbers = [number for number in options.only or numbered if number in numbered]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, by in zip(numbers, pool.map(run.killer, numbers)):
            site = numbered[number]
            if by:
                killed += 1
                print(f"killed by {by}: {describe(number, site)}", flush=True)
            else:
                alive.append(number)
                print(f"ALIVE ({run.reaching(number)} tests): {describe(number, site)}", flush=True)
    equal = [number for number in alive if names.key(ROOT, numbered[number]) in same]
    missed = [number for number in alive if number not in equal]
    for number in missed:
        print(f"not noticed: {number}\n{names.key(ROOT, numbered[number])}")
    counted = killed + len(missed)
    print(f"{len(found)} places, seed {options.seed}, {len(sample)} drawn, {len(sample) - len(numbered)} did not "
          f"compile, {len(equal)} change nothing, {killed} of {counted} noticed: "
          f"{100 * killed / max(counted, 1):.1f} %; "
          f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
