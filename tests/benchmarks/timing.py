"""Interleaved timing: candidates take turns, so that other load on the machine affects all of them."""
import statistics
import time


def interleaved(candidates, rounds=15, warm_up=3, repeats=1, before=None):
    """Returns name -> list of milliseconds per call, one per counted round.

    Args:
      candidates: name -> function without arguments.
      rounds: counted rounds; in each, every candidate is called `repeats` times.
      warm_up: rounds before, which are not counted.
      before: name -> function to call before each call of the candidate, untimed; None: nothing.
    """
    times = {name: [] for name in candidates}
    for round_number in range(warm_up + rounds):
        for name, call in candidates.items():
            spent = 0.0
            for _ in range(repeats):
                if before is not None:
                    before[name]()
                started = time.perf_counter()
                call()
                spent += time.perf_counter() - started
            if round_number >= warm_up:
                times[name].append(spent * 1e3 / repeats)
    return times


def report(times, baseline):
    """Prints the median of each candidate and the median of its paired ratio to the baseline."""
    print("{:32} {:>10} {:>10} {:>10}".format("", "median ms", "min ms", "ratio"))
    for name, values in times.items():
        ratios = [base / value for base, value in zip(times[baseline], values)]
        print(
            "{:32} {:10.3f} {:10.3f} {:10.2f}".format(
                name, statistics.median(values), min(values), statistics.median(ratios)
            )
        )
    print("ratio: the time of {!r} over the candidate's, median over rounds; more than 1 is faster".format(baseline))
