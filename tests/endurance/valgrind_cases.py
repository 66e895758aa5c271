"""The first case of each operator without time under valgrind's memcheck: no access to what is not
there, no decision on what nobody wrote.

usage: valgrind_cases.py DAVSIM VALGRIND [OPERATOR]..."""

import json
import subprocess
import sys


def main():
    davsim, valgrind = sys.argv[1:3]
    listed = json.loads(subprocess.run([davsim, "list", "--json"], capture_output=True, text=True,
                                       check=True).stdout)
    names = sys.argv[3:] or [operator["name"] for operator in listed["operators"]]
    for name in names:
        described = json.loads(subprocess.run([davsim, "describe", name, "--json"],
                                              capture_output=True, text=True, check=True).stdout)
        cases = [case["id"] for case in described["cases"] if not case.get("refused")]
        # Kernels are coroutines, each with a stack of its own: a step of the stack pointer beyond this is
        # a change of stacks, and no frame whose bytes nobody has written.
        result = subprocess.run(
            [valgrind, "--error-exitcode=99", "--max-stackframe=60000", "-q",
             "--run-libc-freeres=no", davsim, "run", name, "--case", cases[0], "--functional",
             "--threads", "1", "--no-check", "--host-timeout", "0", "--quiet"],
            capture_output=True, text=True, check=False)
        errors = [line for line in result.stderr.splitlines()
                  if line.startswith("==") and "stack" not in line and "Warning" not in line]
        assert result.returncode == 0, f"{name} {cases[0]}: {result.returncode}\n{result.stderr}"
        print(f"{name} {cases[0]}: clean", *errors[:3], flush=True)


main()
