"""What programs of torch do with tensors of npu beside computing: files, copies of modules, generators,
autocast, convolutions."""

import copy
import importlib.util
import io
import pickle
import unittest

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch

import torch_npu


def saved(what, **options):
    file = io.BytesIO()
    torch.save(what, file, **options)
    return file


def loaded(file, **options):
    file.seek(0)
    return torch.load(file, **options)


@pytest.mark.parametrize("zipped", [True, False])
def test_files_keep_the_device_unless_it_is_mapped(zipped):
    npu = torch.arange(6.0).npu()
    file = saved({"all": npu, "part": npu.view(2, 3)[:, 1]}, _use_new_zipfile_serialization=zipped)
    found = loaded(file)
    assert found["all"].is_npu and found["part"].cpu().tolist() == [1, 4]
    found["all"].add_(1)
    assert found["part"].cpu().tolist() == [2, 5] and npu[0].item() == 0
    assert loaded(file, map_location="cpu")["part"].device.type == "cpu"
    host = saved(torch.arange(3, dtype=torch.int8))
    for place in ("npu", "npu:0", torch.device("npu:0")):
        assert loaded(host, map_location=place).is_npu
    assert loaded(host, map_location="npu").cpu().tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="npu:1"):
        loaded(host, map_location="npu:1")


def test_copies_have_memory_of_their_own():
    npu = torch.arange(4.0).npu()
    for made in (copy.deepcopy(npu), pickle.loads(pickle.dumps(npu))):
        assert made.is_npu and made.cpu().tolist() == [0, 1, 2, 3]
        made.zero_()
    assert npu.sum().item() == 6
    layer = torch.nn.Linear(3, 2).npu()
    other = copy.deepcopy(layer)
    assert torch.equal(other.weight.cpu(), layer.weight.cpu())
    with torch.no_grad():
        other.weight.zero_()
    assert layer.weight.abs().sum().item() > 0
    optimizer = torch.optim.AdamW(layer.parameters(), 0.1)
    layer(torch.ones(1, 3, device="npu")).sum().backward()
    optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())


def test_a_tensor_takes_a_storage():
    npu, view = torch.arange(6.0).npu(), torch.empty(0, device="npu")
    assert view.set_(npu.storage(), 1, (2, 2), (3, 1)).cpu().tolist() == [[1, 2], [4, 5]]
    assert view.set_(npu.storage(), 2, (2,)).cpu().tolist() == [2, 3]
    assert view.set_(npu.storage()).data_ptr() == npu.data_ptr() and view.numel() == 6
    assert view.set_().numel() == 0 and view.set_(npu).shape == (6,)
    with pytest.raises(RuntimeError, match="device"):
        torch.empty(0).set_(npu.storage())
    host = torch.ones(4)
    assert torch.empty(0).set_(host.storage(), 1, (2,), (1,)).tolist() == [1, 1]


def test_convolutions():
    torch.manual_seed(1)
    for layer, shape in ((torch.nn.Conv2d(4, 6, 3, padding=1, groups=2), (2, 4, 8, 8)),
                         (torch.nn.Conv1d(4, 2, 3, stride=2, bias=False), (2, 4, 9)),
                         (torch.nn.ConvTranspose2d(4, 6, 3, stride=2), (1, 4, 5, 5))):
        host = torch.randn(shape, requires_grad=True)
        npu = host.detach().npu().requires_grad_()
        other = copy.deepcopy(layer).npu()
        layer(host).square().sum().backward()
        other(npu).square().sum().backward()
        assert npu.grad.is_npu and torch.allclose(npu.grad.cpu(), host.grad, rtol=1e-4, atol=1e-4)
        for of_npu, of_host in zip(other.parameters(), layer.parameters()):
            assert torch.allclose(of_npu.grad.cpu(), of_host.grad, rtol=1e-4, atol=1e-4)


def test_generators_streams_and_autocast():
    generator = torch.Generator(device="npu")
    first = torch.randn(4, generator=generator.manual_seed(7), device="npu")
    again = torch.randn(4, generator=generator.manual_seed(7), device="npu")
    assert generator.device.type == "npu" and torch.equal(first, again)
    host = torch.Generator().manual_seed(7)
    assert host.device.type == "cpu" and torch.equal(torch.randn(4, generator=host), first.cpu())
    assert isinstance(host, torch.Generator) and isinstance(torch.default_generator, torch._C.Generator)
    first.record_stream(torch.npu.current_stream())
    with torch.autocast("npu", dtype=torch.bfloat16), torch.autocast(device_type="npu"):
        assert (first + 1).dtype == torch.float32
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype == torch.bfloat16


