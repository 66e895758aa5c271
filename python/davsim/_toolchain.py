"""Where davsim's headers and libraries are, by the configuration of davsim-cc."""

from __future__ import annotations

import os

from ._worker import program


class Toolchain:
    """The compiler, folders of headers and folders of libraries, and davsim-cc itself."""

    def __init__(self) -> None:
        root = os.path.dirname(os.path.dirname(os.path.realpath(program())))
        self.compiler, self.includes, self.libraries = "g++", [], []
        with open(os.path.join(root, "lib/davsim/davsim-cc.conf"), encoding="utf-8") as file:
            for line in file:
                key, _, value = (part.strip() for part in line.partition("="))
                value = value.replace("${root}", root)
                if key == "compiler":
                    self.compiler = os.environ.get("DAVSIM_CXX", value)
                elif key == "include":
                    self.includes += value.split(";")
                elif key == "link" and value.startswith("-L"):
                    self.libraries.append(value[2:])
        self.program = os.path.join(root, "bin/davsim-cc")
