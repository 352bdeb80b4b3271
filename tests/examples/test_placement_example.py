import importlib.util
import os
import re
import subprocess

import preloaded
import pytest

SCRIPT = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "placement.py")


@pytest.fixture
def example():
    spec = importlib.util.spec_from_file_location("placement_example", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(capsys):
    captured = capsys.readouterr()
    return [" ".join(line.split()) for line in captured.out.splitlines()], captured.err


def test_two_logical_cpus(example, capsys):
    assert example.main([]) == 0
    lines, errors = printed(capsys)
    assert errors == ""
    start = lines.index("tower asked for ran on ops")
    assert lines[start + 2:start + 6] == ["0 /cpu:0 /cpu:0 3", "1 /cpu:1 /cpu:1 3", "shared /cpu:0 /cpu:0 1", ""]
    assert "no strays: every op that asked for a device got it" in lines
    # Twice [[1 2 3] [4 5 6]] times [[1 2] [3 4] [5 6]].
    assert lines[-2:] == ["[[ 44. 56.]", "[ 98. 128.]]"]


def test_soft_placement_shows_the_moved_op(example, capsys):
    assert example.main(["--devices", "/cpu:1,/gpu:7", "--soft-placement"]) == 0
    lines, errors = printed(capsys)
    assert errors.startswith("warning: tower 1 asks for /gpu:7 and will run on ")
    assert len(errors.splitlines()) == 1
    assert any(line.startswith("tower 1 requested /gpu:7 but ran entirely on ") for line in lines)
    assert any(line.startswith("1 /gpu:7 ") and "(moved)" in line for line in lines)
    # TensorFlow renames the op to _MklMatMul if it uses oneDNN's kernel, which depends on the CPU.
    assert any(re.match(r"tower_1/product \w*MatMul /gpu:7 ", line) for line in lines)
    assert lines[-2:] == ["[[ 44. 56.]", "[ 98. 128.]]"]


@pytest.mark.parametrize("devices, start", [
    ("/cpu:0,/gpu:7", "error: tower 1 (/gpu:7) asks for a device that this session does not have (it has "),
    ("/cpu:0,/cpu:2", "error: tower 1 (/cpu:2) asks for a device that this session does not have (it has "),
    ("/cpu:0,/banana", "error: '/banana' is not a device string ("),
])
def test_a_missing_device_is_an_error_in_one_line_and_exit_code_2(example, capsys, devices, start):
    assert example.main(["--devices", devices]) == 2
    lines, errors = printed(capsys)
    assert lines == []
    assert errors.startswith(start) and len(errors.splitlines()) == 1


def test_the_script_runs():
    command = [preloaded.executable(), SCRIPT, "--devices", "/cpu:0,/gpu:7"]
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert process.returncode == 2
    assert process.stdout == ""
    errors = [line for line in process.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and errors[0].startswith("error: tower 1 ")
    assert "Traceback" not in process.stderr
