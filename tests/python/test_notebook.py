"""The notebook runs from top to bottom: by nbclient where it is installed, else cell by cell here."""

import json
import pathlib

import pytest

NOTEBOOK = pathlib.Path(__file__).parents[2] / "examples/notebook/decode_study.ipynb"


def test_every_cell_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        import nbclient
        import nbformat

        import ipykernel  # noqa: F401
    except ImportError:
        pass
    else:
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        nbclient.NotebookClient(notebook, timeout=300).execute()
        assert any(cell.get("outputs") for cell in notebook.cells)
        return
    notebook = json.loads(NOTEBOOK.read_text())
    assert notebook["nbformat"] == 4
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            try:
                exec(compile(source, NOTEBOOK.name, "exec"), names)
            except Exception as error:  # name the cell
                pytest.fail(f"{error!r} in\n{source}")
    assert [row["length"] for row in names["rows"]] == [512, 1024, 2048]
    microseconds = [row["microseconds"] for row in names["rows"]]
    assert microseconds == sorted(microseconds)
    assert names["times"][1] < names["times"][0]
    assert len(names["table"]) == 4
    assert "<iframe" in names["device"].last._repr_html_() or "<table" in names["run"]._repr_html_()
