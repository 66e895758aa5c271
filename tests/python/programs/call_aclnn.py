import ctypes
from ctypes import POINTER, byref, c_double, c_int32, c_int64, c_uint64, c_void_p

import torch
import torch_npu  # noqa: F401

ACL_FLOAT16, ACL_FORMAT_ND = 1, 2
acl = ctypes.CDLL("libascendcl.so")
op = ctypes.CDLL("libcust_opapi.so")
acl.aclCreateTensor.restype = c_void_p
acl.aclCreateTensor.argtypes = [POINTER(c_int64), c_uint64, c_int32, POINTER(c_int64), c_int64,
                                c_int32, POINTER(c_int64), c_uint64, c_void_p]
acl.aclDestroyTensor.argtypes = [c_void_p]


def acl_tensor(tensor):
    dims = tensor.dim()
    shape = (c_int64 * dims)(*tensor.shape)
    strides = (c_int64 * dims)(*tensor.stride())
    return c_void_p(acl.aclCreateTensor(shape, dims, ACL_FLOAT16, strides, 0, ACL_FORMAT_ND, shape,
                                        dims, tensor.data_ptr()))


def add_custom(x, y, alpha):
    z = torch.empty_like(x)
    tensors = [acl_tensor(t) for t in (x, y, z)]
    workspace_size, executor = c_uint64(0), c_void_p()
    ret = op.aclnnAddCustomGetWorkspaceSize(tensors[0], tensors[1], c_double(alpha), tensors[2],
                                            byref(workspace_size), byref(executor))
    if ret != 0:
        raise RuntimeError(f"aclnnAddCustomGetWorkspaceSize failed: {ret}")
    workspace = torch.empty(workspace_size.value, dtype=torch.uint8, device=x.device)
    stream = c_void_p(torch.npu.current_stream().npu_stream)
    ret = op.aclnnAddCustom(c_void_p(workspace.data_ptr()), workspace_size, executor, stream)
    if ret != 0:
        raise RuntimeError(f"aclnnAddCustom failed: {ret}")
    torch.npu.synchronize()
    for tensor in tensors:
        acl.aclDestroyTensor(tensor)
    return z


torch.npu.set_device(0)
a, b = torch.rand(2, 3, 4, 8).half().npu(), torch.rand(2, 3, 4, 8).half().npu()
result = add_custom(a, b, 2.0)
assert torch.allclose(result.float().cpu(), (a.float() + 2 * b.float()).cpu(), rtol=2e-3, atol=2e-3)
print("test pass")
