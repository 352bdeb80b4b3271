"""HeldLogs in other processes: the content and order of standard error, for different ends of the process."""
import os
import signal
import sys

import pytest
from processes import output_of, run_python
from terminals import run_python_in_terminal

from legacy_towers.tensorflow_logs import HeldLogs

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has pipes of packets")

START = """
import os, signal, subprocess, sys, time
from legacy_towers.tensorflow_logs import HeldLogs
def log(text, severity="I"):
    os.write(2, "2026-11-22 16:10:43.088882: {} core/x.cc:1] {}\\n".format(severity, text).encode())
logs = HeldLogs()
logs.start()
log("first")
"""
FIRST = "2026-11-22 16:10:43.088882: I core/x.cc:1] first\n"
LOG = "TensorFlow's log:\n" + FIRST


def run_held(program, level=None):
    return run_python(START + program, TF_CPP_MIN_LOG_LEVEL=level)


def test_output_keeps_its_order_and_the_log_is_discarded():
    done = run_held(
        """
for number in range(200):
    print("python", number, file=sys.stderr)
    os.write(2, b"c %d\\n" % number)
    log("between")
sys.stderr.buffer.write(b"bytes\\n")
sys.stderr.flush()
subprocess.run(["sh", "-c", "echo child >&2; echo reopened > /dev/stderr"])
print("after", file=sys.stderr)
logs.end()
os.write(2, b"c at the end\\n")
print("python at the end", file=sys.stderr)
"""
    )
    expected = [line for number in range(200) for line in ("python {}".format(number), "c {}".format(number))]
    expected += ["bytes", "child", "reopened", "after", "c at the end", "python at the end"]
    assert (done.returncode, done.stderr.splitlines()) == (0, expected)


def test_at_the_end_of_the_process_what_is_logged_later_is_discarded_too():
    done = run_held(
        """
logs.end(is_last=True)
log("of a server")
os.write(2, b"c\\n")
print("python", file=sys.stderr)
"""
    )
    assert (done.returncode, sorted(done.stderr.splitlines())) == (0, ["c", "python"])


def test_show_prints_the_log_between_earlier_and_later_output():
    done = run_held(
        """
print("before", file=sys.stderr)
logs.show()
print("after", file=sys.stderr)
logs.show()
logs.end()
"""
    )
    assert done.stderr == "before\n" + LOG + "after\n"


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGABRT", "SIGTERM"])
def test_the_log_of_a_process_that_is_killed_or_crashes_is_printed(name):
    done = run_held("import signal; print('user', file=sys.stderr); os.kill(os.getpid(), signal.{})".format(name))
    assert (done.returncode, done.stderr) == (-getattr(signal, name), "user\n" + LOG)


@pytest.mark.parametrize("least, expected", [("", ""), ("'I'", LOG), ("'E'", "")])
def test_end_held_logs_decides_what_is_printed_after_os_exit(least, expected):
    program = "from legacy_towers.tensorflow_logs import end_held_logs; end_held_logs({}); os._exit(3)"
    done = run_held(program.format(least))
    assert (done.returncode, done.stderr) == (3, expected)


def test_the_log_of_a_killed_process_is_printed_though_its_child_runs_on():
    done = run_held(
        """
if os.fork():
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(3)
os.write(2, b"child\\n")
os._exit(0)
"""
    )
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, LOG + "child\n")


def test_end_in_a_forked_child_has_no_effect():
    done = run_held(
        """
child = os.fork()
if child == 0:
    print("child", file=sys.stderr)
    log("of the child")
    logs.show()
    logs.end()
    os._exit(0)
os.waitpid(child, 0)
logs.show()
logs.end()
"""
    )
    assert done.stderr == "child\n" + LOG + FIRST.replace("first", "of the child")


def test_end_does_not_wait_for_a_child_whose_later_output_is_forwarded():
    done = run_held(
        """
subprocess.Popen(["sh", "-c", "read line; echo child >&2"], stdin=subprocess.PIPE)
logs.end()
print("end", file=sys.stderr)
"""
    )
    assert sorted(done.stderr.splitlines()) == ["child", "end"]


def test_file_descriptor_2_may_be_redirected(tmp_path):
    done = run_held(
        """
kept = os.dup(2)
target = os.open({!r}, os.O_WRONLY | os.O_CREAT)
os.dup2(target, 2)
print("python", file=sys.stderr)
log("in the file")
os.dup2(kept, 2)
os.close(kept)
print("back", file=sys.stderr)
log("held")
logs.end()
""".format(str(tmp_path / "file"))
    )
    assert done.stderr == "back\n"
    assert (tmp_path / "file").read_text() == "python\n" + FIRST.replace("first", "in the file")


@pytest.mark.parametrize("level", ["0", "1", "3"])
def test_nothing_is_held_if_the_log_level_is_set(level):
    done = run_held("print(os.environ['TF_CPP_MIN_LOG_LEVEL'], sys.stderr.fileno()); logs.show(); logs.end()", level)
    assert (done.stdout, done.stderr) == (level + " 2\n", FIRST)


def test_the_log_level_is_set_to_errors_if_standard_error_is_redirected(monkeypatch):
    monkeypatch.delenv("TF_CPP_MIN_LOG_LEVEL", raising=False)
    before = sys.stderr
    logs = HeldLogs()
    logs.start()
    logs.show()
    logs.end()
    assert (os.environ["TF_CPP_MIN_LOG_LEVEL"], sys.stderr) == ("2", before)


def test_the_log_level_is_not_set_if_logs_are_held_and_end_restores_standard_error():
    assert output_of(
        START + """
print("TF_CPP_MIN_LOG_LEVEL" in os.environ)
before = sys.__stderr__
logs.end()
print(sys.stderr is before, os.path.samestat(os.fstat(2), os.fstat(1)))
""", TF_CPP_MIN_LOG_LEVEL=None
    ) == "False\nTrue False\n"


def test_standard_error_stays_a_terminal():
    code, shown = run_python_in_terminal(
        START + """
import shutil
print(sys.stderr.isatty(), os.get_terminal_size(sys.stderr.fileno()).columns, file=sys.stderr)
sys.stderr.write("\\rno newline")
sys.stderr.flush()
os.write(2, b" and more\\n")
print(sys.stderr.name, sys.stderr.mode, sys.stderr.encoding == sys.__stderr__.encoding, file=sys.stderr)
logs.end()
""", columns=77
    )
    assert (code, shown) == (0, "True 77\n\rno newline and more\n<stderr> w True\n")


def test_a_logged_stream_stays_in_place(tmp_path):
    done = run_python(
        """
import os, sys
from legacy_towers.cli.log_file import log_to
from legacy_towers.tensorflow_logs import HeldLogs
logs = HeldLogs()
with log_to({!r}, "title"):
    logs.start()
    os.write(2, b"c\\n")
    print("python", file=sys.stderr)
logs.end()
print("end", file=sys.stderr)
""".format(str(tmp_path / "log")), TF_CPP_MIN_LOG_LEVEL=None
    )
    assert done.stderr == "c\npython\nend\n"
    assert (tmp_path / "log").read_text().splitlines()[1:] == ["python"]


def test_writing_goes_on_after_the_reader_is_killed():
    done = run_held(
        """
os.kill(logs._reader.pid, signal.SIGKILL)
logs._reader.wait()
try:
    os.write(2, b"x" * 100000)
except BrokenPipeError:
    pass
print("python", file=sys.stderr)
logs.show()
logs.end()
os.write(2, b"end\\n")
"""
    )
    assert done.stderr == "python\nend\n"
