"""Tensors of every kind: numpy, BFloat16, lists, objects with __dlpack__."""

import numpy as np
import pytest

import davsim
from davsim.testing import assert_close


def test_bfloat16_rounds_to_the_nearest_even():
    values = np.array([1.0, 1.00390625, 1.01171875, 3.4e38, -0.0, np.inf, np.nan], np.float32)
    rounded = davsim.BFloat16.from_float32(values)
    back = rounded.to_float32()
    assert back[:3].tolist() == [1.0, 1.0, 1.015625]
    assert back[3] == np.float32(np.inf) or back[3] > 3.38e38
    assert np.signbit(back[4]) and back[5] == np.inf and np.isnan(back[6])
    assert rounded.shape == (7,) and np.asarray(rounded).dtype == np.float32
    with pytest.raises(davsim.DtypeError, match="float32"):
        davsim.BFloat16(values)


def test_bfloat16_goes_in_and_comes_out(sim, matmul):
    a, b, product = matmul
    c = sim.run("matmul", a=davsim.BFloat16.from_float32(a), b=davsim.BFloat16.from_float32(b))["c"]
    assert isinstance(c, davsim.BFloat16)
    assert_close(c, davsim.BFloat16.from_float32(product), rtol=0, atol=0)


def test_strides_of_any_kind(sim, matmul):
    a, b, product = matmul
    wide = np.zeros((64, 64), np.float16)
    wide[::2] = a
    for left in (wide[::2], np.asfortranarray(a), a[::-1][::-1]):
        assert np.array_equal(sim.run("matmul", a=left, b=b)["c"], product)


class Foreign:
    """A tensor of another library."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_what_has_dlpack_is_a_tensor(sim, matmul):
    a, b, product = matmul
    assert np.array_equal(sim.run("matmul", a=Foreign(a), b=Foreign(b))["c"], product)


def test_numbers_in_lists_are_a_tensor(sim):
    c = sim.run("matmul", a=[[1, 2], [3, 4]], b=[[1, 0], [0, 1]])["c"]
    assert c.dtype == np.float16 and c.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(davsim.UsageError, match="a cannot be made a tensor"):
        sim.run("matmul", a=[[1, 2], [3]], b=[[1]])


def test_none_is_not_given(sim, matmul):
    a, b, product = matmul
    assert np.array_equal(sim.run("matmul", a=a, b=b, bias=None, transpose_a=None)["c"], product)


def test_dtypes_that_the_device_lacks(sim):
    for dtype in (np.complex64, ">f2", object):
        with pytest.raises(davsim.DtypeError, match="does not have"):
            sim.run("matmul", a=np.zeros((2, 2), dtype), b=np.zeros((2, 2), np.float16))
    with pytest.raises(davsim.DtypeError):
        sim.empty((2,), "complex64")


@pytest.mark.parametrize("dtype, name", [("bool", "bool"), (np.int8, "int8"), (float, "float64"),
                                         (np.dtype("uint32"), "uint32"), ("float16", "float16")])
def test_empty_takes_every_way_to_name_a_dtype(sim, dtype, name):
    array = sim.empty((2, 3), dtype)
    assert array.dtype == name and array.shape == (2, 3) and not array.any()
    assert isinstance(sim.empty(4, "bfloat16"), davsim.BFloat16)
    assert sim.empty((), "int32").shape == () and sim.empty((0, 5), "int64").size == 0


def test_a_read_only_tensor_is_not_updated_in_place(sim):
    cache = np.zeros((4, 16, 1, 128), np.int8)
    cache.flags.writeable = False
    with pytest.raises(davsim.UsageError, match="k_cache is updated in place.*read-only"):
        sim.run("rope_quant_kvcache", k_cache=cache)
    constant = np.ones((2, 2), np.float16)
    constant.flags.writeable = False
    assert sim.run("matmul", a=constant, b=constant)["c"].tolist() == [[2, 2], [2, 2]]
