"""How files name mutants: line numbers move, texts stay."""

import functools
import sys


@functools.cache
def lines_of(path):
    return path.read_text().splitlines()


def key(root, site):
    line = lines_of(root / site.path)[site.line - 1].strip()
    return f"{site.path}: {site.kind}: {' '.join(site.before.split())}: in {line}"


def named_in(file, known, folders):
    """The mutants below FOLDERS that FILE names. KNOWN has the keys of all; a name that is none of them is an error."""
    names = [line for line in file.read_text().splitlines()
             if line.startswith(tuple(f"{folder}/" for folder in folders))]
    strange = [name for name in names if name not in known]
    if strange:
        sys.exit("\n".join([f"{file} names what is not there:", *strange]))
    return names
