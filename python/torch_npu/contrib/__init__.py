"""torch_npu.contrib: `from torch_npu.contrib import transfer_to_npu` lets programs that name cuda
run on npu."""
