"""The tests that mutants run: which mutants each of them reaches, and how long it takes."""

import contextlib
import csv
import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time

MOST = 16384  # kMost of mutant.hpp
# Survivors of the first go on to the next.
BINARIES = ["isa", "sim", "checker", "scalar", "runtime", "memory", "traces", "cli", "operators"]
# Tests of these need no process of their own.
TOGETHER = {"isa"}
LIMIT = 4.0  # a test that takes so many times its time and five seconds hangs


def run(command, environment, limit):
    """Whether COMMAND ends well within LIMIT seconds. What it started ends with it."""
    with subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            return process.wait(limit) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


class Case:
    """A row of tests/golden/cycles.csv: status 0, the results of the reference, the cycles of the row."""

    def __init__(self, program, row):
        self.program, self.row = program, row
        self.name = f"golden.{row['case']}.{row['soc']}"
        self.binary = "golden"

    def passes(self, environment, limit):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "r.json")
            command = [self.program, "run", self.row["operator"], "--case", self.row["case"], "--soc",
                       self.row["soc"], "--quiet", "--report", report]
            if not run(command, environment, limit):
                return False
            with open(report, encoding="utf-8") as file:
                return json.load(file)["cycles"] == int(self.row["cycles"])


class Test:
    def __init__(self, binary, program, name):
        self.binary, self.program, self.name = binary, program, f"{binary}.{name}"
        self.filter = name

    def passes(self, environment, limit):
        return run([self.program, f"--gtest_filter={self.filter}"], environment, limit)


def listed(program):
    suite = ""
    for line in subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        name = line.split("#")[0].rstrip()
        if line and not line.startswith(" "):
            suite = name
        elif line and suite.endswith("."):
            full = suite + name.strip()
            if not re.match(r"Slow|.*[./]Slow", full) and "DISABLED" not in full:
                yield full


class Tests:
    def __init__(self, tree, work, names=""):
        """Of those whose names match NAMES."""
        self.all = [Test(binary, str(tree / f"build/bin/davsim_{binary}_tests"), name) for binary in BINARIES
                    for name in listed(tree / f"build/bin/davsim_{binary}_tests")]
        with open(tree / "tests/golden/cycles.csv", encoding="utf-8") as file:
            self.all += [Case(str(tree / "build/bin/davsim"), row) for row in csv.DictReader(file)]
        self.all = [test for test in self.all if re.search(names, test.name)]
        self.reached, self.seconds = {}, {}
        self.look(tree, work)

    def look(self, tree, work):
        """Runs every test without a mutant. What one build showed is kept."""
        kept = work / "reached.json"
        digest = {binary: hashlib.sha256((tree / f"build/bin/{name}").read_bytes()).hexdigest()
                  for binary, name in [("golden", "davsim"), *((b, f"davsim_{b}_tests") for b in BINARIES)]}
        known = json.loads(kept.read_text()) if kept.exists() else {"digest": {}, "tests": {}}
        results = {name: found for name, found in known["tests"].items()
                   if known["digest"].get(name.split(".")[0]) == digest[name.split(".")[0]]}
        for test in self.all:
            if test.name not in results:
                results[test.name] = self.reach(test)
            seconds, numbers, passed = results[test.name]
            if not passed:
                print(f"left out, because it fails without a mutant: {test.name}", flush=True)
                continue
            self.seconds[test.name], self.reached[test.name] = seconds, set(numbers)
        self.all = [test for test in self.all if test.name in self.reached]
        kept.write_text(json.dumps({"digest": digest, "tests": results}))
        print(f"{len(self.all)} tests take {sum(self.seconds.values()):.0f} s", flush=True)

    @staticmethod
    def reach(test):
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(MOST))
            file.flush()
            started = time.monotonic()
            passed = test.passes({"DAVSIM_MUTANTS_REACHED": file.name}, 600)
            seconds = time.monotonic() - started
            file.seek(0)
            return [seconds, [number for number, byte in enumerate(file.read()) if byte], passed]

    def reaching(self, number):
        return sum(number in numbers for numbers in self.reached.values())

    def killer(self, number):
        """The name of the first test, or of the group of tests, that notices; None if none does."""
        environment = {"DAVSIM_MUTANT": str(number)}
        for binary in [*BINARIES, "golden"]:
            reaching = [test for test in self.all if test.binary == binary and number in self.reached[test.name]]
            # A test that reaches few mutants is about these.
            reaching.sort(key=lambda test: (len(self.reached[test.name]), self.seconds[test.name]))
            size = 25 if binary in TOGETHER else 1
            for at in range(0, len(reaching), size):
                group = reaching[at:at + size]
                if not self.pass_together(group, environment):
                    return group[0].name if len(group) == 1 else f"{group[0].name} or the {len(group) - 1} behind it"
        return None

    def pass_together(self, group, environment):
        limit = 5 + LIMIT * sum(self.seconds[test.name] for test in group)
        if len(group) == 1:
            return group[0].passes(environment, limit)
        names = ":".join(test.filter for test in group)
        return run([group[0].program, f"--gtest_filter={names}", "--gtest_fail_fast"], environment, limit)
