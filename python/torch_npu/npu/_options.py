"""Options of the vendor's device that programs set. They are kept and mean nothing here, unless a
docstring says otherwise."""

from __future__ import annotations

from typing import Any


class _Option:
    """An object whose attributes are options; one that does not exist is an AttributeError."""

    def __init__(self, **defaults: Any) -> None:
        self.__dict__.update(defaults)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"there is no option {name!r}; "
                                 f"there are {', '.join(self.__dict__)}")
        self.__dict__[name] = value


# A tensor gets the layout that a program asks for, whether or not others are allowed.
config = _Option(allow_internal_format=False)
matmul = _Option(allow_hf32=False)
aclnn = _Option(allow_hf32=False)
conv = _Option(allow_hf32=True)
_compile = {"jit_compile": False}
_deterministic = {"level": 0}


def set_compile_mode(jit_compile: bool = False) -> None:
    """There is nothing to compile."""
    _compile["jit_compile"] = bool(jit_compile)


def is_jit_compile_false() -> bool:
    return not _compile["jit_compile"]


def set_option(option: dict[str, Any]) -> None:
    """Options of the vendor's compiler."""


def set_deterministic_level(level: int) -> None:
    """Every run of a program gives the same results here."""
    _deterministic["level"] = int(level)


def get_deterministic_level() -> int:
    return _deterministic["level"]


def enable_deterministic_with_backward(tensor: Any) -> Any:
    """The tensor: every run gives the same results."""
    return tensor


disable_deterministic_with_backward = enable_deterministic_with_backward


def are_compatible_impl_enabled() -> bool:
    return False


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Nobody is warned of calls that wait."""


def get_sync_debug_mode() -> int:
    return 0
