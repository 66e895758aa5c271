"""A plugin of pytest, which finds it by itself: `pytest --davsim-soc Ascend910B3 --davsim-check`.

The fixture `npu` is the device of a test, on which all calls of the test run. The marker
`davsim_soc("Ascend910B3", "Ascend910_9392")` runs a test once on each of these SoCs. A process of
pytest has one device for each SoC; each test finds L2 empty. A test that fails leaves the trace and
the report of its last call in .pytest_cache/d/davsim, or where --davsim-artefacts says.
"""

from __future__ import annotations

import json
import pathlib
import re
import shutil
from typing import Any, Iterator

import pytest

from ._device import DEFAULT_SOC, Device
from .errors import Error

_OFF = "off"
_devices = pytest.StashKey[dict[str, Device]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("davsim", "simulated Ascend devices")
    group.addoption("--davsim-soc", metavar="SOC", default=DEFAULT_SOC,
                    help="SoC of the fixture npu (default: %(default)s)")
    group.addoption("--davsim-check", action="store_true",
                    help="let the checker observe every call; its findings fail the test")
    what = ("where a failed test leaves the trace, the report and the explanation of its last call, "
            "in a folder of its own; off: nowhere")
    group.addoption("--davsim-artefacts", metavar="FOLDER",
                    help=f"{what} (default: davsim_artefacts of the ini file, or d/davsim in "
                         "pytest's cache)")
    parser.addini("davsim_artefacts", f"{what} (default: d/davsim in pytest's cache)", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "davsim_soc(soc, ...): run the test on each of these SoCs")
    config.stash[_devices] = {}


def pytest_unconfigure(config: pytest.Config) -> None:
    for device in config.stash.get(_devices, {}).values():
        device.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("davsim_soc")
    if marker is not None and "npu" in metafunc.fixturenames:
        metafunc.parametrize("npu", marker.args, indirect=True)


def _artefacts(config: pytest.Config) -> pathlib.Path | None:
    """The folder of artefacts, which need not exist. None where they are turned off."""
    named = config.getoption("davsim_artefacts")
    if named is not None:
        return None if named == _OFF else pathlib.Path(named)
    named = config.getini("davsim_artefacts")
    if named:
        return None if named == _OFF else config.rootpath / named
    # `-p no:cacheprovider` says that nothing is to be left behind.
    cache = getattr(config, "cache", None)
    return None if cache is None else pathlib.Path(cache.mkdir("davsim"))


@pytest.fixture
def npu(request: pytest.FixtureRequest) -> Iterator[Device]:
    """The simulated device of a test: a davsim.Device, current while the test runs."""
    config = request.config
    soc = getattr(request, "param", config.getoption("davsim_soc"))
    devices = config.stash[_devices]
    if soc not in devices:
        # The worker keeps the events of the last call; files are made of them when a test fails.
        devices[soc] = Device(soc, check=config.getoption("davsim_check"),
                              record="last" if _artefacts(config) else False)
    device = devices[soc]
    device.flush_l2()
    device.forget_last()
    with device:
        yield device


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    device = getattr(item, "funcargs", {}).get("npu")
    if report.when != "call" or not isinstance(device, Device):
        return
    folder = _artefacts(item.config)
    if folder is None:
        return
    kept = folder / re.sub(r"[^\w.-]+", "_", item.nodeid)[-200:]
    if kept.exists():  # of an earlier run of the test
        shutil.rmtree(kept, ignore_errors=True)
    if report.failed and device.ran:
        report.sections.append(("davsim", _keep(device, kept)))


def _keep(device: Device, folder: pathlib.Path) -> str:
    """Writes the artefacts of the device's last call; returns what the report of the test says."""
    run = device.last
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.json").write_text(json.dumps(run.report), encoding="utf-8")
        run.trace(folder / "trace.json.gz")
        run.html(folder / "report.html")
        (folder / "explanation.txt").write_text(run.explain(), encoding="utf-8")
    except (Error, OSError) as error:
        return f"artefacts of {run!r} in {folder} are not complete: {error}"
    return f"trace and report of {run!r} are in {folder}"
