#!/usr/bin/env python3
"""Checks files that davsim writes for other viewers as those viewers read them: Perfetto and
chrome://tracing (--trace), the vendor's tree (--msprof), GTKWave (--vcd).

usage: check_files.py [--trace FILE] [--msprof FOLDER] [--vcd FILE]
       check_files.py --run DAVSIM OPERATOR CASE FOLDER
       check_files.py --run-system DAVSIM SYSTEM OPERATOR CASE FOLDER"""

import argparse
import collections
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys

MOST_TRACKS = 24  # of a core in a trace


class Wrong(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Wrong(text)


def nanoseconds(microseconds):
    """A viewer multiplies and cuts."""
    return int(microseconds * 1000)


class Tracks:
    """Slices by track, as [begin, end) in whole nanoseconds."""

    def __init__(self):
        self.slices = collections.defaultdict(list)
        self.open = collections.defaultdict(list)

    def event(self, event):
        track = (event["pid"], event["tid"])
        at = nanoseconds(event.get("ts", 0))
        if event["ph"] == "X":
            self.slices[track].append((at, at + nanoseconds(event["dur"]), event["name"]))
        elif event["ph"] == "B":
            self.open[track].append((at, event["name"]))
        elif event["ph"] == "E":
            require(self.open[track], f"an end without a begin on {track}")
            begin, name = self.open[track].pop()
            require(name == event["name"], f"{name} ends as {event['name']} on {track}")
            self.slices[track].append((begin, at, name))

    def check(self):
        require(not any(self.open.values()), "a slice has no end")
        for track, slices in self.slices.items():
            slices.sort()
            for begin, end, name in slices:
                require(end > begin, f"{name} on {track} at {begin} ns takes no nanosecond: nobody sees it")
            for (_, end, name), (begin, _, other) in zip(slices, slices[1:]):
                require(begin >= end, f"{name} reaches into {other} on {track} at {begin} ns")

    def holds(self, track, at):
        """Whether a slice of the track covers the instant, ends included."""
        slices = self.slices[track]
        low, high = 0, len(slices)
        while low < high:
            middle = (low + high) // 2
            if slices[middle][0] <= at:
                low = middle + 1
            else:
                high = middle
        return low > 0 and slices[low - 1][1] >= at


class Flows:
    """Arrows: one start, and ends that are not before it."""

    def __init__(self):
        self.starts, self.ends = {}, collections.defaultdict(list)

    def event(self, event):
        place = ((event["pid"], event["tid"]), nanoseconds(event["ts"]))
        if event["ph"] == "s":
            require(event["id"] not in self.starts, f"flow {event['id']} starts twice")
            self.starts[event["id"]] = place
        elif event["ph"] in "tf":
            self.ends[event["id"]].append(place)

    def check(self, tracks):
        for flow, ends in self.ends.items():
            require(flow in self.starts, f"flow {flow} has no start")
            for track, at in ends:
                require(at >= self.starts[flow][1], f"flow {flow} ends at {at} ns before it starts")
                require(tracks.holds(track, at), f"flow {flow} ends at {at} ns beside every slice of {track}")
        for flow, (track, at) in self.starts.items():
            require(tracks.holds(track, at), f"flow {flow} starts at {at} ns beside every slice of {track}")


def read_json(path):
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def check_events(events, named):
    """`named`: every track has a name before its first event. Returns the tracks."""
    tracks, flows, names, processes, counters = Tracks(), Flows(), set(), set(), {}
    for event in events:
        phase = event["ph"]
        if phase == "M":
            if event["name"] == "process_name":
                processes.add(event["pid"])
            if event["name"] == "thread_name":
                names.add((event["pid"], event["tid"]))
            continue
        if phase == "C":
            key = (event["pid"], event["name"])
            require(event["ts"] >= counters.get(key, 0), f"counter {event['name']} goes back in time")
            counters[key] = event["ts"]
            continue
        if named:
            require(event["pid"] in processes and (event["pid"], event["tid"]) in names,
                    f"{event['name']} is on a track without a name: {event['pid']}, {event['tid']}")
        tracks.event(event)
        flows.event(event)
    tracks.check()
    flows.check(tracks)
    require(tracks.slices, "no slice")
    return tracks


def check_trace(path):
    events = read_json(path)["traceEvents"]
    tracks = check_events(events, True)
    for event in events:
        numbers = (event["pid"], event["tid"])
        require(all(isinstance(n, int) and n > 0 for n in numbers), f"ids are not whole numbers: {numbers}")
    threads = collections.Counter(pid for pid, _ in tracks.slices)
    require(max(threads.values()) <= MOST_TRACKS, f"a core has {max(threads.values())} tracks")
    tids = [tid for _, tid in tracks.slices]
    require(len(set(tids)) == len(tids), "two processes share a thread id")
    return f"{sum(map(len, tracks.slices.values()))} slices on {len(tracks.slices)} tracks"


def check_msprof(folder):
    tracks = check_events(read_json(folder / "simulator" / "trace.json")["traceEvents"], False)
    whole = sum(map(len, tracks.slices.values()))
    single = 0
    for path in sorted(folder.glob("simulator/*/trace.json")):
        single += sum(map(len, check_events(read_json(path), True).slices.values()))
    require(whole == single, f"{whole} slices of all cores, {single} in the files of the cores")
    return f"{whole} slices"


def check_vcd(path):
    text = path.read_text()
    head, body = text.split("$enddefinitions $end\n", 1)
    widths, scope = {}, []
    signals = set()
    for kind, rest in re.findall(r"\$(scope module|upscope|var wire)\s*(.*?)\s*\$end", head):
        if kind == "scope module":
            scope.append(rest)
        elif kind == "upscope":
            scope.pop()
        else:
            width, name, words = rest.split(None, 2)
            require(name not in widths, f"two signals are {name}")
            widths[name] = int(width)
            signals.add(".".join(scope + [words.replace(" ", "")]))
    require(not scope and widths, "the scopes do not close, or there is no signal")
    at, changes = -1, 0
    for line in body.splitlines():
        if line.startswith("#"):
            require(int(line[1:]) > at, f"time {line} does not go forward")
            at = int(line[1:])
            continue
        value, name = line.split()
        require(len(value) == widths[name] + 1, f"{name} has another width")
        changes += 1
    states = dict(line.split(" ", 1) for line in pathlib.Path(f"{path}.states").read_text().splitlines())
    words = dict(re.findall(r"(\d+)=(\w+)", head[: head.index("$end")]))
    require({int(k, 16): v.split("?")[-1] for k, v in states.items()} == {int(k): v for k, v in words.items()},
            "the translation file and the dump call states differently")
    shown = [line for line in pathlib.Path(f"{path}.gtkw").read_text().splitlines()
             if line and line[0] not in "@^[-*#"]
    require(shown and set(shown) <= signals, f"not in the dump: {sorted(set(shown) - signals)[:3]}")
    return f"{changes} changes of {len(widths)} signals"


def run(davsim, operator, case, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([davsim, "run", operator, "--case", case, "--no-check", "--quiet", "--trace", folder / "trace.json",
                    "--msprof", folder / "msprof", "--vcd", folder / "waves.vcd"],
                   check=True, stdout=subprocess.DEVNULL)
    return folder / "trace.json", folder / "msprof", folder / "waves.vcd"


def run_system(davsim, system, operator, case, folder):
    """An operator of several dies: a trace of all of them, which `davsim explain` reads too."""
    trace = pathlib.Path(folder) / "trace.json"
    shutil.rmtree(folder, ignore_errors=True)
    trace.parent.mkdir(parents=True)
    subprocess.run([davsim, "run-system", system, operator, "--case", case, "--no-check", "--trace", trace],
                   check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([davsim, "explain", trace], capture_output=True, text=True)
    require(done.returncode == 0 and "critical path" in done.stdout, f"davsim explain says: {done.stdout}{done.stderr}")
    return trace


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for option in ("--trace", "--msprof", "--vcd"):
        parser.add_argument(option, type=pathlib.Path)
    parser.add_argument("--run", nargs=4)
    parser.add_argument("--run-system", nargs=5)
    options = parser.parse_args()
    if options.run:
        options.trace, options.msprof, options.vcd = run(*options.run)
    if options.run_system:
        options.trace = run_system(*options.run_system)
    wrong = 0
    for check, path in ((check_trace, options.trace), (check_msprof, options.msprof), (check_vcd, options.vcd)):
        if path is None:
            continue
        try:
            print(f"{path}: {check(path)}")
        except Wrong as error:
            print(f"{path}: {error}")
            wrong += 1
    made = options.run or options.run_system
    if made and not wrong:
        shutil.rmtree(made[-1])
    sys.exit(1 if wrong else 0)


main()
