import ctypes
import os
import subprocess
import sys

import numpy as np
import torch
import torch_npu

torch.npu.config.allow_internal_format = False
torch_npu.npu.set_compile_mode(jit_compile=False)
torch.npu.set_device("npu:0")

here = os.path.dirname(os.path.abspath(__file__))
subprocess.run([sys.executable, os.path.join(here, "gen_data.py")], check=True)

lib = ctypes.CDLL(os.path.abspath("libkernels.so"))
lib.add_scaled_do.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                              ctypes.c_void_p, ctypes.c_uint32, ctypes.c_float]

x = torch.from_numpy(np.fromfile("./input/input_x.bin", dtype=np.float32)).npu()
y = torch.from_numpy(np.fromfile("./input/input_y.bin", dtype=np.float32)).npu()
z = torch.empty_like(x)
stream = torch.npu.current_stream().npu_stream
lib.add_scaled_do(8, stream, x.data_ptr(), y.data_ptr(), z.data_ptr(), x.numel(), 2.0)
torch.npu.synchronize()
z.cpu().numpy().tofile("./output/output_z.bin")

subprocess.run([sys.executable, os.path.join(here, "verify_result.py"), "./output/output_z.bin",
                "./output/golden.bin"], check=True)
