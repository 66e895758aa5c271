"""What launchers of generated kernels ask of the real package's part in C++."""

from __future__ import annotations

from .npu import current_device as _npu_getDevice  # noqa: F401
from .npu import current_stream
from .npu import device_count as _npu_getDeviceCount  # noqa: F401
from .npu import set_device as _npu_setDevice  # noqa: F401
from .npu import synchronize as _npu_synchronize  # noqa: F401


def _npu_getCurrentRawStream(device: int) -> int:
    """The aclrtStream, as a number."""
    return current_stream(device).npu_stream


_npu_getCurrentRawStreamNoWait = _npu_getCurrentRawStream
