"""Builds and loads what torch needs to know the device npu: libtorch_npu.so.

It is compiled against the torch of this host when it is first needed, in about a minute, and kept
in the folder that davsim-cc keeps its objects in.
"""

from __future__ import annotations

import ctypes
import fcntl
import glob
import hashlib
import os
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor

from davsim._toolchain import Toolchain

HERE = os.path.dirname(os.path.realpath(__file__))
# What CMake puts beside the package: headers of the runtime, the library for the linker.
PACKAGE = os.path.dirname(os.path.abspath(__file__))
_SOURCES = ("autocast.cpp", "device.cpp", "dlpack.cpp", "fractals.cpp", "graph.cpp", "host_call.cpp",
            "host_operators.cpp", "memory.cpp", "names.cpp", "pinned.cpp", "tensors.cpp")


def torch_flags() -> list[str]:
    """Options for the compiler that torch's headers need."""
    import torch
    from torch.utils import cpp_extension

    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    flags = [f"-isystem{path}" for path in cpp_extension.include_paths()]
    return [*flags, f"-isystem{sysconfig.get_paths()['include']}", f"-D_GLIBCXX_USE_CXX11_ABI={abi}"]


def torch_library_folders() -> list[str]:
    import torch

    return [os.path.join(os.path.dirname(os.path.realpath(torch.__file__)), "lib")]


def _cache() -> str:
    folder = os.environ.get("DAVSIM_CC_CACHE")
    if folder == "":
        return tempfile.mkdtemp(prefix="davsim-")
    if folder is None:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        folder = os.path.join(home, "davsim")
    return os.path.join(folder, "torch")


def library_folder() -> str:
    """The folder of libtorch_npu.so, which is built if it is not there."""
    import torch

    tools = Toolchain()
    digest = hashlib.sha256(repr((torch.__version__, tools.libraries, sys.version)).encode())
    for name in sorted(glob.glob(os.path.join(HERE, "backend", "*.?pp")) + glob.glob(
            os.path.join(HERE, "include", "torch_npu", "**", "*.h"), recursive=True)):
        with open(name, "rb") as file:
            digest.update(file.read())
    folder = os.path.join(_cache(), digest.hexdigest()[:24])
    made = os.path.join(folder, "libtorch_npu.so")
    if os.path.exists(made):
        return folder
    os.makedirs(folder, exist_ok=True)
    # Ranks are processes that begin together: one compiles, and the others wait for it.
    with open(os.path.join(folder, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(made):
            _build(tools, folder)
    return folder


def _build(tools: Toolchain, folder: str) -> None:
    print("torch_npu: compiling the simulated device for torch, once", file=sys.stderr)
    link = [f"-L{path}" for path in [*tools.libraries, *torch_library_folders()]]
    link += [f"-Wl,-rpath,{path}" for path in [*tools.libraries, *torch_library_folders()]]
    includes = [f"-I{os.path.join(HERE, 'include')}", *(f"-I{path}" for path in tools.includes)]
    with tempfile.TemporaryDirectory(dir=folder) as work:
        objects = [os.path.join(work, name + ".o") for name in _SOURCES]
        command = [tools.compiler, "-std=gnu++17", "-O1", "-fPIC", "-c", *torch_flags(), *includes]
        with ThreadPoolExecutor(os.cpu_count()) as compilers:
            list(compilers.map(lambda name, made: _run(
                [*command, os.path.join(HERE, "backend", name), "-o", made]), _SOURCES, objects))
        made = os.path.join(work, "libtorch_npu.so")
        _run([tools.compiler, "-shared", "-fPIC", "-Wl,-soname,libtorch_npu.so", "-Wl,--no-as-needed",
              *objects, "-ltorch_cpu", "-lc10", *link, "-lascendcl", "-o", made])
        os.replace(made, os.path.join(folder, "libtorch_npu.so"))


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ImportError("torch_npu: the simulated device cannot be compiled for this torch: "
                          f"{' '.join(command)}\n{done.stderr[-4000:]}")


def load() -> ctypes.CDLL:
    """Loads the libraries for all extensions that come after."""
    folder = library_folder()
    # An exporter that was asked for writes at the end of the process, see docs/runtime.md.
    library = ctypes.CDLL(os.path.join(folder, "libtorch_npu.so"), ctypes.RTLD_GLOBAL)
    # Extensions look for the vendor's operators in it, by its name alone.
    for opapi in (os.path.join(path, "libopapi.so") for path in Toolchain().libraries):
        if os.path.exists(opapi):
            ctypes.CDLL(opapi, ctypes.RTLD_GLOBAL)
            break
    texts = ("synchronize", "start", "stream_make", "stream_handle", "stream_synchronize",
             "stream_query", "soc", "set_device", "require_device", "set_storage", "set_data", "graph_begin",
             "graph_end", "graph_replay", "graph_destroy")
    for name in texts:
        getattr(library, f"davsim_torch_{name}").restype = ctypes.c_char_p
    for name in ("stream_current", "stream_default"):
        getattr(library, f"davsim_torch_{name}").restype = ctypes.c_longlong
    return library
