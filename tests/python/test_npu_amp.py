"""Mixed precision on npu: which types autocast gives, and what the scaler does with a step."""

import importlib.util

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import torch_npu  # noqa: E402,F401
from torch_npu.npu import amp  # noqa: E402

HALF, FLOAT = torch.float16, torch.float32


def tensor(*shape, dtype=FLOAT):
    return torch.rand(*shape, device="npu").to(dtype)


@pytest.mark.parametrize("short", [torch.float16, torch.bfloat16])
def test_products_are_short_and_sums_are_float(short):
    x, y = tensor(2, 3), tensor(3, 3, dtype=short)
    with amp.autocast(dtype=short):
        assert torch.npu.is_autocast_enabled() and torch.npu.get_autocast_dtype() == short
        for product in (x @ y, torch.mm(x, y), F.linear(x, y), torch.addmm(x, x, y),
                        torch.bmm(x[None], y[None]), torch.einsum("ij,jk->ik", x, y),
                        F.conv2d(tensor(1, 1, 4, 4), tensor(2, 1, 3, 3))):
            assert product.dtype == short
        for wide in (F.softmax(y, -1), y.exp(), y.log(), y.sum(), y.sum(0), y.norm(), y.pow(2),
                     F.layer_norm(y, (3,)), F.mse_loss(y, y), y.cumsum(0), F.log_softmax(y, 1),
                     F.cross_entropy(y, torch.arange(3).npu())):
            assert wide.dtype == FLOAT
        assert torch.cat([x, y]).dtype == FLOAT and torch.stack([y, y]).dtype == short
        assert F.relu(y).dtype == short and (x * x).dtype == FLOAT, "no list has these"
        assert (x.double() @ y.double()).dtype == torch.float64
        assert (torch.rand(2, 3) @ torch.rand(3, 2)).dtype == FLOAT, "of the CPU"
        assert torch.equal((x @ y).cpu(), (x.to(short) @ y).cpu())
    assert not torch.npu.is_autocast_enabled() and (x @ y.float()).dtype == FLOAT


def test_contexts_lie_within_each_other():
    x = tensor(2, 2)
    with torch.autocast("npu", dtype=torch.bfloat16):
        assert (x @ x).dtype == torch.bfloat16
        with torch.autocast("npu", enabled=False):
            assert (x @ x).dtype == FLOAT
        with amp.autocast():
            assert (x @ x).dtype == HALF
        with pytest.raises(ZeroDivisionError), amp.autocast():
            1 / 0
        assert (x @ x).dtype == torch.bfloat16
    assert (x @ x).dtype == FLOAT
    assert amp.autocast()(lambda: x @ x)().dtype == HALF
    with pytest.raises(RuntimeError, match="float16 and bfloat16"):
        with amp.autocast(dtype=torch.int8):
            pass


def test_gradients_have_the_type_of_the_parameters():
    layer, x = torch.nn.Linear(4, 4).npu(), tensor(3, 4)
    with amp.autocast():
        y = layer(x)
    y.sum().backward()
    assert layer.weight.grad.dtype == FLOAT
    assert torch.allclose(layer.weight.grad[0].cpu(), x.half().float().sum(0).cpu(), atol=1e-2)


@pytest.mark.parametrize("cast", [None, FLOAT])
def test_functions_with_a_backward_pass_of_their_own(cast):
    seen = []

    class Double(torch.autograd.Function):
        @staticmethod
        @amp.custom_fwd(cast_inputs=cast)
        def forward(ctx, x):
            seen.append(x.dtype)
            return (x @ x).float()

        @staticmethod
        @amp.custom_bwd
        def backward(ctx, gradient):
            seen.append((gradient @ gradient).dtype)
            return gradient

    x = tensor(2, 2, dtype=HALF).requires_grad_()
    with amp.autocast():
        y = Double.apply(x)
    y.sum().backward()
    assert seen == ([HALF, HALF] if cast is None else [FLOAT, FLOAT])


def test_a_step_with_an_infinity_is_left_out():
    weight = torch.nn.Parameter(torch.ones(2).npu())
    optimizer = torch.optim.SGD([weight], 1.0)
    scaler = amp.GradScaler(init_scale=8.0, growth_interval=2)
    for factor, expected, scale in ((0.5, 0.5, 8.0), (float("inf"), 0.5, 4.0), (0.25, 0.25, 4.0),
                                    (0.25, 0.0, 8.0)):
        optimizer.zero_grad()
        loss = scaler.scale((weight * factor).sum())
        loss.backward()
        scaler.unscale_(optimizer)
        if factor < 1:
            assert weight.grad.tolist() == [factor, factor]
        with pytest.raises(RuntimeError, match="already been called"):
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        assert weight.tolist() == [expected, expected] and scaler.get_scale() == scale
    other = amp.GradScaler()
    assert other.get_scale() == 65536
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 8 and other.is_enabled()
    off = amp.GradScaler(enabled=False)
    assert off.scale(weight) is weight and off.get_scale() == 1 and off.state_dict() == {}
    fixed = amp.GradScaler(init_scale=2.0, dynamic=False)
    fixed.update()
    assert fixed.get_scale() == 2
