"""torch_npu.contrib, torchair, and what programs call of torch_npu's tools without effect."""

import importlib.util

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch_npu  # noqa: E402
from torch_npu.contrib.function import fuse_add_softmax_dropout, matmul_transpose  # noqa: E402
from torch_npu.contrib.module import LinearA8W8Quant, LinearQuant, LinearWeightQuant  # noqa: E402

torch.manual_seed(9)


def test_linear_layers_of_int8():
    x, w = torch.randint(-9, 9, (5, 32)).to(torch.int8), torch.randint(-9, 9, (16, 32)).to(torch.int8)
    scale, token, bias = torch.rand(16) * 0.1, torch.rand(5), torch.randint(-99, 99, (16,)).int()
    layer = LinearQuant(32, 16, pertoken_scale=True, output_dtype=torch.bfloat16).npu()
    for name, value in (("weight", w), ("scale", scale), ("pertoken_scale", token), ("bias", bias)):
        getattr(layer, name).data = value.npu()
    expected = ((x.float() @ w.float().t() + bias) * scale * token[:, None]).bfloat16()
    assert torch.allclose(layer(x.npu()).cpu().float(), expected.float(), rtol=1e-2)
    layer.weight.data = torch_npu.npu_format_cast(layer.weight.data, 29)
    assert torch.allclose(layer(x.npu()).cpu().float(), expected.float(), rtol=1e-2)
    plain = LinearA8W8Quant(32, 16, bias=False).npu()
    plain.weight.data, plain.scale.data = w.npu(), torch_npu.npu_trans_quant_param(scale.npu())
    assert plain(x.npu()).dtype == torch.int8 and plain.offset is None


def test_linear_layer_of_weights_of_int8():
    """The documented example, in small."""
    x, w = torch.randn(6, 32).half(), torch.randint(-9, 9, (32, 16)).to(torch.int8)
    scale, offset = torch.randn(1, 16).half(), torch.randn(1, 16).half()
    quant, shift = torch.rand(1, 16) * 0.2, torch.randint(-9, 9, (1, 16)).float()
    layer = LinearWeightQuant(32, 16, bias=False, dtype=torch.float16, antiquant_offset=True, quant_scale=True,
                              quant_offset=True, device=torch.device("npu:0"))
    layer.weight.data = w.npu().transpose(-1, -2)
    layer.antiquant_scale.data, layer.antiquant_offset.data = (t.npu().transpose(-1, -2) for t in (scale, offset))
    layer.quant_scale.data = torch_npu.npu_trans_quant_param(*(t.npu() for t in (quant, shift)))
    layer.quant_offset.data = shift.npu()
    expected = x.float() @ ((w.float() + offset.float()) * scale.float()) * quant + shift
    assert (layer(x.npu()).cpu().float() - expected.clamp(-128, 127)).abs().max() <= 0.6
    assert sorted(layer.state_dict()) == ["antiquant_offset", "antiquant_scale", "quant_offset", "quant_scale",
                                          "weight"]


def test_functions_that_stand_for_several():
    scores, mask = torch.randn(2, 4, 4), torch.zeros(2, 1, 4)
    mask[..., 3] = -10000
    got = fuse_add_softmax_dropout(False, lambda x: x, mask.npu(), scores.npu(), 16)
    assert torch.allclose(got.cpu(), torch.softmax(scores / 4 + mask, -1), atol=1e-6)
    assert torch.equal(matmul_transpose(scores.npu(), scores.npu()).cpu(), scores @ scores.transpose(1, 2))
    x = torch.randn(7)
    assert torch.allclose(torch_npu.contrib.Swish()(x.npu()).cpu(), torch.nn.functional.silu(x), atol=1e-6)
    assert torch.allclose(torch_npu.contrib.Mish()(x.npu()).cpu(), torch.nn.functional.mish(x), atol=1e-6)


def test_models_are_compiled_to_themselves():
    import torchair as tng
    from torchair.configs.compiler_config import CompilerConfig

    config = CompilerConfig()
    config.debug.graph_dump.type = "pbtxt"
    config.experimental_config.frozen_parameter = True
    assert config.debug.graph_dump.type == "pbtxt"
    backend = tng.get_npu_backend(compiler_config=config)

    class Model(torch.nn.Module):
        def forward(self, x, scale):
            return torch_npu.npu_quant_matmul(x, x.t(), scale, output_dtype=torch.float16)

    x, scale = torch.randint(-9, 9, (4, 32)).to(torch.int8).npu(), torch.ones(1).npu()
    model = torch.compile(Model().npu(), backend=backend, dynamic=True, fullgraph=True)
    assert torch.equal(model(x, scale).cpu(), (x.cpu().float() @ x.cpu().float().t()).half())

    @torch.compile(backend=backend)
    def double(x):
        return x * 2

    assert double(torch.ones(2).npu()).tolist() == [2, 2]
    layer = LinearQuant(32, 16).npu()
    tng.experimental.inference.use_internal_format_weight(layer)
    assert torch_npu.get_npu_format(layer.weight) == 29


def test_tools_and_options_are_there():
    options = torch_npu._C._distributed_c10d.ProcessGroupHCCL.Options()
    options.hccl_config = {"hccl_buffer_size": 200}
    torch_npu.utils.set_thread_affinity([0, 1])
    assert torch.npu.utils.get_cann_version() == "8.3.RC1" and torch.npu.get_cann_version("none") == ""
    torch.npu.aclnn.allow_hf32 = True
    x = torch.npu.enable_deterministic_with_backward(torch.ones(2).npu())
    assert x.tolist() == [1, 1] and torch_npu.empty_with_swapped_memory([2, 3], dtype=torch.half).is_npu
    with torch.npu.stream(torch.npu.SyncLaunchStream()):
        assert (x + 1).tolist() == [2, 2]
    torch.manual_seed(3)
    first = torch.rand(2)
    torch.manual_seed(3)
    with torch.npu.random.fork_rng():
        torch.rand(5)
    assert torch.equal(torch.rand(2), first)
