"""The optimizers of torch_npu.optim, against their formulas in numpy."""

import copy
import importlib.util
import math

import numpy as np
import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch_npu  # noqa: E402

STEPS = 4


def values(seed, shape):
    return np.random.default_rng(seed).standard_normal(shape)


def trained(make, shape=(6, 5), scale=1.0):
    """The parameter after some steps, whose gradients are those of gradients()."""
    parameter = torch.nn.Parameter(torch.tensor(values(0, shape), dtype=torch.float32).npu())
    optimizer = make([parameter])
    for step in range(STEPS):
        optimizer.zero_grad()
        parameter.grad = torch.tensor(scale * values(1 + step, shape), dtype=torch.float32).npu()
        optimizer.step()
    return parameter.detach().cpu().numpy()


def by_formula(update, shape=(6, 5), scale=1.0):
    parameter, state = values(0, shape), {"m": np.zeros(shape), "v": np.zeros(shape)}
    for step in range(STEPS):
        parameter = update(parameter, scale * values(1 + step, shape), state, step)
    return parameter


def assert_like(made, update, **keywords):
    np.testing.assert_allclose(trained(made, **keywords), by_formula(update, **keywords), rtol=2e-5,
                               atol=2e-6)


def follow(state, gradient, beta1=0.9, beta2=0.999):
    state["m"] = beta1 * state["m"] + (1 - beta1) * gradient
    state["v"] = beta2 * state["v"] + (1 - beta2) * gradient**2


@pytest.mark.parametrize("decoupled", [True, False])
def test_adam(decoupled):
    made = torch_npu.optim.NpuFusedAdamW if decoupled else torch_npu.optim.NpuFusedAdam

    def update(p, g, state, step):
        if decoupled:
            p = p * (1 - 0.01 * 0.1)
        else:
            g = g + 0.1 * p
        follow(state, g)
        m, v = state["m"] / (1 - 0.9 ** (step + 1)), state["v"] / (1 - 0.999 ** (step + 1))
        return p - 0.01 * m / (np.sqrt(v) + 1e-8)

    assert_like(lambda parameters: made(parameters, lr=0.01, weight_decay=0.1), update)


def test_sgd_with_momentum():
    def update(p, g, state, step):
        state["b"] = g if step == 0 else 0.9 * state["b"] + 0.5 * g
        return p - 0.1 * state["b"]

    assert_like(lambda parameters: torch_npu.optim.NpuFusedSGD(parameters, 0.1, 0.9, 0.5), update)
    with pytest.raises(ValueError, match="Nesterov"):
        torch_npu.optim.NpuFusedSGD([torch.zeros(1)], 0.1, nesterov=True)


@pytest.mark.parametrize("adam", [False, True])
def test_lamb(adam):
    def update(p, g, state, step):
        length = np.sqrt((g**2).sum())
        follow(state, g / length if length > 1 else g)
        u = state["m"] / (np.sqrt(state["v"]) + 1e-6) + 0.1 * p
        trust = 1 if adam else min(np.linalg.norm(p), 10) / np.linalg.norm(u)
        return p - 0.01 * trust * u

    # Longer than what its length counts up to.
    assert_like(lambda parameters: torch_npu.optim.NpuFusedLamb(
        parameters, lr=0.01, weight_decay=0.1, adam=adam, use_global_grad_norm=True), update,
        shape=(20, 11))


@pytest.mark.parametrize("schedule", ["warmup_linear", "warmup_cosine", "warmup_constant", "warmup_poly"])
def test_bert_adam(schedule):
    def factor(x):
        if x < 0.3:
            return x / 0.3
        return {"warmup_linear": (1 - x) / 0.7, "warmup_cosine": (1 + math.cos(math.pi * x)) / 2,
                "warmup_constant": 1, "warmup_poly": math.sqrt(1 - x)}[schedule]

    def update(p, g, state, step):
        g = g * min(1, 2 / (np.sqrt((g**2).sum()) + 1e-6))
        follow(state, g)
        u = state["m"] / (np.sqrt(state["v"]) + 1e-6) + 0.01 * p
        return p - 0.1 * factor(step / 6) * u

    assert_like(lambda parameters: torch_npu.optim.NpuFusedBertAdam(
        parameters, lr=0.1, warmup=0.3, t_total=6, schedule=schedule, max_grad_norm=2.0), update)


@pytest.mark.parametrize("centered,decoupled,within", [(False, False, True), (True, True, False)])
def test_rmsprop_of_tensorflow(centered, decoupled, within):
    def update(p, g, state, step):
        if step == 0:
            state.update(v=np.ones_like(p), m=np.zeros_like(p), b=np.zeros_like(p))
        if decoupled:
            p = p * 0.9
        else:
            g = g + 0.1 * p
        state["v"] = 0.9 * state["v"] + 0.1 * g**2
        state["m"] = 0.9 * state["m"] + 0.1 * g
        spread = np.sqrt(state["v"] - (state["m"] ** 2 if centered else 0) + 1e-3)
        state["b"] = 0.5 * state["b"] + (0.01 if within else 1) * g / spread
        return p - (1 if within else 0.01) * state["b"]

    assert_like(lambda parameters: torch_npu.optim.NpuFusedRMSpropTF(
        parameters, lr=0.01, eps=1e-3, weight_decay=0.1, momentum=0.5, centered=centered,
        decoupled_decay=decoupled, lr_in_momentum=within), update)


