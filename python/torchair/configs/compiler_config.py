"""Options of the compiler. They are kept and change nothing."""

from __future__ import annotations

from typing import Any


class _Options:
    """Members are made when they are named, as deep as a program names them."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Options()
        self.__dict__[name] = made
        return made


class CompilerConfig(_Options):
    """config.debug.graph_dump.type = "pbtxt", config.experimental_config.frozen_parameter = True, ..."""
