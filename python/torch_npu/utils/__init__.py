"""Tools of torch_npu."""
