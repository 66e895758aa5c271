"""The messages of `davsim serve`: a wrong one is answered, and the process goes on."""

import json
import os
import socket
import subprocess

import pytest

from davsim import _worker


class Client:
    def __init__(self):
        self.connection, theirs = socket.socketpair()
        self.memory = os.memfd_create("test")
        self.process = subprocess.Popen(
            [_worker.program(), "serve", "Ascend910B3", "--socket", str(theirs.fileno()), "--memory",
             str(self.memory)], pass_fds=(theirs.fileno(), self.memory))
        theirs.close()
        self.lines = self.connection.makefile("rb")
        self.hello = json.loads(self.lines.readline())

    def ask(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.connection.sendall(text + b"\n")
        return json.loads(self.lines.readline())


@pytest.fixture(scope="module")
def client():
    client = Client()
    yield client
    client.lines.close()
    client.connection.close()
    assert client.process.wait(20) == 0
    os.close(client.memory)


def test_the_first_line_says_what_runs(client):
    assert client.hello["soc"] == "Ascend910B3"
    assert client.hello["memory_bytes"] == os.fstat(client.memory).st_size
    assert "matmul" in client.hello["operators"]


TENSOR = {"name": "a", "dtype": "float16", "shape": [2], "offset": 0}
RUN = {"do": "run", "operator": "matmul", "tensors": [], "attributes": {}, "timeout": 60}
LAUNCH = {"do": "launch", "library": "none.so", "kernel": "add", "blocks": 1, "arguments": [],
          "timeout": 60}
WRONG = [
    (b"{", "usage"), (b"[]", "usage"), (b"\xff", "usage"), (b'{"do": "run", "do": "run"}', "usage"),
    ({}, "usage"), ({"do": 1}, "usage"), ({"do": "fly"}, "usage"),
    ({"do": "describe"}, "usage"), ({"do": "describe", "operator": "none"}, "usage"),
    ({"do": "release", "free": 3}, "usage"), ({"do": "release", "free": [-1]}, "usage"),
    ({"do": "allocate", "tensors": [{"name": "a"}]}, "usage"),
    ({"do": "allocate", "tensors": [{"name": "a", "bytes": 1 << 63}]}, "usage"),
    ({"do": "allocate", "tensors": [{"name": "a", "bytes": 1 << 60}]}, "usage"),
    ({"do": "run", "operator": "matmul"}, "usage"),
    (RUN | {"timeout": "soon"}, "usage"), (RUN | {"attributes": []}, "usage"),
    (RUN | {"tensors": [TENSOR]}, "usage"), (RUN | {"tensors": [TENSOR | {"offset": 1 << 40}]}, "usage"),
    (RUN | {"check": 1}, "usage"), (RUN | {"exports": {"none": "x"}}, "usage"),
    (RUN | {"exports": {"trace": 1}}, "usage"), (RUN | {"exports": {"trace": "/no/t"}}, "file"),
    (RUN, "E_NULL"),
    ({"do": "load_kernels"}, "usage"), ({"do": "load_kernels", "library": "/no/lib.so"}, "usage"),
    ({"do": "load_operators", "library": "/no/lib.so"}, "usage"),
    (LAUNCH, "usage"), (LAUNCH | {"arguments": 1}, "usage"), (LAUNCH | {"arguments": [1]}, "usage"),
    (LAUNCH | {"arguments": [{}]}, "usage"), (LAUNCH | {"arguments": [{"bytes": "0"}]}, "usage"),
    (LAUNCH | {"arguments": [{"bytes": "0g"}]}, "usage"),
    (LAUNCH | {"arguments": [{"offset": 0}]}, "usage"),
]


@pytest.mark.parametrize("message, kind", WRONG)
def test_a_wrong_message_is_answered(client, message, kind):
    error = client.ask(message)["error"]
    assert error["class"] == kind and error["message"]


def test_tensors_lie_inside_what_was_allocated(client):
    offset = client.ask({"do": "allocate", "tensors": [{"name": "a", "bytes": 8}]})["offsets"]["a"]
    for change in ({"shape": [5]}, {"dtype": "float128"}, {"shape": [-1]}, {"shape": [1 << 62, 8]},
                   {"offset": offset + 8, "shape": [1]}):
        error = client.ask(RUN | {"tensors": [TENSOR | {"offset": offset} | change]})["error"]
        assert error["class"] in ("usage", "internal") and error["class"] == "usage", error
    assert client.ask({"do": "release"})["allocated_bytes"] == 8
    assert client.ask({"do": "release", "free": [offset, 12345]})["allocated_bytes"] == 0


def test_the_command_wants_a_socket():
    for arguments in ([], ["--socket", "0", "--memory", "1"], ["--socket", "999", "--memory", "1"]):
        done = subprocess.run([_worker.program(), "serve", "Ascend910B3", *arguments],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 2 and "--socket" in done.stderr