@pytest.mark.parametrize("delta,rows", [(100.0, 6), (0.0, 0), (0.7, 1)])
def test_adamp_removes_what_lies_along_the_parameter(delta, rows):
    """By rows, not at all, and as a whole where single rows are too nearly parallel."""
    def cosines(p, g, n):
        p, g = p.reshape(n, -1), g.reshape(n, -1)
        return np.abs((p * g).sum(1) / np.linalg.norm(p, axis=1) / np.linalg.norm(g, axis=1)).max()

    seen = set()

    def update(p, g, state, step):
        follow(state, g)
        u = state["m"] / (np.sqrt(state["v"] / (1 - 0.999 ** (step + 1))) + 1e-8)
        decay, taken = 1, 0
        for n in (6, 1):
            if cosines(p, g, n) < delta / math.sqrt(30 / n):
                along = p.reshape(n, -1) / np.linalg.norm(p.reshape(n, -1), axis=1, keepdims=True)
                s = u.reshape(n, -1)
                u = (s - along * (along * s).sum(1, keepdims=True)).reshape(p.shape)
                decay, taken = 0.1, n
                break
        seen.add(taken)
        return p * (1 - 0.01 * 0.1 * decay) - 0.01 / (1 - 0.9 ** (step + 1)) * u

    assert_like(lambda parameters: torch_npu.optim.NpuFusedAdamP(
        parameters, lr=0.01, weight_decay=0.1, delta=delta), update)
    assert rows in seen


def test_what_they_have_in_common():
    for name in ("Adadelta", "RMSprop", "Adam", "Lamb", "AdamP"):
        model = torch.nn.Linear(4, 3).npu()
        optimizer = getattr(torch_npu.optim, f"NpuFused{name}")(model.parameters(), lr=0.01)
        assert isinstance(optimizer, torch_npu.optim.NpuFusedOptimizerBase)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        x = torch.ones(2, 4).npu()
        before = model.weight.detach().clone()
        assert optimizer.step(lambda: (model(x) ** 2).sum()) is not None
        (model(x) ** 2).sum().backward()
        optimizer.step()
        scheduler.step()
        assert not torch.equal(model.weight, before) and optimizer.param_groups[0]["lr"] == 0.005
        optimizer.zero_grad()
        assert model.weight.grad.abs().sum().item() == 0  # zeros, and not None
        with pytest.raises(ValueError, match="set_to_none"):
            optimizer.zero_grad(set_to_none=True)
        again = getattr(torch_npu.optim, f"NpuFused{name}")(model.parameters(), lr=1.0)
        again.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        assert again.param_groups[0]["lr"] == 0.005
    model = torch.nn.Linear(4, 3).npu().bfloat16()
    model(torch.ones(2, 4, dtype=torch.bfloat16).npu()).sum().backward()
    with pytest.raises(TypeError, match="bfloat16"):
        torch_npu.optim.NpuFusedAdamW(model.parameters()).step()


@pytest.mark.parametrize("norm_type", [2, 1, float("inf")])
def test_gradients_are_limited_together(norm_type):
    parameters = [torch.nn.Parameter(torch.zeros(n).npu()) for n in (3, 5)]
    for parameter in parameters:
        parameter.grad = torch.arange(1.0, len(parameter) + 1).npu()
    optimizer = torch_npu.optim.NpuFusedSGD(parameters, 0.1)
    both = np.array([1, 2, 3, 1, 2, 3, 4, 5.0])
    norm = np.linalg.norm(both, norm_type)
    assert math.isclose(optimizer.clip_grad_norm_fused_(2.0, norm_type).item(), norm, rel_tol=1e-6)
    got = torch.cat([parameter.grad.cpu() for parameter in parameters]).numpy()
    np.testing.assert_allclose(got, both * 2 / norm, rtol=1e-5)


def test_gradients_of_a_type_are_one_tensor():
    parameters = [torch.nn.Parameter(torch.zeros(n, dtype=dtype).npu())
                  for n, dtype in ((3, torch.float32), (4, torch.float16), (5, torch.float32))]
    for parameter in parameters:
        parameter.grad = torch.arange(1.0, len(parameter) + 1).to(parameter.dtype).npu()
    optimizer = torch_npu.optim.NpuFusedSGD(parameters, 0.5)
    wide, short = optimizer.get_combined_grads()
    assert wide.tolist() == [1, 2, 3, 1, 2, 3, 4, 5] and short.tolist() == [1, 2, 3, 4]
    wide.mul_(2)
    assert parameters[2].grad.tolist() == [2, 4, 6, 8, 10]
    optimizer.step()
    assert parameters[0].tolist() == [-1, -2, -3] and parameters[1].tolist() == [-0.5, -1, -1.5, -2]
    optimizer.zero_grad()
    assert wide.abs().sum().item() == 0
