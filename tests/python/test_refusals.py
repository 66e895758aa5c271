"""Calls that are refused: one exception class for each error class, naming rule and value."""

import pickle

import numpy as np
import pytest

import davsim


def ones(*shape, dtype=np.float16):
    return np.ones(shape, dtype)


def rope(**changed):
    arguments = {"qkv": ones(4, 1, 768), "cos": ones(4, 1, 1, 128), "sin": ones(4, 1, 1, 128),
                 "quant_scale": ones(128, dtype=np.float32),
                 "quant_offset": ones(128, dtype=np.int32),
                 "k_cache": ones(4, 16, 1, 128, dtype=np.int8),
                 "v_cache": ones(4, 16, 1, 128, dtype=np.int8),
                 "indice": [0, 1, 2, 3], "size_splits": [512, 128, 128]}
    return arguments | changed


REFUSALS = [
    ("matmul", {"a": ones(4, 4)}, davsim.MissingTensorError, "E_NULL", "b"),
    ("matmul", {"a": ones(4, 4, dtype=np.int16), "b": ones(4, 4)}, davsim.DtypeError, "E_DTYPE",
     "int16"),
    ("matmul", {"a": ones(4), "b": ones(4, 4)}, davsim.RankError, "E_RANK", "a"),
    ("matmul", {"a": ones(4, 4), "b": ones(5, 4)}, davsim.ShapeError, "E_SHAPE", "5"),
    ("matmul", {"a": ones(4, 4), "b": ones(4, 4), "scale": 2.0}, davsim.AttributeValueError,
     "E_ATTR", "scale"),
    ("matmul", {"a": ones(4, 4), "b": ones(4, 4), "d": ones(4)}, davsim.AttributeValueError,
     "E_ATTR", "d"),
    ("matmul", {"a": ones(4, 4), "b": ones(4, 4), "transpose_a": "yes"},
     davsim.AttributeValueError, "E_ATTR", "yes"),
    ("rope_quant_kvcache", rope(indice=[0, 1, 2, 16]), davsim.TensorIndexError, "E_INDEX", "16"),
]


@pytest.mark.parametrize("operator, arguments, kind, name, value", REFUSALS)
def test_each_class_has_its_exception(sim, operator, arguments, kind, name, value):
    with pytest.raises(kind) as caught:
        sim.run(operator, **arguments)
    assert type(caught.value) is kind
    assert caught.value.error_class == name
    assert caught.value.rule
    assert value in str(caught.value)


def test_a_refused_call_leaves_tensors_in_place_as_they_are(sim):
    arguments = rope(indice=[0, 1, 2, 16])
    with pytest.raises(davsim.RefusedError):
        sim.run("rope_quant_kvcache", **arguments)
    assert (arguments["k_cache"] == 1).all()
    sim.run("rope_quant_kvcache", **rope())


def test_classes_are_those_that_python_programs_expect(sim):
    assert issubclass(davsim.ShapeError, ValueError)
    assert issubclass(davsim.DtypeError, TypeError)
    assert issubclass(davsim.TensorIndexError, IndexError)
    assert issubclass(davsim.UnsupportedError, NotImplementedError)
    for kind in (davsim.RefusedError, davsim.KernelFault, davsim.CheckError, davsim.UsageError,
                 davsim.WorkerError, davsim.FileError, davsim.InternalError):
        assert issubclass(kind, davsim.Error)


def test_exceptions_go_from_process_to_process():
    where = {"kernel": "k", "core": "core0.aicore", "file": "k.cpp", "line": 7}
    for kind, extra in ((davsim.ShapeError, {}), (davsim.KernelFault, where),
                        (davsim.KernelTimeout, where), (davsim.FileError, {}),
                        (davsim.CheckError, {"findings": [{"class": "race"}]})):
        error = kind("what", rule="the rule", **extra)
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is kind and str(copy) == str(error) and vars(copy) == vars(error)


def test_an_operator_that_the_product_lacks():
    with davsim.Device("Ascend910_9392"), pytest.raises(davsim.UnsupportedError, match="A3"):
        davsim.run("rope_quant_kvcache", **rope())


def test_names_that_do_not_exist(sim):
    with pytest.raises(davsim.UsageError, match="did you mean 'matmul'"):
        sim.run("matmull")
    with pytest.raises(davsim.UsageError, match="Ascend910B3"):
        davsim.Device("Ascend910B33").operators
    with pytest.raises(davsim.UsageError, match="l2.size"):
        davsim.Device(set={"l2.sizes": "1MiB"}).operators
    with pytest.raises(davsim.UsageError, match="none.so"):
        davsim.Device(operators=["none.so"]).operators
    with pytest.raises(davsim.UsageError, match="timeout"):
        davsim.Device(timeout=-1)


def test_a_command_that_does_not_exist(monkeypatch):
    monkeypatch.setenv("DAVSIM_PROGRAM", "/nowhere/davsim")
    with pytest.raises(davsim.WorkerError, match="/nowhere/davsim"):
        davsim.Device().operators


def test_values_that_are_no_attributes(sim):
    good = {"a": ones(4, 4), "b": ones(4, 4)}
    with pytest.raises(davsim.UsageError) as caught:
        sim.run("rope_quant_kvcache", **rope(size_splits=[float("nan")]))
    assert "finite" in caught.value.rule
    with pytest.raises(davsim.AttributeValueError, match="transpose_a is of type object"):
        sim.run("matmul", **good, transpose_a=object())
    with pytest.raises(davsim.AttributeValueError):
        sim.run("matmul", **good, m=1 << 70)
    assert np.array_equal(sim.run("matmul", **good, m=np.int64(0))["c"], 4 * ones(4, 4))


def test_more_than_the_memory_holds():
    device = davsim.Device()
    with pytest.raises(davsim.UsageError, match="global memory"):
        device.empty((1 << 40,), "float32")
    assert device.empty((4,), "float32").tolist() == [0, 0, 0, 0]
