"""torch_npu.profiler.dynamic_profile: profiles that a file asks for while the program runs."""

import csv
import importlib.util
import json
import os

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("Debian's python3-torch is not installed", allow_module_level=True)

import torch  # noqa: E402
import torch_npu  # noqa: E402
from torch_npu.profiler import dynamic_profile as dp  # noqa: E402

A = torch.ones(32, 32, dtype=torch.float16).npu()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(dp, "_state", None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, **members):
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))
    os.utime(path, ns=(0, os.stat(path).st_mtime_ns + 10**9))  # later, whatever the clock's steps are


def profiles(folder):
    """How many kernels each profile has."""
    found = sorted(folder.glob("*_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"))
    return [len(list(csv.DictReader(open(path, encoding="utf-8")))) for path in found]


def train(steps):
    for _ in range(steps):
        torch_npu.matmul(A, A)
        dp.step()


def test_a_changed_file_asks_for_a_profile(folder):
    dp.init("config")
    file = folder / "config/profiler_config.json"
    assert json.loads(file.read_text())["active"] == 1
    train(2)
    assert profiles(folder) == []
    write(file, active=2, prof_dir="first")
    train(1)  # sees it in its end
    train(1)
    assert profiles(folder / "first") == []
    train(3)
    assert profiles(folder / "first") == [2]
    write(file, active=1, start_step=10, prof_dir="second")
    train(2)
    assert profiles(folder / "second") == []
    train(4)
    assert profiles(folder / "second") == [1] and profiles(folder / "first") == [2]


def test_a_profile_begins_at_once(folder):
    dp.init(str(folder))
    (folder / "other").mkdir()
    file = folder / "other/profiler_config.json"
    file.write_text(json.dumps({"active": 3, "prof_dir": "out"}))
    dp.start(str(file))
    train(2)
    dp.start(str(folder / "other"))  # one is going on
    train(3)
    assert profiles(folder / "out") == [3]


def test_what_is_wrong_is_named(folder):
    with pytest.raises(RuntimeError, match="init"):
        dp.step()
    dp.init(str(folder))
    file = folder / "profiler_config.json"
    write(file, active=0)
    with pytest.raises(RuntimeError, match="active is 0"):
        dp.start(str(file))
    write(file, active=1, activities=["GPU"])
    with pytest.raises(RuntimeError, match="ProfilerActivity has no 'GPU'"):
        dp.start(str(file))
    with pytest.raises(RuntimeError, match="cannot be read"):
        dp.start(str(folder / "none.json"))
    write(file, activities=["NPU"], is_rank=True, rank_list=[1])
    train(3)
    assert profiles(folder) == []
