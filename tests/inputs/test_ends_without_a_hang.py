"""The end of the data, and a damaged record, end a run of several towers, and never hang it."""
import pytest
from processes import run_preloaded

PROGRAM = """
    import faulthandler, sys
    import legacy_towers as lt
    from legacy_towers.compat import tf

    route, kind, runs = sys.argv[1:]
    with tf.python_io.TFRecordWriter("records") as writer:
        for _ in range(1000):
            writer.write(b"0" * 16)
    if kind != "whole":
        data = bytearray(open("records", "rb").read())
        data[500 * 32 + 14] ^= 255
        with open("records", "wb") as file:
            file.write(data)
    finite = kind != "damaged"
    towers = 4 if kind == "damaged,finite" else 2
    examples = lt.Examples.from_tfrecords(
        "records", lambda record: {"x": record}, count=1000, seed=0, shuffle=kind != "damaged,finite"
    )
    endings = []
    for _ in range(int(runs)):
        # The one timer that a call stuck in C++ does not hold up: a hang is an error of this process.
        faulthandler.dump_traceback_later(120, exit=True)
        with tf.Graph().as_default():
            pipeline = lt.inputs.dataset(
                examples, per_tower_batch_size=32, epochs=1 if finite else None, route=route
            )
            batches = pipeline.build(lt.devices.cpus(towers))
            creator = tf.train.ChiefSessionCreator(config=lt.session_config(logical_cpus=towers))
            ending = "whole"
            with tf.train.MonitoredSession(creator, batches.hooks) as session:
                try:
                    while not session.should_stop():
                        session.run(batches.per_tower)
                except tf.errors.DataLossError:
                    ending = kind
            endings.append(ending)
    print(len(endings), *set(endings))
"""


# When the get_nexts ran in parallel, TF 1.15 blocked within 100 such runs, and TF 2.21 took a damaged record of
# finite data for its end in up to 30 of them. tests/inputs/tf_data/test_routes.py checks that they don't.
@pytest.mark.slow
@pytest.mark.parametrize("route, kind, runs", [
    ("sharded", "whole", 15), ("sharded", "damaged", 10), ("next_per_tower", "damaged", 10),
    ("next_per_tower", "damaged,finite", 10), ("per_device", "damaged,finite", 10),
])
def test_runs_end_after_an_error(tmp_path, route, kind, runs):
    done = run_preloaded(PROGRAM, arguments=[route, kind, str(runs)], cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "{} {}\n".format(runs, kind)), done.stderr
