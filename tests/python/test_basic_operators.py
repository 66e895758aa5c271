"""Calls of every function of libopapi with arguments at random: each ends with a result or with an
error of the interface, and the process goes on."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from davsim import _worker

FUNCTIONS = pathlib.Path(__file__).parents[2] / "runtime/basic_operators/functions"
LIBRARIES = pathlib.Path(_worker.program()).parents[1] / "runtime"

CALLS = r"""
import ctypes, random, re, sys
from ctypes import (POINTER, byref, c_bool, c_char_p, c_double, c_float, c_int, c_int8, c_int64, c_size_t,
                    c_uint64, c_void_p)

libraries, path, seed, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
acl = ctypes.CDLL(libraries + "/libascendcl.so", ctypes.RTLD_GLOBAL)
operators = ctypes.CDLL(libraries + "/libopapi.so")
acl.aclGetRecentErrMsg.restype = c_char_p
for name in ("Tensor", "Scalar", "IntArray", "BoolArray", "TensorList"):
    getattr(acl, "aclCreate" + name).restype = c_void_p
at_random = random.Random(path + seed)
pick, below = at_random.choice, at_random.randrange
SIZES = [0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 16, 17, 33, 64]
POOL = 1 << 24
FLOAT, HALF, BF16, INT32, INT64, BOOL, DOUBLE = 0, 1, 27, 3, 9, 12, 11
TYPES = [FLOAT, HALF, BF16, INT32, INT64, 2, 4, BOOL, 6, DOUBLE, 16, 10, 29, 13]
pool, stream = c_void_p(), c_void_p()


def begin():
    acl.aclrtSetDevice(0)
    acl.aclrtCreateStream(byref(stream))
    acl.aclrtMalloc(byref(pool), c_size_t(POOL), 0)
    acl.aclrtMemset(pool, c_size_t(POOL), 0, c_size_t(POOL))


def sizes(common):
    shape = list(common) if below(2) else [pick(SIZES) for _ in range(below(6))]
    if shape and below(4) == 0:
        shape[below(len(shape))] = pick(SIZES)
    if shape and below(200) == 0:
        shape[below(len(shape))] = 1 << below(62)
    return shape


def tensor(common):
    if below(14) == 0:
        return None
    shape = sizes(common)
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    if shape and below(8) == 0:
        shape[0], shape[-1], strides[0], strides[-1] = shape[-1], shape[0], strides[-1], strides[0]
    if shape and below(12) == 0:
        strides[below(len(shape))] = pick([0, 3, 1 << 40])
    words = lambda numbers: (c_int64 * max(len(numbers), 1))(*(min(n, (1 << 63) - 1) for n in numbers))
    where = pick([None, 1 << 40]) if below(40) == 0 else pool.value + 64 * below(POOL // 64)
    return acl.aclCreateTensor(words(shape), c_uint64(len(shape)), pick(TYPES[:3] if below(2) else TYPES),
                               words(strides), c_int64(below(100) if below(8) == 0 else 0),
                               29 if below(20) == 0 else 2, words(shape), c_uint64(len(shape)), c_void_p(where))


def scalar():
    if below(12) == 0:
        return None
    number = pick([-2, 0, 1, 3, 1e30])
    return acl.aclCreateScalar(byref(c_float(number)), FLOAT) if below(2) else acl.aclCreateScalar(
        byref(c_int64(int(min(number, 9)))), INT64)


def ints():
    numbers = [at_random.getrandbits(63) if below(30) == 0 else below(8) - 2 for _ in range(below(5))]
    return None if below(10) == 0 else acl.aclCreateIntArray((c_int64 * 5)(*numbers), c_uint64(len(numbers)))


def tensor_list(common):
    if below(10) == 0:
        return None
    tensors = [tensor(common) for _ in range(below(4))]
    return acl.aclCreateTensorList((c_void_p * 4)(*tensors), c_uint64(len(tensors)))


def argument(kind, common):
    whole = at_random.getrandbits(63) if below(40) == 0 else below(12) - 3
    real = 1e300 if below(10) == 0 else below(100) / 10 - 3
    if kind == "aclTensor*":
        return c_void_p(tensor(common))
    if kind == "aclTensorList*":
        return c_void_p(tensor_list(common))
    if kind == "aclScalar*":
        return c_void_p(scalar())
    if kind == "aclIntArray*":
        return c_void_p(ints())
    if kind == "aclBoolArray*":
        return c_void_p(acl.aclCreateBoolArray((c_bool * 4)(True, False, True, True), c_uint64(below(5))))
    if kind == "char*":
        return c_char_p(pick([None, b"", b"BSH", b"BNSD", b"TND", b"Norm", b"half", b"xx"]))
    if kind == "aclDataType":
        return c_int(pick(TYPES))
    plain = {"double": c_double, "float": c_float, "bool": c_bool, "int8_t": c_int8, "int": c_int,
             "int32_t": c_int, "int64_t": c_int64, "uint64_t": c_uint64, "aclFloatArray*": c_void_p,
             "aclScalarList*": c_void_p, "uint32_t": c_int}[kind]
    if plain in (c_double, c_float):
        return plain(real)
    return plain(None if kind.endswith("*") else whole % 2 if plain is c_bool else whole)


def call(name, kinds):
    common = [pick([1, 2, 3, 4, 8, 16, 17, 33]) for _ in range(below(5))]
    size, executor, workspace = c_uint64(), c_void_p(), c_void_p()
    given = [argument(kind, common) for kind in kinds]
    code = getattr(operators, name + "GetWorkspaceSize")(*given, byref(size), byref(executor))
    if code != 0:
        assert code // 1000 in (161, 361, 561), (name, code, acl.aclGetRecentErrMsg())
        return False
    if size.value > POOL:
        acl.aclDestroyAclOpExecutor(executor)
        return False
    if size.value > 0:
        assert acl.aclrtMalloc(byref(workspace), size, 0) == 0, name
    code = getattr(operators, name)(workspace, size, executor, stream)
    assert code == 0 or code // 1000 in (161, 361, 561), (name, code, acl.aclGetRecentErrMsg())
    if workspace.value:
        acl.aclrtFree(workspace)
    ended = acl.aclrtSynchronizeStream(stream)
    # Values on the device may break a rule, such as an index; nothing else goes wrong there.
    assert ended in (0, 507018), (name, ended, acl.aclGetRecentErrMsg())
    if ended != 0:
        acl.aclrtResetDevice(0)
        begin()
    return code == 0 and ended == 0


acl.aclInit(None)
begin()
right = 0
for line in open(path, encoding="utf-8"):
    function = re.fullmatch(r"  (aclnn\w+)\((.*)\)\n", line)
    if function is None:
        continue
    kinds = [re.sub(r"\bconst ", "", parameter).rsplit(" ", 1)[0].strip()
             for parameter in function[2].split(", ")]
    for _ in range(rounds):
        print(function[1], file=sys.stderr)
        right += call(function[1], kinds)
print(right)
"""


@pytest.mark.parametrize("family", sorted(path.name for path in FUNCTIONS.glob("*.txt")))
def test_any_arguments_end_with_a_result_or_an_error(family):
    done = subprocess.run(
        [sys.executable, "-c", CALLS, str(LIBRARIES), str(FUNCTIONS / family),
         os.environ.get("DAVSIM_SEED", "1"), os.environ.get("DAVSIM_ROUNDS", "30")],
        capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    # Arguments at random never fit together for attention, for example.
    if family in ("of_one.txt", "of_pairs.txt", "reductions.txt"):
        assert int(done.stdout.split()[-1]) > 0, "no call was right"
