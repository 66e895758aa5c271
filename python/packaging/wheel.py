"""Makes the wheel for `pip install .`: a build backend of PEP 517 that needs Python alone."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _version():
    text = (ROOT / "python/davsim/__init__.py").read_text()
    return re.search(r'__version__ = "([^"]+)"', text).group(1)


def _tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


class _Wheel:
    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def add(self, name, data, executable=False):
        entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}\n")

    def add_folder(self, folder, name):
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                self.add(f"{name}/{path.relative_to(folder)}", path.read_bytes(),
                         os.access(path, os.X_OK))

    def close(self, info):
        name = f"{info}/RECORD"
        self._zip.writestr(name, "".join(self._record) + f"{name},,\n")
        self._zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = ROOT / "build"
    if not (build / "bin/davsim").exists():
        raise SystemExit("davsim is not built yet: run ./dev build first")
    version = _version()
    info, file = f"davsim-{version}.dist-info", f"davsim-{version}-{_tag()}.whl"
    wheel = _Wheel(os.path.join(wheel_directory, file))
    for package in ("acl", "davsim", "torch_npu", "torchair"):
        wheel.add_folder(ROOT / "python" / package, package)
    wheel.add_folder(ROOT / "runtime/include", "torch_npu/include/third_party/acl/inc")
    script = build / "python/torch_npu/lib/libtorch_npu.so"
    wheel.add("torch_npu/lib/libtorch_npu.so", script.read_bytes())
    with tempfile.TemporaryDirectory() as prefix:
        for component in ("davsim", "mpi"):
            subprocess.run(["cmake", "--install", str(build), "--prefix", prefix, "--component",
                            component, "--strip"], check=True, stdout=subprocess.DEVNULL)
        for folder in ("bin", "lib", "include"):
            wheel.add_folder(pathlib.Path(prefix) / folder, f"davsim/_prefix/{folder}")
    wheel.add_folder(build / "python" / info, info)
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: davsim\nRoot-Is-Purelib: false\n"
                               f"Tag: {_tag()}\n".encode())
    wheel.close(info)
    return file


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("there is no source distribution: pip install . in a built tree")
