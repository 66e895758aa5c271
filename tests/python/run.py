"""Runs the tests of one file by pytest; exit status 77, "skipped", where Debian's packages lack, or
where pytest skips the whole file for that reason."""

import pathlib
import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as error:
    print(f"skipped: {error}; ./dev setup installs python3-numpy and python3-pytest")
    sys.exit(77)

folder = pathlib.Path(__file__).parent
files = [str(folder / name) for name in sys.argv[1:]]
status = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *files])
sys.exit(77 if status == pytest.ExitCode.NO_TESTS_COLLECTED else status)
