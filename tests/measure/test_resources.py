"""CPU time and memory of a process."""
import os

import processes

from legacy_towers.measure import resources


def test_cpu_time_includes_threads_and_ended_children():
    before = resources.cpu_seconds()
    processes.run_python("sum(number * number for number in range(3 * 10**6))")
    assert resources.cpu_seconds() > before


def test_cpu_time_includes_running_children():
    program = """
        import subprocess, sys
        from legacy_towers.measure.resources import cpu_seconds
        busy = "print(sum(number * number for number in range(3 * 10**6)), flush=True); import time; time.sleep(60)"
        before = cpu_seconds()
        child = subprocess.Popen([sys.executable, "-c", busy], stdout=subprocess.PIPE)
        child.stdout.readline()
        spent = cpu_seconds() - before
        child.kill()
        child.wait()
        print(spent > 0.05)
    """
    assert processes.output_of(program).strip() == "True"


def test_the_peak_memory_of_a_process_does_not_include_its_parents():
    # Far above what the child needs, which does not import numpy.
    ballast = bytearray(400 * 2**20)
    ballast[:: 4096] = b"x" * len(ballast[:: 4096])
    program = """
        from legacy_towers.measure.resources import peak_memory_bytes
        start = peak_memory_bytes()
        ballast = b"x" * (64 * 2**20)
        grown = peak_memory_bytes()
        del ballast
        print(start, grown, peak_memory_bytes())
    """
    start, grown, after = map(int, processes.output_of(program).split())
    assert start < 200 * 2**20
    assert grown - start > 50 * 2**20 and after > 0.9 * grown
    assert resources.peak_memory_bytes() > 400 * 2**20


def test_the_error_without_psutil_has_the_pip_command():
    program = """
        from legacy_towers.errors import EnvironmentProblem
        from legacy_towers.measure.resources import cpu_seconds
        try:
            cpu_seconds()
        except EnvironmentProblem as error:
            print(error)
    """
    printed = processes.output_of(program, blocked=["psutil"])
    assert printed.startswith("the package psutil is missing") and "pip install psutil" in printed


def test_usable_cores_are_at_most_the_cores_of_the_machine():
    assert 1 <= resources.usable_cores() <= os.cpu_count()
