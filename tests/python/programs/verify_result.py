#!/usr/bin/python3
# coding=utf-8
import sys

import numpy as np

relative_tol = 1e-6
absolute_tol = 1e-9
error_tol = 1e-4


def verify_result(output, golden):
    output = np.fromfile(output, dtype=np.float32).reshape(-1)
    golden = np.fromfile(golden, dtype=np.float32).reshape(-1)
    different = np.isclose(output, golden, rtol=relative_tol, atol=absolute_tol, equal_nan=True)
    indexes = np.where(different == False)[0]  # noqa: E712
    for index in indexes[:10]:
        print("data index: %06d, expected: %-.9f, actual: %-.9f" %
              (index, golden[index], output[index]))
    error_ratio = float(indexes.size) / golden.size
    print("error ratio: %.4f, tolerance: %.4f" % (error_ratio, error_tol))
    return error_ratio <= error_tol


if __name__ == "__main__":
    try:
        if not verify_result(sys.argv[1], sys.argv[2]):
            raise ValueError("[ERROR] result error")
        print("test pass")
    except Exception as error:
        print(error)
        sys.exit(1)
