"""What tests of torch_npu share."""