def test_counts_of_memory_and_states_of_random_numbers():
    before = torch.npu.memory_stats()["allocated_bytes.all.current"]
    block = torch.empty(1 << 20, device="npu")
    assert torch.npu.memory_stats()["allocated_bytes.all.current"] == before + block.numel() * 4
    assert "allocated_bytes.all.peak" in torch.npu.memory_summary()
    states = torch.npu.get_rng_state_all()
    first = torch.rand(2, device="npu")
    torch.npu.set_rng_state_all(states)
    assert torch.equal(first, torch.rand(2, device="npu"))


def test_operators_of_extensions_have_shapes_without_values():
    library = torch.library.Library("state_test", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: torch.cat([x, x]), "PrivateUse1")
    library.impl("twice", lambda x: x.new_empty((2 * x.shape[0], *x.shape[1:])), "Meta")
    twice = torch.ops.state_test.twice
    assert twice(torch.ones(3, device="npu")).cpu().tolist() == [1] * 6
    assert twice(torch.empty(3, 4, device="meta")).shape == (6, 4)


def test_pinned_memory_of_the_host():
    for made in (torch.empty(3, pin_memory=True), torch.zeros(3, 2, pin_memory=True),
                 torch.randn(4, pin_memory=True), torch.ones(3).pin_memory(),
                 torch.arange(6).view(2, 3).t().pin_memory()):
        assert made.is_pinned() and made[1:].is_pinned() and not made.clone().is_pinned()
        assert torch.equal(made.npu(non_blocking=True).cpu(), made)
    assert torch.arange(6).view(2, 3).t().pin_memory().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert not torch.ones(3).is_pinned() and not torch.ones(3, device="npu").is_pinned()
    with torch.npu.stream(torch.npu.Stream()):
        host = torch.empty(4, pin_memory=True)
        host.copy_(torch.ones(4, device="npu"), non_blocking=True)
    torch.npu.synchronize()
    assert host.sum() == 4


def test_types_of_tensors():
    made = torch.npu.FloatTensor([1, 2])
    assert made.is_npu and made.dtype == torch.float32 and made.tolist() == [1, 2]
    assert isinstance(made, torch.npu.FloatTensor) and not isinstance(made, torch.npu.HalfTensor)
    assert not isinstance(torch.ones(2), torch.npu.FloatTensor)
    assert torch.npu.LongTensor(2, 3).shape == (2, 3) and torch.npu.BoolTensor([True]).all().item()


def test_events_indices_and_states():
    event = torch.npu.Event()
    assert event.query() and "torch_npu.npu.Event" in repr(event)
    event.record()
    event.synchronize()
    assert event.query() and not torch.npu.is_current_stream_capturing()
    index = torch.npu._get_device_index
    assert index("npu:0") == index(torch.device("npu")) == index(None, optional=True) == 0
    for wrong in ("cpu", None):
        with pytest.raises(ValueError, match="Expected a npu device"):
            index(wrong)
    torch_npu.erase_stream(torch.ones(1, device="npu"), torch.npu.Stream())
    from torch_npu.testing.common_distributed import skipIfUnsupportMultiNPU
    from torch_npu.testing.common_utils import freeze_rng_state

    with freeze_rng_state():
        first = torch.rand(2, device="npu")
    assert torch.equal(first, torch.rand(2, device="npu"))
    with pytest.raises(unittest.SkipTest, match="needs 2 devices"):
        skipIfUnsupportMultiNPU(2)(lambda: None)()


def test_parameters_stay_what_they_are_on_another_device():
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.head = torch.nn.Embedding(6, 4), torch.nn.Linear(4, 6, bias=False)
            self.head.weight = self.table.weight

        def forward(self, ids):
            return self.head(self.table(ids))

    model = Tied()
    before = model.table.weight
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)  # before the model moves
    ids = torch.tensor([1, 2])
    model(ids).sum().backward()
    of_host, start = before.grad.clone(), before.detach().clone()
    model.npu()
    assert model.table.weight is model.head.weight is before and before.is_npu and before.grad.is_npu
    assert torch.equal(before.grad.cpu(), of_host)
    model(ids.npu()).sum().backward()
    assert torch.allclose(before.grad.cpu(), 2 * of_host, atol=1e-6)
    optimizer.step()
    assert torch.allclose(before.cpu(), start - of_host, atol=1e-6)
    model.cpu()
    assert model.head.weight is before and not before.is_npu and before.requires_grad
    model.double().npu().float()
    assert model.table.weight is model.head.weight
    plain, version = torch.ones(3), torch.zeros(2).npu()
    plain.data = version
    assert plain.is_npu and plain.shape == (2,)
    plain.data = torch.ones(4)
    assert plain.device.type == "cpu" and (plain + 1).tolist() == [2, 2, 2, 2]
