"""tf.test.main with the flag --benchmarks."""
import subprocess
import textwrap

import preloaded
import pytest

SCRIPT = """
    import tensorflow as tf
    from tensorflow.python.platform import test

    class Sums(test.Benchmark):
        def benchmarkOnes(self):
            with tf.Graph().as_default(), tf.Session() as session:
                self.run_op_benchmark(session, tf.add_n([tf.ones([2])] * 2).op, burn_iters=1, min_iters=2, name="ones")

    class Tests(test.TestCase):
        def testSum(self):
            with self.test_session() as session:
                self.assertAllEqual(session.run(tf.add(1, 2)), 3)

    {}.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("module", ["test", "tf.test"])
@pytest.mark.parametrize("arguments, expected", [(["--benchmarks=Sums"], "entry {"), ([], "Ran 2 tests")])
def test_main_runs_benchmarks_with_the_flag_of_1_x(module, arguments, expected, tmp_path):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT).replace("{}", module))
    done = subprocess.run(
        [preloaded.executable(), "-m", "legacy_towers", "run", str(path)] + arguments,
        cwd=str(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=200,
    )
    output = done.stdout.decode()
    assert done.returncode == 0, output
    assert expected in output
