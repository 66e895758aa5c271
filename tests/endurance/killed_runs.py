"""Runs that are killed at random moments leave nothing: neither part of a result, nor a temporary file.
After SIGKILL, which nobody can answer, the next run of the same outputs removes what was left.

usage: killed_runs.py DAVSIM [KILLS]; by default 100 kills"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL]


def arguments(davsim):
    return [davsim, "run", "matmul", "--tensor", "a=float16[64,128]", "--tensor", "b=float16[128,64]",
            "--quiet", "--trace", "t.json", "--html", "p.html", "--outputs", "o.safetensors",
            "--report", "r.json", "--msprof", "m"]


OUTPUTS = {"t.json", "p.html", "o.safetensors", "r.json", "m"}


def main():
    davsim = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    chance = random.Random(1)
    ended = killed = left_behind = 0
    with tempfile.TemporaryDirectory() as scratch:
        started = time.monotonic()
        folder = os.path.join(scratch, "first")
        os.mkdir(folder)
        subprocess.run(arguments(davsim), cwd=folder, check=True)
        length = time.monotonic() - started
        number = 0
        while killed < kills:
            number += 1
            folder = os.path.join(scratch, str(number))
            os.mkdir(folder)
            which = chance.choice(SIGNALS)
            started = time.monotonic()
            process = subprocess.Popen(arguments(davsim), cwd=folder, stderr=subprocess.DEVNULL)
            try:
                # A host with other work is slow at times: the moment follows what runs take.
                process.wait(chance.random() * length)
                length = time.monotonic() - started
            except subprocess.TimeoutExpired:
                process.send_signal(which)
            status = process.wait()
            names = set(os.listdir(folder))
            temporary = {name for name in names if ".part-" in name}
            if which == signal.SIGKILL and temporary:
                left_behind += 1
                if "m" in names:
                    subprocess.run(["rm", "-r", os.path.join(folder, "m")], check=True)
                subprocess.run(arguments(davsim), cwd=folder, check=True)
                names = set(os.listdir(folder))
                temporary = {name for name in names if ".part-" in name}
                assert names == OUTPUTS, f"run {number}: {names}"
            assert not temporary, f"run {number}, {which.name}: {temporary} is left"
            assert names <= OUTPUTS, f"run {number}, {which.name}: {names}"
            if status == 0:
                ended += 1
                assert names == OUTPUTS, f"run {number} ended well without {OUTPUTS - names}"
            else:
                killed += 1
                length *= 1.02
            subprocess.run(["rm", "-r", folder], check=True)
    print(f"{number} runs: {killed} killed, {ended} ended before; {left_behind} left temporary files "
          "behind SIGKILL, which the next run removed")


main()
