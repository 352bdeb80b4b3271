"""tf.test.main with the flag --benchmarks of TensorFlow 1.x."""
import re
import sys
from typing import Any, List, Optional

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions import tf


def main(argv: Optional[List[str]] = None) -> Any:
    """Runs tf.test.main, with --benchmarks=PATTERN changed to --benchmark_filter=PATTERN.

    It runs the tests, or the benchmarks whose names match PATTERN. `argv` is sys.argv by default.
    """
    given = sys.argv if argv is None else argv
    for index, argument in enumerate(given):
        if re.match("--?benchmarks=", argument):
            given[index] = argument.replace("benchmarks", "benchmark_filter", 1)
            user_script.report_replacement("the flag --benchmarks", "--benchmark_filter")
    return tf.test.main(argv)
