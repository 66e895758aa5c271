#!/usr/bin/env python3
"""What dispatch and combine of a decode step would gain from other links between servers.

Simulates both kernels with 128 tokens of 7168 to 8 of 256 experts on a CloudMatrix384 as it is, with
twice the bandwidth and with half the latency between its servers, and prints a table in Markdown.

    python3 bench/silicon/comm_study.py build/bin/davsim_silicon --ranks 16 64
"""

import argparse
import csv
import pathlib
import subprocess
import tempfile

# The variants differ from sim/soc/systems/cloudmatrix384.ini in these keys of [Link.ub_l2].
VARIANTS = {
    "as it is": {},
    "twice the bandwidth": {"bandwidth": "300 GB/s", "write_bandwidth": "250 GB/s"},
    "half the latency": {"write_latency": "1050 ns", "read_latency": "1050 ns"},
}
KERNELS = ("dispatch", "combine")
COLUMNS = ["id", "family", "kind", "soc", "kernel", "parameters", "l2", "quantity", "value", "note"]


def write_systems(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    files = {}
    for name, keys in VARIANTS.items():
        lines = ["include = cloudmatrix384.ini", "", "[Link.ub_l2]"]
        lines += [f"{key} = {value} | assumed: a study" for key, value in keys.items()]
        files[name] = folder / (name.replace(" ", "_") + ".ini")
        lines = lines if keys else lines[:1]
        # Ranks that begin apart would hide what the links cost.
        lines += ["", "[Launch]", "spread = 0 us | assumed: a study"]
        files[name].write_text("\n".join(lines) + "\n")
    return files


def simulate(program: str, folder: pathlib.Path, ranks: list[int], jobs: int) -> dict[str, float]:
    """Microseconds by the name of the run: "KERNEL RANKS VARIANT"."""
    systems = write_systems(folder)
    table = folder / "measurements.csv"
    with table.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for kernel in KERNELS:
            for count in ranks:
                for name, system in systems.items():
                    rows.writerow([f"{kernel} {count} {name}", "comm", "ours", f"{system}:{count}",
                                   f"moe_{kernel}", "tokens=128", "warm", "latency_us", 100, ""])
    subprocess.run([program, "--measurements", str(table), "--out", str(folder), "--strict",
                    "--jobs", str(jobs)], check=True, stdout=subprocess.DEVNULL)
    with (folder / "silicon.csv").open() as file:
        return {row["id"]: float(row["simulated"]) for row in csv.DictReader(file)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="build/bin/davsim_silicon")
    parser.add_argument("--ranks", type=int, nargs="+", default=[16, 64, 256])
    parser.add_argument("--jobs", type=int, default=1, help="simulations at a time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times = simulate(options.program, pathlib.Path(folder), options.ranks, options.jobs)
    print("| kernel | ranks | " + " | ".join(VARIANTS) + " |")
    print("|---|---:|" + "---:|" * len(VARIANTS))
    for kernel in KERNELS:
        for count in options.ranks:
            cells = [f"{times[f'{kernel} {count} {name}']:.1f} us" for name in VARIANTS]
            print(f"| {kernel} | {count} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
