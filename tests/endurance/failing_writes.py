"""Every write of a run fails once, each in a run of its own: no result is there in part, no temporary
file is left, and the exit status and a message tell.

usage: failing_writes.py DAVSIM LIBRARY"""

import os
import subprocess
import sys
import tempfile

CASE = ["matmul", "--tensor", "a=float16[16,16]", "--tensor", "b=float16[16,16]", "--quiet"]

def commands(davsim):
    """A name and the arguments of each."""
    yield "run", [davsim, "run", *CASE, "--trace", "t.json", "--html", "p.html", "--vcd", "w.vcd",
                  "--instructions", "i.csv", "--msprof", "m", "--outputs", "o.safetensors",
                  "--report", "r.json", "--save-inputs", "s.safetensors", "--save-attrs", "a.json"]
    yield "packed", [davsim, "run", *CASE, "--trace", "t.json.gz"]


def contents(folder):
    """Path to bytes of every file below a folder."""
    found = {}
    for root, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def run(arguments, folder, library=None, at=0, log=""):
    environment = dict(os.environ)
    if library:
        environment.update(LD_PRELOAD=library, DAVSIM_FAIL_AT=str(at), DAVSIM_FAIL_LOG=log)
    return subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=120, check=False)


def check(name, arguments, library, scratch):
    whole = os.path.join(scratch, "whole-" + name)
    os.mkdir(whole)
    result = run(arguments, whole)
    assert result.returncode == 0, result.stderr
    expected = contents(whole)
    failures, at = 0, 0
    while True:
        at += 1
        folder, log = os.path.join(scratch, f"{name}-{at}"), os.path.join(scratch, "log")
        os.mkdir(folder)
        if os.path.exists(log):
            os.remove(log)
        result = run(arguments, folder, library, at, log)
        left = contents(folder)
        if not os.path.exists(log):
            assert result.returncode == 0, result.stderr
            return at - 1, failures
        with open(log, encoding="utf-8") as file:
            call = f"{name}: call {at}, a {file.read()}"
        partial = [path for path, data in left.items()
                   if ".part-" in path or path not in expected
                   or len(data) != len(expected[path])]
        assert not partial, f"{call}: {partial} is left\n{result.stderr}"
        assert 0 <= result.returncode <= 4, f"{call}: status {result.returncode}\n{result.stderr}"
        if result.returncode == 0:
            assert set(left) == set(expected), f"{call}: status 0 without {set(expected) - set(left)}"
        else:
            failures += 1
            assert result.stderr.strip(), f"{call}: no message"


def main():
    davsim, library = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        for name, arguments in commands(davsim):
            calls, failures = check(name, arguments, library, scratch)
            assert failures > 0, f"{name}: no write failed, so {library} was not loaded"
            print(f"{name}: {calls} calls failed once each, {failures} runs ended with an error")


main()
