"""The Python of the pages runs, page by page from top to bottom, and the example is a good test."""

import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        if "import torch_npu\n" in block and "DAVSIM_SANITIZED" in os.environ:
            continue  # this interpreter cannot load a library with sanitizers
        exec(compile(block, page, "exec"), names)
    assert "cycles" in capsys.readouterr().out


def test_the_page_names_every_function_and_exception():
    import davsim
    from davsim import errors, torch_npu

    page = (ROOT / "docs/python.md").read_text()
    named = {name for name, value in vars(errors).items()
             if isinstance(value, type) and issubclass(value, davsim.Error)}
    for name in named - {"Error", "RefusedError", "InternalError"}:
        assert f"`{name}`" in page, name
    functions = {name for name, value in vars(torch_npu).items()
                 if callable(value) and getattr(value, "__module__", "") == torch_npu.__name__}
    assert len(functions) == 9
    for name in functions:
        assert f"| `{name}` |" in page, name


def test_the_example_passes():
    assert pytest.main(["-q", "-p", "no:cacheprovider", str(ROOT / "examples/python_test")]) == 0
