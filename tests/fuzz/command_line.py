"""Random command lines and files for davsim: whatever is asked for, the command ends by itself with one
of its statuses and a message of its own, and leaves no part of a file.

usage: command_line.py DAVSIM [--count N] [--seed N]"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

STATUSES = {0, 1, 2, 3, 4}
# Of libraries and of the language: none of it is for users.
FOREIGN = ["/usr/include", "boost", "systemc/", "std::", "terminate called", "basic_string",
           "internal error", "In file:", "vector::_M"]
NUMBERS = ["0", "1", "-1", "nan", "inf", "1e309", "1e-309", "4294967296", "18446744073709551616", "",
           " ", "0x10", "10KiB", "1B", "1e3", "50%", "-0", "9223372036854775807", "1.5", "64GiB", "é"]
NAMES = ["", "matmul", "matmu", "rope_quant_kvcache", "all", "x" * 5000, "a\x1b[31mb", "../x", "-", "--",
         "Ascend910B3", "910B3", "atlas_a2_server", "atlas_a2_server:2", "atlas_a2_server:0",
         "cloudmatrix384:1", "atlas_a2_server:99999999999", "/dev/zero", "/dev/null", ".", "/", "no/such/file",
         "own.ini", "text.json", "trace.json", "a.safetensors"]
TENSORS = ["a=float16[16,16]", "b=float16[16,16]", "a=float16[0,16]", "a=float16[16]", "a=float99[1,1]",
           "a=float16[-1,16]", "a=float16[99999999999,99999999999]", "a=", "=", "a=float16[16,16]:x",
           "b=int8[16,16]", "a=int8[16,16]", "c=float16[1]", "bias=float32[16]", "a=float16[16,16,16]",
           "a=float16[4294967296,4294967296,4294967296]", "[", "a=float16[1e3,2]"]
SETTINGS = ["l2.size", "ub.size", "l1.size", "clock", "hbm.bandwidth", "dma.chunk", "scalar.dcache_line",
            "l2.siz", "cores", "hbm.model", "l2.model", "scalar.work", "", "Timing.Dma.chunk", "hbm.size",
            "scalar.aiv_icache_bytes", "l0a.size", "l0c.size"]
TEXTS = ["", "{", "{}", "[]", "null", "\ufeff{}", '{"a": 1e309}', '{"a": {"a": {"a": []}}}', "[" * 5000,
         '{"operators": []}', '{"operators": [{"name": "matmul", "cases": ["MM-1"]}], "socs": ["Ascend910B3"]}',
         '{"operators": [{"name": "matmul", "cases": ["MM-1"]}], "socs": ["x"], "l2": ["hot"]}',
         '{"transpose_a": true}', '{"transpose_a": 3}', '{"transpose_a": true, "transpose_a": false}',
         "include = own.ini\n", "include = Ascend910B3.ini\n[Timing.Dma]\nchunk = nan bytes | x\n",
         "include = Ascend910B3.ini\n[AICoreSpec]\nub_size = 10240\n", "[Link.x]\nwithin = 1e300 dies | x\n",
         "include = atlas_a2_server.ini\n[Link.hccs]\nbandwidth = 1e-300 GB/s | x\n",
         "include = atlas_a2_server.ini\n[System]\ndies = 2\nsoc = Ascend310P3\n",
         "include = atlas_a2_server.ini\n[Collectives]\npiece = 513 bytes | x\n",
         "include = /dev/zero\n", "\0" * 100, "é" * 1000, '{"traceEvents":[{"ph":"X"}]}',
         '{"traceEvents":[],"davsim_reports":[{}]}', "x = 1\n"]
OUTPUTS = ["t.json", "t.json.gz", "", ".", "/", "/dev/full", "/dev/null", "no/such/t", "x" * 300, "-",
           "text.json", "out", "a.safetensors"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self, of):
        return self.random.choice(of)

    def setting(self):
        return self.one(SETTINGS) + self.one(["=", "=", "=", ""]) + self.one(NUMBERS)

    def options(self):
        options = []
        for _ in range(self.random.randint(0, 4)):
            options += self.one([
                lambda: ["--soc", self.one(NAMES)], lambda: ["--set", self.setting()],
                lambda: ["--set", self.setting()], lambda: ["--case", self.one(["MM-1", "MM-99", "RQK-1", "SFA-1", ""])],
                lambda: ["--attr", self.one(["transpose_a=", "x=1"]) + self.one(NUMBERS + TEXTS[:14])],
                lambda: ["--attrs", self.one(NAMES)], lambda: ["--inputs", self.one(NAMES)],
                lambda: ["--tensor", self.one(TENSORS)],
                lambda: ["--" + self.one(["trace", "html", "vcd", "msprof", "report", "outputs", "instructions",
                                          "save-inputs", "save-attrs"]), self.one(OUTPUTS)],
                lambda: ["--" + self.one(["max-cycles", "host-timeout", "threads", "jobs", "l2", "bytes",
                                          "op", "dtype", "out", "repeat"]), self.one(NUMBERS)],
                lambda: [self.one(["--functional", "--check", "--json", "--quiet", "--explain", "--no-check",
                                   "--check-numbers", "--help", "--version", "--times-only", "--nonsense"])],
                lambda: [self.one(NAMES)]])()
        return options

    def command(self):
        kind = self.random.random()
        if kind < 0.3:
            return ["run", "matmul", "--tensor", self.one(TENSORS), "--tensor", self.one(TENSORS)] + self.options()
        if kind < 0.4:
            return ["run", self.one(["sparse_flash_attention_quant", "paged_attention", "rope_quant_kvcache"]),
                    "--case", self.one(["SFA-1", "PA-1", "RQK-1"]), "--functional", "--set", self.setting()]
        if kind < 0.55:
            return ["run-system", self.one(NAMES), "--times-only", "--op",
                    self.one(["all-reduce", "broadcast", "all-to-all", "x", ""]), "--bytes", self.one(NUMBERS)]
        # All cases of all operators take minutes.
        if kind < 0.6:
            return ["check", self.one([name for name in NAMES if name != "all"]), "--case", "MM-1"]
        return [self.one(["run", "describe", "sweep", "explain", "compare", "list", "help", "x", ""]),
                self.one(NAMES)] + self.options()


def written(folder, generator):
    for name in ["own.ini", "text.json", "trace.json", "a.safetensors"]:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(generator.one(TEXTS))


def wrong(result):
    """What is wrong about how the command ended; None: nothing."""
    if result.returncode not in STATUSES:
        return f"status {result.returncode}"
    if result.returncode != 0 and not result.stderr.strip():
        return "no message"
    for text in FOREIGN:
        if text in result.stderr:
            return f"the message says {text!r}"
    if "\x1b" in result.stderr:
        return "escape bytes are repeated"
    return None


def try_one(davsim, seed):
    generator = Generator(seed)
    with tempfile.TemporaryDirectory() as folder:
        written(folder, generator)
        arguments = [argument.replace("\0", "") for argument in generator.command()]
        before = set(os.listdir(folder))
        try:
            result = subprocess.run([davsim, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                                    capture_output=True, timeout=60, check=False)
            result.stderr = result.stderr.decode("utf-8", "replace")
            problem = wrong(result)
        except subprocess.TimeoutExpired:
            problem = "it takes more than a minute"
        left = {name for name in set(os.listdir(folder)) - before if ".part-" in name}
        if problem is None and left:
            problem = f"{left} is left"
        if problem is None:
            return True
        said = "" if problem.startswith("it takes") else result.stderr[:600]
        print(f"seed {seed}: {problem}\n  {arguments}\n  {said}", flush=True)
        return False


def main():
    options = argparse.ArgumentParser()
    options.add_argument("davsim")
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    davsim = os.path.abspath(chosen.davsim)
    bad = sum(not try_one(davsim, seed) for seed in range(chosen.seed, chosen.seed + chosen.count))
    print(f"seeds {chosen.seed} to {chosen.seed + chosen.count - 1}: {bad} of {chosen.count} went wrong")
    sys.exit(1 if bad else 0)


main()
