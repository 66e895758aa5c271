import unittest

import numpy as np
import torch
import torch_npu
from torch_npu.testing.common_utils import SupportedDevices, create_common_tensor
from torch_npu.testing.testcase import TestCase, run_tests

torch.npu.config.allow_internal_format = False


class TestFusedInferAttention(TestCase):
    def baseline(self, query, key, value, heads, scale):
        b, s, h = query.shape
        d = h // heads
        q = query.float().reshape(b, s, heads, d).transpose(1, 2)
        k = key.float().reshape(b, key.shape[1], heads, d).transpose(1, 2)
        v = value.float().reshape(b, value.shape[1], heads, d).transpose(1, 2)
        p = torch.softmax(torch.matmul(q, k.transpose(2, 3)) * scale, dim=-1)
        return torch.matmul(p, v).transpose(1, 2).reshape(b, s, h).to(query.dtype)

    @SupportedDevices(["Ascend910B", "Ascend910_93"])
    def test_npu_fused_infer_attention_score_v2(self):
        for dtype in (torch.float16, torch.bfloat16):
            query = torch.randn(1, 64, 256, dtype=torch.float32).to(dtype)
            key = torch.randn(1, 128, 256, dtype=torch.float32).to(dtype)
            value = torch.randn(1, 128, 256, dtype=torch.float32).to(dtype)
            scale = 1 / 8.0
            out, _ = torch_npu.npu_fused_infer_attention_score_v2(
                query.npu(), key.npu(), value.npu(), num_query_heads=4, input_layout="BSH",
                softmax_scale=scale, pre_tokens=65535, next_tokens=65535)
            expected = self.baseline(query, key, value, 4, scale)
            self.assertRtolEqual(expected.float().numpy(), out.float().cpu().numpy(), prec=8e-3)
            self.assertEqual(out.dtype, dtype)

    @SupportedDevices(["Ascend310P"])
    def test_of_another_product(self):
        self.fail("this product is not there")


class TestCommon(TestCase):
    def cpu_op_exec(self, input1):
        return torch.neg(input1).numpy()

    def npu_op_exec(self, input1):
        return torch.neg(input1).to("cpu").numpy()

    def test_common_shape_format(self):
        shape_format = [[[np.float32, -1, (4, 3)]], [[np.float16, 2, (4, 3, 1)]],
                        [[np.int32, 0, (2, 7)]]]
        for item in shape_format:
            cpu_input, npu_input = create_common_tensor(item[0], -100, 100)
            self.assertRtolEqual(self.cpu_op_exec(cpu_input), self.npu_op_exec(npu_input))
            self.assertEqual(cpu_input, npu_input)

    def test_differences_are_found(self):
        x = torch.rand(1000) + 1
        y = x.clone()
        y[17] += 0.01  # one of a thousand: more than a share of 1e-4
        with self.assertRaises(AssertionError):
            self.assertRtolEqual(x, y)
        self.assertRtolEqual(x.half(), y.half())  # a share of 1e-3 may miss the tolerance
        with self.assertRaises(AssertionError):
            self.assertEqual(x, y)
        self.assertEqual(x, y, prec=0.02)


if __name__ == "__main__":
    run_tests()
