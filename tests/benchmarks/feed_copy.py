"""The time to feed 64 MB from aligned and from unaligned memory.

    python tests/benchmarks/feed_copy.py

One placeholder, 64 MB of float32, and a step that reads its shape only, so that the time is that of the feed. The
candidates take turns in a bare session: an aligned array; one that starts 16 bytes later, which TensorFlow copies; and
the same unaligned array through the feed hook, which copies it into aligned memory that it reuses.
"""
import numpy as np
from timing import interleaved, report

import legacy_towers as lt
from legacy_towers.compat import tf

ROWS, COLUMNS = 4096, 4096


def main():
    placeholders = lt.inputs.tower_placeholders(tf.TensorSpec([ROWS, COLUMNS], tf.float32), 1)
    (fed,) = placeholders.per_tower
    # With an unknown static shape: otherwise tf.shape would be a constant, and nothing would be fed.
    shape = tf.shape(tf.placeholder_with_default(fed, [None, None]))
    aligned = lt.inputs.aligned_empty([ROWS, COLUMNS], np.float32)
    aligned[:] = 1.0
    buffer = lt.inputs.aligned_empty([ROWS * COLUMNS + 4], np.float32)
    unaligned = buffer[4:].reshape([ROWS, COLUMNS])
    unaligned[:] = 1.0
    hooks = {
        name: lt.inputs.from_placeholders(placeholders, _forever(array)).build(["/cpu:0"]).hooks[0]
        for name, array in (("aligned", aligned), ("unaligned", unaligned))
    }
    print("TensorFlow {}, {} MB".format(tf.__version__, aligned.nbytes >> 20))
    with tf.Session() as session:
        for hook in hooks.values():
            hook.after_create_session(session, None)

        def by_hook(hook):
            context = tf.train.SessionRunContext(tf.train.SessionRunArgs(shape), session)
            assert session.run(shape, hook.before_run(context).feed_dict).tolist() == [ROWS, COLUMNS]
            hook.after_run(context, None)

        times = interleaved({
            "unaligned": lambda: session.run(shape, {fed: unaligned}),
            "unaligned, by the feed hook": lambda: by_hook(hooks["unaligned"]),
            "aligned": lambda: session.run(shape, {fed: aligned}),
            "aligned, by the feed hook": lambda: by_hook(hooks["aligned"]),
        }, 30, 5, 1)
    assert hooks["aligned"].copied_bytes == 0 and hooks["unaligned"].copied_bytes == 35 * aligned.nbytes
    assert hooks["unaligned"].blocks_made == 1
    report(times, "unaligned")


def _forever(array):
    def batches():
        while True:
            yield [array]

    return batches


if __name__ == "__main__":
    main()
