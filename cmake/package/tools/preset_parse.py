#!/usr/bin/env python3
"""Prints the cache variables of a file of CMake presets as options, for scripts that build operator
projects: preset_parse.py CMakePresets.json."""
import json
import sys


def options(path):
    with open(path, encoding="utf-8") as file:
        preset = json.load(file)["configurePresets"][0]
    for name, value in preset.get("cacheVariables", {}).items():
        if isinstance(value, dict):
            value = value.get("value", "")
        if isinstance(value, bool):
            value = str(value)
        yield f"-D{name}={value}".replace("${sourceDir}", ".")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: preset_parse.py CMakePresets.json")
    print(" ".join(options(sys.argv[1])))
