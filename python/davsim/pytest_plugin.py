"""A plugin of pytest, which finds it by itself: `pytest --davsim-soc Ascend910B3 --davsim-check`.

The fixture `npu` is the device of a test, on which all calls of the test run. The marker
`davsim_soc("Ascend910B3", "Ascend910_9392")` runs a test once on each of these SoCs. A process of
pytest has one device for each SoC; each test finds L2 empty.
"""

from __future__ import annotations

import pathlib
import re
from typing import Any, Iterator

import pytest

from ._device import DEFAULT_SOC, Device

_devices = pytest.StashKey[dict[str, Device]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("davsim", "simulated Ascend devices")
    group.addoption("--davsim-soc", metavar="SOC", default=DEFAULT_SOC,
                    help="SoC of the fixture npu (default: %(default)s)")
    group.addoption("--davsim-check", action="store_true",
                    help="let the checker observe every call; its findings fail the test")
    group.addoption("--davsim-artefacts", metavar="FOLDER",
                    help="keep the trace, the report page and the explanation of a failed test's "
                         "last call in a folder of its own there")


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


@pytest.fixture
def npu(request: pytest.FixtureRequest) -> Iterator[Device]:
    """The simulated device of a test: a davsim.Device, current while the test runs."""
    config = request.config
    soc = getattr(request, "param", config.getoption("davsim_soc"))
    devices = config.stash[_devices]
    if soc not in devices:
        devices[soc] = Device(soc, check=config.getoption("davsim_check"),
                              record=config.getoption("davsim_artefacts") is not None)
    device = devices[soc]
    device.flush_l2()
    device.forget_last()
    with device:
        yield device


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    folder = item.config.getoption("davsim_artefacts")
    device = getattr(item, "funcargs", {}).get("npu")
    if folder is None or not report.failed or report.when != "call" or not device or not device.ran:
        return
    kept = pathlib.Path(folder) / re.sub(r"[^\w.-]+", "_", item.nodeid)
    kept.mkdir(parents=True, exist_ok=True)
    device.last.trace(kept / "trace.json.gz")
    device.last.html(kept / "report.html")
    (kept / "explanation.txt").write_text(device.last.explain())
    report.sections.append(("davsim", f"trace and report of {device.last!r} are in {kept}"))
