"""Runs the tests of one file by pytest; exit status 77, "skipped", where Debian's packages lack."""

import pathlib
import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as error:
    print(f"skipped: {error}; ./dev setup installs python3-numpy and python3-pytest")
    sys.exit(77)

folder = pathlib.Path(__file__).parent
sys.exit(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *(str(folder / f) for f in sys.argv[1:])]))
