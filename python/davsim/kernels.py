"""Kernels of one's own: compile() makes one of a source, k[blocks](...) launches it."""

from __future__ import annotations

import ctypes
import hashlib
import json
import operator
import os
import struct
import subprocess
import tempfile
from typing import Any, Iterable, Mapping, Sequence

from . import _device
from ._call import Places
from ._tensors import HostTensor, is_tensor
from ._worker import Worker, program
from .errors import CompileError, FileError, UsageError

_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def compile(source: str | os.PathLike[str], kernel: str | None = None, *, auto_sync: bool = True,
            include: Iterable[str | os.PathLike[str]] = (),
            define: Mapping[str, Any] | Iterable[str] = (), options: Iterable[str] = ()) -> Kernel:
    """Compiles a source with kernels by davsim-cc and returns one of them.

    source: a path, or the text of a source; what has a line break is text.
    kernel: its name in the source; may be left out where the source has one kernel only. An
      instance of a template is "add<float>", if the source instantiates it.
    auto_sync: insert the synchronisation that the vendor's compiler inserts.
    include: folders; define: macros, {"TILE": 128} or names; options: others of davsim-cc.

    What was compiled is kept in the folder of davsim-cc's cache and taken again while source,
    included files and options are the same. Raises CompileError with the compiler's messages,
    FileError if there is no such source.
    """
    flags = [] if auto_sync else ["--cce-auto-sync=off"]
    flags += [f"-I{os.path.abspath(folder)}" for folder in include]
    if isinstance(define, Mapping):
        flags += [f"-D{name}={value}" for name, value in define.items()]
    else:
        flags += [f"-D{name}" for name in define]
    flags += options
    path = os.fspath(source)
    if "\n" in path:
        path = _text_file(path)
    elif not os.path.isfile(path):
        raise FileError(f"{path} is no file", rule="a source is a file or a text", error_class="file")
    return Kernel(_Library(os.path.abspath(path), flags).path(), kernel, path)


class Kernel:
    """A kernel that compile() made. `k[blocks](x, y, n)` launches it on the current device."""

    def __init__(self, library: str, name: str | None, source: str) -> None:
        self.library = library
        self.source = source
        self._name = name

    def __getitem__(self, blocks: int) -> Launch:
        return Launch(self, _whole("the number of blocks", blocks))

    def __call__(self, *arguments: Any) -> None:
        raise UsageError("the number of blocks is missing", rule="kernels are launched as k[blocks](...)")

    @property
    def name(self) -> str:
        """The name in the source."""
        return str(self.on(_device.device())["name"])

    @property
    def parameters(self) -> list[tuple[str, int]]:
        """Kind and bytes of each parameter: "pointer", "int", "uint", "float", "bool", "struct"."""
        return [(entry["kind"], entry["bytes"])
                for entry in self.on(_device.device())["parameters"] or ()]

    def on(self, device: _device.Device) -> dict[str, Any]:
        """What a device knows of the kernel. Raises UsageError if the source has no such kernel."""
        kernels = device.load_kernels(self.library)
        if self._name is None and len(kernels) == 1:
            return kernels[0]
        for entry in kernels:
            if entry["name"] == self._name:
                return entry
        names = ", ".join(entry["name"] for entry in kernels) or "none"
        wanted = "several kernels" if self._name is None else f"no kernel '{self._name}'"
        raise UsageError(f"{self.source} has {wanted}; it has {names}",
                         rule="a kernel is named as in its source")

    def __repr__(self) -> str:
        return f"<davsim.Kernel {self._name or ''} of {self.source}>"


