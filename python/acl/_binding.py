"""Python functions over those of libascendcl, made of a line of text for each.

"create_stream": ">p" says that aclrtCreateStream has one parameter, to which it writes a pointer. The
Python function takes the other parameters in their order, and returns what was written and the code.
"""

from __future__ import annotations

import ctypes
import operator
import os
from typing import Any, Callable

from davsim._toolchain import Toolchain

_TYPES = {"p": ctypes.c_void_p, "i": ctypes.c_int32, "u": ctypes.c_uint32, "q": ctypes.c_int64,
          "Q": ctypes.c_uint64, "z": ctypes.c_size_t, "f": ctypes.c_float, "h": ctypes.c_uint16,
          "s": ctypes.c_char_p}


def _load() -> ctypes.CDLL:
    """The library that extensions of torch load as well: one process has one device."""
    for folder in Toolchain().libraries:
        path = os.path.join(folder, "libascendcl.so")
        if os.path.exists(path):
            return ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    return ctypes.CDLL("libascendcl.so", ctypes.RTLD_GLOBAL)


library = _load()


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _converted(kind: str, value: Any) -> Any:
    if kind == "s":
        return value if value is None or isinstance(value, bytes) else str(value).encode()
    if kind == "f":
        return float(value)
    if kind == "p" and value is None:
        return None
    number = operator.index(value)
    size = 8 * ctypes.sizeof(_TYPES[kind])
    if not -(1 << (size - 1)) <= number < 1 << size:
        raise OverflowError(f"{number} does not fit in {size} bits")
    return number


def _value(made: Any) -> Any:
    # A null pointer is the number 0 in this interface.
    return made.value if made.value is not None else 0


def function(module: str, name: str, symbol: str, signature: str,
             result: str = "i") -> Callable[..., Any]:
    """The Python function. `result`: what the C function returns; "i", a code, comes after what it
    writes, another one, or "" for nothing, stands alone."""
    parameters = signature.split()
    inputs = [kind for kind in parameters if not kind.startswith(">")]
    called = library[symbol]
    called.argtypes = [ctypes.POINTER(_TYPES[kind[1:]]) if kind.startswith(">") else _TYPES[kind]
                       for kind in parameters]
    called.restype = _TYPES[result] if result else None

    def call(*arguments: Any) -> Any:
        if len(arguments) != len(inputs):
            raise TypeError(f"{module}.{name}() takes {len(inputs)} arguments, "
                            f"{len(arguments)} were given")
        written, passed, given = [], [], iter(arguments)
        for kind in parameters:
            if kind.startswith(">"):
                written.append(_TYPES[kind[1:]]())
                passed.append(ctypes.byref(written[-1]))
            else:
                passed.append(_converted(kind, next(given)))
        code = called(*passed)
        if isinstance(code, bytes):
            return code.decode(errors="replace")
        if not written:
            return (code or 0) if result == "p" else code
        return (*map(_value, written), code)

    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    call.__doc__ = f"{symbol} of libascendcl."
    return call


def functions(module: str, prefix: str, table: str) -> dict[str, Callable[..., Any]]:
    """Those of a table with a line "name: signature", "name: signature = result" or "name (symbol):
    signature" for each."""
    made = {}
    for line in table.strip().splitlines():
        name, _, signature = line.partition(":")
        signature, _, result = signature.partition("=")
        name, _, symbol = name.strip().partition(" ")
        symbol = symbol.strip("()") or prefix + _camel(name)
        made[name] = function(module, name, symbol, signature,
                              result.strip() if "=" in line else "i")
    return made


def array(kind: str, values: Any) -> Any:
    """An array of C of numbers, or of texts; null if there are none."""
    converted = [_converted(kind, value) for value in values]
    return (_TYPES[kind] * len(converted))(*converted) if converted else None


def checked(symbol: str, *arguments: Any) -> int:
    """The code of a function whose arguments are made for C already."""
    called = getattr(library, symbol)
    called.restype = ctypes.c_int32
    return called(*arguments)
