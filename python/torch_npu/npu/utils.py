"""torch.npu: the device, its properties and its state."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import torch

from ._library import _get_device_index, call, check, index, library  # noqa: F401
from .memory import mem_get_info
from .streams import (StreamContext, current_stream, default_stream, set_stream,  # noqa: F401
                      stream)

# Members of properties, and aclrtDevAttr.
_DEVICE_ATTRIBUTES = {"cube_core_num": 102, "vector_core_num": 201, "L2_cache_size": 302}
# Numbers of cores that a device or a stream may have, and aclrtDevResLimitType.
_LIMITS = {"cube_core_num": 0, "vector_core_num": 1}


def is_available() -> bool:
    return True


def is_initialized() -> bool:
    return True


def init() -> None:
    check(library.davsim_torch_start())


_lazy_init = init


def _lazy_call(function: Callable[[], Any], **ignored: Any) -> None:
    function()


def _is_in_bad_fork() -> bool:
    return False


def device_count() -> int:
    """One, or the dies of the system that DAVSIM_SYSTEM names."""
    return library.davsim_torch_device_count()


def current_device() -> int:
    return library.davsim_torch_device()


def set_device(device: Any) -> None:
    check(library.davsim_torch_set_device(index(device)))


def synchronize(device: Any = None) -> None:
    """Waits for all that was queued. Raises RuntimeError if a kernel went wrong."""
    index(device)
    check(library.davsim_torch_synchronize())


class device:
    """A context in which a device is the current one."""

    def __init__(self, device: Any) -> None:
        self.idx = index(device)
        self.prev_idx = current_device()

    def __enter__(self) -> None:
        self.prev_idx = current_device()
        set_device(self.idx)

    def __exit__(self, *exception: object) -> None:
        set_device(self.prev_idx)


class device_of(device):
    def __init__(self, tensor: Any) -> None:
        super().__init__(tensor.device if tensor.device.type == "npu" else None)


def get_device_name(device: Any = None) -> str:
    """The SoC: "Ascend910B3"."""
    index(device)
    init()
    return (library.davsim_torch_soc() or b"").decode()


def get_device_capability(device: Any = None) -> None:
    return None


def get_device_properties(device: Any = None) -> Any:
    """name, total_memory (bytes), cube_core_num, vector_core_num, L2_cache_size (bytes)."""
    import types

    name = get_device_name(device)
    free, total = mem_get_info(device)
    found = ctypes.c_longlong()
    numbers = {}
    for name_here, attribute in _DEVICE_ATTRIBUTES.items():
        code = library.aclrtGetDeviceInfo(index(device), attribute, ctypes.byref(found))
        numbers[name_here] = found.value if code == 0 else 0
    return types.SimpleNamespace(name=name, total_memory=total, **numbers)


def get_soc_version() -> int:
    versions = {"Ascend910B1": 220, "Ascend910B2": 221, "Ascend910B2C": 222, "Ascend910B3": 223,
                "Ascend910B4": 224, "Ascend910B4-1": 225, "Ascend910_9391": 250,
                "Ascend910_9392": 251, "Ascend910_9381": 252, "Ascend910_9382": 253,
                "Ascend910_9372": 254, "Ascend910_9362": 255}
    return versions.get(get_device_name(), -1)


def can_device_access_peer(device: Any, peer: Any) -> bool:
    return index(device) != index(peer)


def get_cann_version(module: str = "CANN") -> str:
    """The release whose interfaces there are; "" for a module of another name."""
    return "8.3.RC1" if module == "CANN" else ""


def is_bf16_supported() -> bool:
    return True


def utilization(device: Any = None) -> int:
    """Nothing runs while the host looks."""
    return 0


def is_current_stream_capturing() -> bool:
    return bool(library.davsim_torch_capturing())


def ipc_collect() -> None:
    """Memory is shared with no other process."""


def get_amp_supported_dtype() -> list[torch.dtype]:
    return [torch.float16, torch.bfloat16, torch.float32]


def npu_check_overflow(grad: Any) -> bool:
    """Whether there is an infinity or a NaN in a number or a tensor."""
    if isinstance(grad, torch.Tensor):
        return not bool(torch.isfinite(grad).all())
    return grad != grad or grad in (float("inf"), -float("inf"))


# --- numbers of cores that tiling functions learn


def _limits(name: str, owner: Any) -> dict[str, int]:
    found, numbers = ctypes.c_uint32(), {}
    for member, kind in _LIMITS.items():
        call(name, owner, kind, ctypes.byref(found))
        numbers[member] = found.value
    return numbers


def _set_limits(name: str, owner: Any, cube_num: int, vector_num: int) -> None:
    for kind, number in ((0, cube_num), (1, vector_num)):
        if number != -1:
            call(name, owner, kind, ctypes.c_uint32(number))


def get_device_limit(device: Any = None) -> dict[str, int]:
    init()
    return _limits("aclrtGetDeviceResLimit", index(device))


def set_device_limit(device: Any, cube_num: int = -1, vector_num: int = -1) -> None:
    init()
    _set_limits("aclrtSetDeviceResLimit", index(device), cube_num, vector_num)


def get_stream_limit(stream: Any) -> dict[str, int]:
    return _limits("aclrtGetStreamResLimit", stream._as_parameter_)


def set_stream_limit(stream: Any, cube_num: int = -1, vector_num: int = -1) -> None:
    _set_limits("aclrtSetStreamResLimit", stream._as_parameter_, cube_num, vector_num)


def reset_stream_limit(stream: Any) -> None:
    call("aclrtResetStreamResLimit", stream._as_parameter_)