class Launch:
    """A kernel with a number of blocks."""

    def __init__(self, kernel: Kernel, blocks: int) -> None:
        self._kernel = kernel
        self._blocks = blocks

    def __call__(self, *arguments: Any, check: bool | None = None, cold: bool = False,
                 tiling_key: int = 0, device: _device.Device | None = None) -> None:
        """Launches the kernel and waits for its end. Device.last has the times.

        arguments: one for each parameter. A pointer takes a tensor of torch, numpy or __dlpack__,
        None for a null pointer, or a structure (of ctypes, or a structured array of numpy), which
        is copied to the device. A number takes a number of Python or numpy, a structure by value
        one of ctypes or numpy, or bytes. Tensors that can be written are updated.
        check: let the checker observe; raises CheckError. cold: empty L2 first.
        tiling_key: what TILING_KEY_IS asks for. device: another one than the current.

        Raises UsageError naming the argument, KernelFault.
        """
        on = device or _device.device()
        entry = self._kernel.on(on)
        call = _KernelCall(self._kernel.library, entry, self._blocks, tiling_key, arguments)
        on.simulate(call, cold=cold, check=check)


class _KernelCall:
    """The arguments of a launch, encoded."""

    def __init__(self, library: str, entry: dict[str, Any], blocks: int, tiling_key: int,
                 arguments: Sequence[Any]) -> None:
        parameters = entry["parameters"]
        if parameters is not None and len(arguments) != len(parameters):
            raise UsageError(f"{entry['name']} has {len(parameters)} parameters; {len(arguments)} "
                             "arguments were given",
                             rule="a launch has as many arguments as the kernel has parameters")
        self._request = {"do": "launch", "library": library, "kernel": entry["name"],
                         "blocks": blocks, "tiling_key": _whole("the tiling key", tiling_key)}
        self._tensors: list[HostTensor] = []
        # Bytes, or the number of a tensor.
        self._values: list[bytes | int] = []
        for number, value in enumerate(arguments):
            parameter = None if parameters is None else parameters[number]
            self._add(f"argument {number + 1} of {entry['name']}", value, parameter)

    def run_on(self, worker: Worker, options: dict[str, Any],
               timeout: float) -> tuple[None, dict[str, Any], bytes]:
        places = Places(worker, self._tensors)
        arguments = [{"bytes": value.hex()} if isinstance(value, bytes) else
                     {"offset": places.offsets[value]} for value in self._values]
        reply, report = worker.run(self._request | options | {"arguments": arguments}, timeout)
        places.copy_back([tensor for tensor in self._tensors if tensor.writable])
        return None, reply, report

    def _add(self, name: str, value: Any, parameter: dict[str, Any] | None) -> None:
        kind, size = (parameter["kind"], parameter["bytes"]) if parameter else ("", 8)
        if kind in ("pointer", "") and (in_memory := _in_memory(value)) is not None:
            self._values.append(len(self._tensors))
            # Numbers, so that the arguments lie in their order.
            self._tensors.append(HostTensor(f"{len(self._values):04}", in_memory))
        else:
            self._values.append(_encoded(name, value, kind, size))


def _in_memory(value: Any) -> Any:
    """What a pointer leads to as an array; None for what is none."""
    import numpy as np

    if isinstance(value, np.ndarray) and value.dtype.names is not None:
        return np.atleast_1d(value).view(np.uint8)
    if isinstance(value, np.void):
        return np.frombuffer(value.tobytes(), np.uint8)
    if isinstance(value, (ctypes.Structure, ctypes.Union, ctypes.Array, bytes, bytearray)):
        return np.frombuffer(bytes(value), np.uint8)
    return value if is_tensor(value) else None


def _encoded(name: str, value: Any, kind: str, size: int) -> bytes:
    """The bytes of an argument by value. Raises UsageError naming it."""
    if value is None and kind in ("pointer", ""):
        return bytes(8)
    if kind == "struct":
        data = _bytes_of(value)
        if data is None or len(data) != size:
            found = type(value).__name__ if data is None else f"{len(data)} bytes"
            raise UsageError(f"{name} is {found}",
                             rule=f"this parameter is a structure of {size} bytes")
        return data
    try:
        if kind == "float":
            return struct.pack(_FLOATS[size], float(value))
        if kind == "bool":
            return bytes([bool(value)])
        if kind in ("int", "uint", ""):
            signed = kind == "int" or (kind == "" and value < 0)
            return operator.index(value).to_bytes(size, "little", signed=signed)
    except (TypeError, ValueError):
        pass
    except OverflowError:
        raise UsageError(f"{name} is {value}",
                         rule=f"this parameter has {8 * size} bits") from None
    rules = {"pointer": "a tensor, a structure or None", "float": "a number",
             "bool": "true or false", "": "a tensor or a whole number"}
    raise UsageError(f"{name} is of type {type(value).__name__}",
                     rule=f"this parameter takes {rules.get(kind, 'a whole number')}")


