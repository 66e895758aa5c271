"""What a test of an extension looks like: `python3 -m pytest test_add.py`, beside the modules."""

import glob
import os

import torch
import torch_npu
from torch_npu.testing.testcase import TestCase, run_tests

import by_pybind11

HERE = os.path.dirname(os.path.abspath(__file__))
torch.ops.load_library(glob.glob(os.path.join(HERE, "by_library*.so"))[0])


class TestAdd(TestCase):
    def setUp(self):
        torch.npu.set_device(0)
        torch.manual_seed(1)
        self.x, self.y = torch.rand(3, 1001), torch.rand(3, 1001)

    def test_module_of_python(self):
        z = by_pybind11.add_scaled(self.x.npu(), self.y.npu(), 2.0)
        torch.npu.synchronize()
        self.assertEqual(z.device.type, "npu")
        self.assertRtolEqual(2 * self.x + self.y, z.cpu())

    def test_operator_of_torch(self):
        x = self.x.npu().requires_grad_()
        z = torch.ops.example.add_scaled(x, self.y.to("npu:0"), alpha=0.5)
        self.assertRtolEqual(0.5 * self.x + self.y, z.detach().cpu())
        z.sum().backward()
        self.assertRtolEqual(torch.full_like(self.x, 0.5), x.grad.cpu())

    def test_streams_and_events(self):
        stream, begin, end = torch.npu.Stream(), torch.npu.Event(True), torch.npu.Event(True)
        x, y = self.x.npu(), self.y.npu()
        with torch.npu.stream(stream):
            begin.record()
            z = by_pybind11.add_scaled(x, y)
            end.record()
        stream.synchronize()
        self.assertRtolEqual(self.x + self.y, z.cpu())
        self.assertGreater(begin.elapsed_time(end), 0)

    def test_wrong_calls_are_errors(self):
        with self.assertRaisesRegex(RuntimeError, "same shape"):
            by_pybind11.add_scaled(self.x.npu(), self.y[0].npu(), 1.0)


if __name__ == "__main__":
    run_tests()
