"""`--report` is written where a signal ends the script, and whoever started it sees the same signal as without it."""
import os
import signal
import textwrap
import time

import pytest
from oldtf.launch import here
from oldtf.launch.test_start import RUN, outcome, started

from legacy_towers.oldtf.machine import killed


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


@pytest.fixture(autouse=True)
def no_signal_is_ignored():
    """Under nohup, which these tests inherit from whoever runs them, a script may ignore SIGHUP."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


BUSY = "while True: pass"
ASLEEP = "time.sleep(60)"
# Nothing brings it back to Python, as a session's run that waits, or a server.
IN_C = """
import ctypes
c, lock = ctypes.CDLL(None), ctypes.create_string_buffer(64)
c.pthread_mutex_lock(lock)
c.pthread_mutex_lock(lock)
"""
AFTER_ITS_LAST_LINE = "threading.Thread(target=time.sleep, args=(60,)).start()"
HANDLED = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\nprint('more', flush=True)\ntime.sleep(60)"
HANDED_ON = """
before = signal.getsignal(signal.SIGTERM)
signal.signal(signal.SIGTERM, lambda *words: before(*words))
print('more', flush=True)
time.sleep(60)
"""
BEGIN = "import os, signal, sys, threading, time\nprint('ready', flush=True)\n"


@pytest.mark.parametrize("source, sent, code, ended", [
    pytest.param(BUSY, signal.SIGTERM, -signal.SIGTERM, "by SIGTERM", id="busy"),
    pytest.param(ASLEEP, signal.SIGHUP, -signal.SIGHUP, "by SIGHUP", id="asleep"),
    pytest.param(IN_C, signal.SIGTERM, -signal.SIGTERM, "by SIGTERM", id="in-c"),
    pytest.param(AFTER_ITS_LAST_LINE, signal.SIGTERM, -signal.SIGTERM, "by SIGTERM", id="after-its-last-line"),
    pytest.param(HANDLED, signal.SIGTERM, 3, "exit code 3", id="handled"),
    pytest.param(HANDED_ON, signal.SIGTERM, -signal.SIGTERM, "by SIGTERM", id="handed-on"),
    pytest.param(ASLEEP, signal.SIGINT, None, "KeyboardInterrupt", id="interrupted"),
])
def test_a_signal_ends_the_script_and_is_reported(tmp_path, source, sent, code, ended):
    here.write(tmp_path, {"script.py": BEGIN + source})
    process = started(tmp_path, RUN + ["--report", "report.txt", "script.py"])
    assert process.stdout.readline() == "ready\n"
    if "more" in source:
        assert process.stdout.readline() == "more\n"
    time.sleep(0.05)  # let it come to where it waits
    process.send_signal(sent)
    found = outcome(process)[0]
    assert code is None or found == code
    assert "ended       {}\n".format(ended) in (tmp_path / "report.txt").read_text()


FORKING = """
def child():
    number = os.fork()
    if number == 0:
        os.kill(os.getpid(), signal.SIGTERM)
        os._exit(7)
    print(os.waitpid(number, 0)[1], os.path.exists("report.txt"), flush=True)

child()
thread = threading.Thread(target=child)
thread.start()
thread.join()
with __import__("multiprocessing").get_context("fork").Pool(2) as pool:
    print(pool.map(abs, [-1, -2]))
"""


def test_a_process_that_the_script_forks_dies_at_once(tmp_path):
    here.write(tmp_path, {"script.py": BEGIN + textwrap.dedent(FORKING)})
    code, out, err = outcome(started(tmp_path, RUN + ["--report", "report.txt", "script.py"]))
    term = int(signal.SIGTERM)
    assert (code, out.split("\n", 1)[1]) == (0, "{0} False\n{0} False\n[1, 2]\n".format(term)), err
    assert "ended       done\n" in (tmp_path / "report.txt").read_text()


def test_all_is_put_back():
    def handlers():
        return [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]

    before = handlers()
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    with killed.last_words(lambda name: None):
        assert handlers()[0] is not before[0] and handlers()[2] is before[2]
    assert handlers() == before and signal.set_wakeup_fd(-1) == -1
    deadline = time.monotonic() + 30
    while files is not None and len(os.listdir("/proc/self/fd")) > files:  # the listener closes its end
        assert time.monotonic() < deadline
        time.sleep(0.01)