def _bytes_of(value: Any) -> bytes | None:
    import numpy as np

    if isinstance(value, (np.generic, np.ndarray)):
        return value.tobytes()
    if isinstance(value, (ctypes.Structure, ctypes.Union, ctypes.Array, bytes, bytearray)):
        return bytes(value)
    return None


def _whole(name: str, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise UsageError(f"{name} is {value!r}", rule=f"{name} is a whole number")
    return number


# --- what is compiled, and kept


def _cache_folder() -> str:
    """That of davsim-cc; a temporary one where nothing is to be kept."""
    own = os.environ.get("DAVSIM_CC_CACHE")
    if own == "":
        return tempfile.mkdtemp(prefix="davsim-")
    folder = own or os.path.join(os.environ.get("XDG_CACHE_HOME") or
                                 os.path.expanduser("~/.cache"), "davsim")
    folder = os.path.join(folder, "python")
    os.makedirs(folder, exist_ok=True)
    return folder


def _text_file(text: str) -> str:
    path = os.path.join(_cache_folder(), hashlib.sha256(text.encode()).hexdigest()[:16] + ".asc")
    if not os.path.exists(path):
        _write(path, text.encode())
    return path


def _write(path: str, data: bytes) -> None:
    """Other processes see the whole file or none."""
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(data)
    os.replace(temporary, path)


class _Library:
    """A source and the shared object that is made of it."""

    def __init__(self, source: str, flags: list[str]) -> None:
        self._source = source
        self._flags = flags
        self._compiler = os.path.join(os.path.dirname(program()), "davsim-cc")
        self._folder = _cache_folder()
        compiler = os.stat(self._compiler) if os.path.exists(self._compiler) else None
        about = [source, flags, self._compiler, compiler and compiler.st_mtime_ns]
        self._record = os.path.join(
            self._folder, hashlib.sha256(json.dumps(about).encode()).hexdigest()[:24] + ".json")

    def path(self) -> str:
        known = self._known()
        return self._compiled() if known is None else known

    def _known(self) -> str | None:
        """The shared object, if nothing that it was made of has changed."""
        try:
            with open(self._record, encoding="utf-8") as file:
                record = json.load(file)
            same = all(_digest(name) == digest for name, digest in record["files"].items())
        except (OSError, ValueError, KeyError):
            return None
        library: str = record["library"]
        return library if same and os.path.exists(library) else None

    def _compiled(self) -> str:
        with tempfile.TemporaryDirectory(prefix="davsim-") as work:
            made, dependencies = os.path.join(work, "module.so"), os.path.join(work, "module.d")
            command = [self._compiler, "--davsim-module", "-x", "asc", *self._flags, "-MMD", "-MF",
                       dependencies, "-o", made, self._source]
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            except OSError as error:
                raise CompileError(f"{self._compiler} cannot be started: {error}") from error
            if done.returncode != 0:
                raise CompileError(f"davsim-cc does not compile {self._source}:\n{done.stderr}")
            with open(made, "rb") as file:
                data = file.read()
            # Two contents have two names: a process keeps what it has loaded.
            library = os.path.join(self._folder, hashlib.sha256(data).hexdigest()[:24] + ".so")
            if not os.path.exists(library):
                _write(library, data)
            files = {name: _digest(name) for name in [self._source, *_dependencies(dependencies)]}
        _write(self._record, json.dumps({"library": library, "files": files}).encode())
        return library


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _dependencies(path: str) -> list[str]:
    """The files of a rule of make."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    words = text.partition(": ")[2].replace("\\ ", "\0").split()
    return [os.path.abspath(word.replace("\0", " ")) for word in words]
