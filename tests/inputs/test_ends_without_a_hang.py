"""The end of the data, and a damaged record, end a run of several towers, and never hang it."""
import pytest
from processes import run_python

PROGRAM = """
    import faulthandler, sys
    # The one timer that a call stuck in C++ does not hold up: a hang is an error of this process.
    faulthandler.dump_traceback_later(150, exit=True)
    import legacy_towers as lt
    from legacy_towers.compat import tf

    route, kind = sys.argv[1:]
    with tf.python_io.TFRecordWriter("records") as writer:
        for _ in range(1000):
            writer.write(b"0" * 16)
    if kind == "damaged":
        data = bytearray(open("records", "rb").read())
        data[500 * 32 + 14] ^= 255
        with open("records", "wb") as file:
            file.write(data)
    examples = lt.Examples.from_tfrecords("records", lambda record: {"x": record}, count=1000, seed=0)
    endings = []
    for _ in range(100):
        with tf.Graph().as_default():
            way = lt.inputs.dataset(
                examples, per_tower_batch_size=32, epochs=1 if kind == "whole" else None, route=route
            )
            batches = way.build(lt.devices.cpus(2))
            creator = tf.train.ChiefSessionCreator(config=lt.session_config(logical_cpus=2))
            ending = "whole"
            with tf.train.MonitoredSession(creator, batches.hooks) as session:
                try:
                    while not session.should_stop():
                        session.run(batches.per_tower)
                except tf.errors.DataLossError:
                    ending = "damaged"
            endings.append(ending)
    print(len(endings), *set(endings))
"""


# TF 1.15 hung within a hundred such runs while the towers pulled side by side.
@pytest.mark.slow
@pytest.mark.parametrize("route, kind", [("sharded", "whole"), ("sharded", "damaged"), ("next_per_tower", "damaged")])
def test_a_hundred_runs_end(tmp_path, route, kind):
    done = run_python(PROGRAM, arguments=[route, kind], cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "100 {}\n".format(kind)), done.stderr
