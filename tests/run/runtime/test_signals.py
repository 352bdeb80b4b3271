"""`--report` is written when a signal ends the script; the exit code is that of the signal."""
import os
import signal
import textwrap
import time

import pytest
from run import here
from run.test_start import RUN, outcome, started

from legacy_towers.run.runtime import signals


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests need no TensorFlow."""


@pytest.fixture(autouse=True)
def default_sighup():
    """Restores the default action, which nohup replaces by SIG_IGN in the test process and its children."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


BUSY_LOOP = "while True: pass"
SLEEPING = "time.sleep(60)"
# Blocks in C code, as a waiting session run or a server does.
BLOCKED_IN_C = """
import ctypes
c, lock = ctypes.CDLL(None), ctypes.create_string_buffer(64)
c.pthread_mutex_lock(lock)
c.pthread_mutex_lock(lock)
"""
WAITING_FOR_THREADS = "threading.Thread(target=time.sleep, args=(60,)).start()"
OWN_HANDLER = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\nprint('more', flush=True)\ntime.sleep(60)"
CHAINED_HANDLER = """
before = signal.getsignal(signal.SIGTERM)
signal.signal(signal.SIGTERM, lambda *arguments: before(*arguments))
print('more', flush=True)
time.sleep(60)
"""
IMPORTS = "import os, signal, sys, threading, time\nprint('ready', flush=True)\n"


@pytest.mark.parametrize("source, sent, code, ended", [
    pytest.param(BUSY_LOOP, signal.SIGTERM, -signal.SIGTERM, "by SIGTERM", id="busy-loop"),
    pytest.param(SLEEPING, signal.SIGHUP, -signal.SIGHUP, "by SIGHUP", id="sleeping"),
    pytest.param(BLOCKED_IN_C, signal.SIGTERM, -signal.SIGTERM, "by SIGTERM", id="blocked-in-c"),
    pytest.param(WAITING_FOR_THREADS, signal.SIGTERM, -signal.SIGTERM, "by SIGTERM", id="waiting-for-threads"),
    pytest.param(OWN_HANDLER, signal.SIGTERM, 3, "exit code 3", id="own-handler"),
    pytest.param(CHAINED_HANDLER, signal.SIGTERM, -signal.SIGTERM, "by SIGTERM", id="chained-handler"),
    pytest.param(SLEEPING, signal.SIGINT, None, "KeyboardInterrupt", id="ctrl-c"),
])
def test_the_report_is_written_when_a_signal_ends_the_script(tmp_path, source, sent, code, ended):
    here.write(tmp_path, {"script.py": IMPORTS + source})
    process = started(tmp_path, RUN + ["--report", "report.txt", "script.py"])
    assert process.stdout.readline() == "ready\n"
    if "more" in source:
        assert process.stdout.readline() == "more\n"
    time.sleep(0.05)  # the script reaches its last statement
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


def test_a_forked_process_has_the_default_signal_actions(tmp_path):
    here.write(tmp_path, {"script.py": IMPORTS + textwrap.dedent(FORKING)})
    code, out, err = outcome(started(tmp_path, RUN + ["--report", "report.txt", "script.py"]))
    term = int(signal.SIGTERM)
    assert (code, out.split("\n", 1)[1]) == (0, "{0} False\n{0} False\n[1, 2]\n".format(term)), err
    assert "ended       done\n" in (tmp_path / "report.txt").read_text()


def test_handlers_and_the_wakeup_descriptor_are_restored():
    def handlers():
        return [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]

    before = handlers()
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    with signals.before_fatal_signal(lambda name: None):
        assert handlers()[0] is not before[0] and handlers()[2] is before[2]
    assert handlers() == before and signal.set_wakeup_fd(-1) == -1
    deadline = time.monotonic() + 30
    while files is not None and len(os.listdir("/proc/self/fd")) > files:  # the thread closes its descriptor
        assert time.monotonic() < deadline
        time.sleep(0.01)
