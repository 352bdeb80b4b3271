"""tf.test.main, which runs benchmarks where it finds the flag --benchmarks."""
import re
import sys
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf import current


def main(argv: Optional[List[str]] = None) -> Any:
    """tf.test.main, with --benchmarks=PATTERN for --benchmark_filter=PATTERN.

    Tests are run, or the benchmarks whose names match; `argv` is by default that of the process.
    """
    words = sys.argv if argv is None else argv
    for at, word in enumerate(words):
        if re.match("--?benchmarks=", word):
            words[at] = word.replace("benchmarks", "benchmark_filter", 1)
            current.say_once("the flag --benchmarks", "--benchmark_filter")
    return tf.test.main(argv)
