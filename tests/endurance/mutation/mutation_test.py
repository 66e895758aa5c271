"""Tests of what mutate is made of, as far as they need no compiler."""

import pathlib
import subprocess
import sys
import tempfile
import time
import types
import unittest

import names
import tests


class Run(unittest.TestCase):
    def test_status(self):
        self.assertTrue(tests.run(["true"], {}, 60))
        self.assertFalse(tests.run(["false"], {}, 60))
        self.assertTrue(tests.run(["sh", "-c", 'test "$MARK" = 7'], {"MARK": "7"}, 60))

    def test_what_hangs_takes_its_children_along(self):
        for command in ["sleep 1000 & echo $! > $FILE; wait", "sleep 1000 & echo $! > $FILE"]:
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "child")
                tests.run(["sh", "-c", command], {"FILE": str(file)}, 2)
                self.assertTrue(self.ends(int(file.read_text())), command)

    @staticmethod
    def ends(process):
        for _ in range(100):
            state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True,
                                   check=False).stdout.strip()
            if not state or state.startswith("Z"):
                return True
            time.sleep(0.1)
        return False


class Names(unittest.TestCase):
    def test_key_is_the_text_of_the_line(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "a.cpp").write_text("first\n  if (x <\n      y) return;\n")
            site = types.SimpleNamespace(path="a.cpp", line=2, kind="< to <=", before="x <\n      y")
            self.assertEqual(names.key(pathlib.Path(folder), site), "a.cpp: < to <=: x < y: in if (x <")

    def test_a_name_of_nothing_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "list.txt")
            file.write_text("# words\nsim/a.cpp: x\n  the reason\nisa/exec/b.cpp: y\n")
            known = {"sim/a.cpp: x", "isa/exec/b.cpp: y"}
            self.assertEqual(names.named_in(file, known, ["sim"]), ["sim/a.cpp: x"])
            self.assertEqual(names.named_in(file, known, ["sim", "isa/exec"]), ["sim/a.cpp: x", "isa/exec/b.cpp: y"])
            with self.assertRaisesRegex(SystemExit, "isa/exec/b.cpp: y"):
                names.named_in(file, {"sim/a.cpp: x"}, ["sim", "isa/exec"])


if __name__ == "__main__":
    sys.exit(unittest.main())
