"""What the tests of the Python package share."""

import json
import pathlib
import struct
import subprocess

import numpy as np
import pytest

import davsim
from davsim import _worker

DTYPES = {"F16": "float16", "F32": "float32", "I8": "int8", "U8": "uint8", "BOOL": "bool",
          "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32", "I64": "int64",
          "U64": "uint64"}


def read_safetensors(path):
    """The tensors of a file by name; bfloat16 as davsim.BFloat16."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, about in header.items():
        if name == "__metadata__":
            continue
        first, last = (8 + length + offset for offset in about["data_offsets"])
        dtype = "uint16" if about["dtype"] == "BF16" else DTYPES[about["dtype"]]
        array = np.frombuffer(data[first:last], dtype).reshape(about["shape"]).copy()
        tensors[name] = davsim.BFloat16(array) if about["dtype"] == "BF16" else array
    return tensors


def bits(value):
    """The bytes of a tensor of any kind."""
    return np.asarray(value.bits if isinstance(value, davsim.BFloat16) else value).tobytes()


class CommandRun:
    """What `davsim run OPERATOR --case CASE` takes and gives."""

    def __init__(self, folder, operator, case, soc="Ascend910B3"):
        files = {name: str(folder / f"{case}.{name}") for name in ("inputs", "attrs", "outputs")}
        done = subprocess.run(
            [_worker.program(), "run", operator, "--case", case, "--soc", soc, "--json",
             "--save-inputs", files["inputs"], "--save-attrs", files["attrs"],
             "--outputs", files["outputs"]], capture_output=True, check=True)
        self.figures = json.loads(done.stdout)
        assert self.figures["check"] == "passed"
        self.inputs = read_safetensors(files["inputs"])
        self.outputs = read_safetensors(files["outputs"])
        self.attributes = json.loads(pathlib.Path(files["attrs"]).read_text())


@pytest.fixture(scope="module")
def sim():
    """A device that all tests of a file share."""
    device = davsim.Device()
    yield device
    device.close()


@pytest.fixture
def matmul():
    """Matrices [32, 64] and [64, 48] of small integers, whose product is exact, and the product."""
    random = np.random.default_rng(7)
    a = random.integers(-4, 5, (32, 64)).astype(np.float16)
    b = random.integers(-4, 5, (64, 48)).astype(np.float16)
    return a, b, a.astype(np.float32) @ b.astype(np.float32)
