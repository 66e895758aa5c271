"""The module acl: programs that call AscendCL from Python."""

import ctypes
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from davsim import _worker

PACKAGES = pathlib.Path(os.environ["DAVSIM_WRONG_OPERATORS"]).parent / "opp/packages/vendors"
os.environ["ASCEND_CUSTOM_OPP_PATH"] = str(PACKAGES / "cust")

import acl

TO_DEVICE, TO_HOST, TIME_LINE = 1, 2, 8
FLOAT16, ND = 1, 2
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, uint32_t length, float factor) {
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x);
  to.SetGlobalBuffer((__gm__ float*)y);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, length * sizeof(float));
  LocalTensor<float> local = buffer.Get<float>();
  DataCopy(local, from, length);
  PipeBarrier<PIPE_ALL>();
  Muls(local, local, factor, length);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, local, length);
}
"""


def value(result):
    """What a call returned, without its code, which must be 0."""
    *values, code = result if isinstance(result, tuple) else (result,)
    assert code == 0, acl.get_recent_err_msg()
    return values[0] if len(values) == 1 else tuple(values)


@pytest.fixture(scope="module")
def stream():
    value(acl.init())
    value(acl.rt.set_device(0))
    made = value(acl.rt.create_stream())
    yield made
    value(acl.rt.destroy_stream(made))
    value(acl.rt.reset_device(0))
    value(acl.finalize())


def on_device(array):
    block = value(acl.rt.malloc(array.nbytes, 0))
    value(acl.rt.memcpy(block, array.nbytes, acl.util.numpy_to_ptr(array), array.nbytes, TO_DEVICE))
    return block


def from_device(block, like):
    made = np.empty_like(like)
    value(acl.rt.memcpy(acl.util.numpy_to_ptr(made), made.nbytes, block, made.nbytes, TO_HOST))
    return made


def launch(binary, arguments, stream):
    function = value(acl.rt.binary_get_function(binary, "scale"))
    handle = value(acl.rt.kernel_args_init(function))
    for argument in arguments:
        size = ctypes.sizeof(argument)
        value(acl.rt.kernel_args_append(handle, ctypes.addressof(argument), size))
    value(acl.rt.kernel_args_finalize(handle))
    value(acl.rt.launch_kernel_with_config(function, 1, stream, [], handle, 0))


def test_the_device_and_its_figures(stream):
    assert acl.get_soc_name() == acl.rt.get_soc_name() == "Ascend910B3"
    assert value(acl.rt.get_device_count()) == 1 and value(acl.rt.get_device()) == 0
    assert value(acl.rt.get_device_info(0, 601)) == 2201
    free, total, code = acl.rt.get_mem_info(1)
    assert 0 < free <= total and code == 0
    context = value(acl.rt.get_context())
    assert context != 0 and acl.rt.set_context(context) == 0


def test_memory_is_copied(stream):
    numbers = np.arange(100, dtype=np.float32)
    block = on_device(numbers)
    host = value(acl.rt.malloc_host(400))
    value(acl.rt.memcpy_async(host, 400, block, 400, TO_HOST, stream))
    value(acl.rt.synchronize_stream_with_timeout(stream, 10000))
    for kind in (11, np.float32, "float32"):
        assert (acl.util.ptr_to_numpy(host, (10, 10), kind) == numbers.reshape(10, 10)).all()
    assert acl.util.ptr_to_bytes(host, 400) == numbers.tobytes()
    data = bytes(range(100)) * 4
    value(acl.rt.memcpy(block, 400, acl.util.bytes_to_ptr(data), 400, TO_DEVICE))
    assert from_device(block, numbers).tobytes() == data
    value(acl.rt.memset(block, 400, 1, 400))
    assert (from_device(block, np.empty(400, np.uint8)) == 1).all()
    value(acl.rt.free(block))
    value(acl.rt.free_host(host))
    with pytest.raises(ValueError, match="contiguous"):
        acl.util.numpy_to_ptr(numbers[::2])


def test_what_goes_wrong(stream):
    pointer, code = acl.rt.malloc(0, 0)
    assert pointer == 0 and code != 0 and "size" in acl.get_recent_err_msg()
    assert acl.get_recent_err_msg() is None
    assert acl.rt.memcpy(None, 4, 0, 4, TO_HOST) != 0
    with pytest.raises(TypeError, match=r"acl.rt.malloc\(\) takes 2 arguments, 1 were given"):
        acl.rt.malloc(4)
    with pytest.raises(OverflowError):
        acl.rt.set_device(1 << 40)
    with pytest.raises(AttributeError, match="acl.mdl: models of graphs are not there"):
        acl.mdl


def test_a_kernel_of_a_binary(stream, tmp_path):
    source, library = tmp_path / "scale.cpp", tmp_path / "scale.so"
    source.write_text(SOURCE)
    compiler = os.path.join(os.path.dirname(_worker.program()), "davsim-cc")
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library], check=True)
    x = np.arange(64, dtype=np.float32)
    blocks = [on_device(x), on_device(np.zeros_like(x))]
    binary = value(acl.rt.binary_load_from_file(str(library), []))
    begin, end = (value(acl.rt.create_event_with_flag(TIME_LINE)) for _ in range(2))
    value(acl.rt.record_event(begin, stream))
    arguments = [ctypes.c_uint64(block) for block in blocks]
    launch(binary, [*arguments, ctypes.c_uint32(64), ctypes.c_float(0.5)], stream)
    value(acl.rt.record_event(end, stream))
    value(acl.rt.synchronize_stream(stream))
    assert value(acl.rt.event_elapsed_time(begin, end)) > 0
    assert value(acl.rt.query_event_status(end)) == 1
    assert (from_device(blocks[1], x) == x / 2).all()
    value(acl.rt.binary_unload(binary))
    with pytest.raises(NotImplementedError, match="cfg"):
        acl.rt.launch_kernel_with_config(0, 1, stream, [1], 0, 0)


def test_callbacks_in_a_thread(stream):
    heard, going = [], [True]

    def serve(arguments):
        acl.rt.set_context(arguments[0])
        while going:
            acl.rt.process_report(arguments[1])

    thread = value(acl.util.start_thread(serve, [value(acl.rt.get_context()), 20]))
    value(acl.rt.subscribe_report(thread, stream))
    for number in range(20):
        value(acl.rt.launch_callback(heard.append, [number], 1, stream))
    value(acl.rt.synchronize_stream(stream))
    value(acl.rt.unsubscribe_report(thread, stream))
    going.clear()
    value(acl.util.stop_thread(thread))
    assert heard == [[number] for number in range(20)]
    assert acl.util.stop_thread(thread) != 0


def test_an_operator_by_name(stream):
    shape = (8, 2048)
    x, y = (np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float16) for seed in (1, 2))
    blocks = [on_device(array) for array in (x, y, np.zeros_like(x))]
    tensors = [acl.create_tensor_desc(FLOAT16, list(shape), ND) for _ in blocks]
    assert acl.get_tensor_desc_size(tensors[0]) == x.nbytes
    assert acl.get_tensor_desc_num_dims(tensors[0]) == 2
    assert value(acl.get_tensor_desc_dim_v2(tensors[0], 1)) == 2048
    buffers = [acl.create_data_buffer(block, x.nbytes) for block in blocks]
    assert acl.get_data_buffer_addr(buffers[0]) == blocks[0]
    assert acl.get_data_buffer_size(buffers[0]) == x.nbytes
    attributes = acl.op.create_attr()
    value(acl.op.set_attr_float(attributes, "alpha", 2.0))
    value(acl.op.execute_v2("AddCustom", tensors[:2], buffers[:2], tensors[2:], buffers[2:],
                            attributes, stream))
    value(acl.rt.synchronize_stream(stream))
    expected = x.astype(np.float32) + 2 * y.astype(np.float32)
    assert np.allclose(from_device(blocks[2], x), expected, rtol=2e-3, atol=2e-3)
    for name, values in (("list_int", [1, 2]), ("list_float", [0.5]), ("list_bool", [True, False]),
                         ("list_string", ["a", "b"])):
        value(getattr(acl.op, f"set_attr_{name}")(attributes, name, values))
    assert acl.op.execute_v2("NoSuchCustom", [], [], [], [], attributes, stream) != 0
    acl.op.destroy_attr(attributes)
    for tensor, buffer in zip(tensors, buffers):
        acl.destroy_tensor_desc(tensor)
        value(acl.destroy_data_buffer(buffer))


def test_the_profiler_is_accepted(stream):
    value(acl.prof.init("profile"))
    config = acl.prof.create_config([0], 1, 0, 7)
    for call in (acl.prof.start, acl.prof.stop, acl.prof.destroy_config):
        value(call(config))
    value(acl.prof.finalize())


def test_the_module_needs_no_torch():
    program = "import acl, sys; assert 'torch' not in sys.modules; print(acl.init())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "0\n", done.stderr
