"""What a checkpoint of a `CheckpointStore` costs the training loop, compared with `tf.train.Saver.save`.

    python tests/benchmarks/checkpoint_saving.py [MEGABYTES]

Both save the same session in turn, each into its own directory on the same disk. Of the store, the time that the loop
waits is compared: `CheckpointStore.write`, after which training continues while a thread verifies the checkpoint and
makes it visible. What that thread takes is printed too. Both keep the newest five.
"""
import os
import statistics
import sys
import tempfile
import time

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.measure.statistics import ratio_interval

ROUNDS, WARM_UP = 21, 2


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as directory, tf.Graph().as_default(), tf.Session() as session:
        for number in range(20):  # variables of different sizes, as a net has
            tf.get_variable("w_{}".format(number), [megabytes * 2**18 * (number + 1) // 210], use_resource=True)
        step = tf.train.get_or_create_global_step()
        session.run(tf.global_variables_initializer())
        grown = tf.assign_add(step, 1)
        saver = tf.train.Saver(max_to_keep=5)
        print("TensorFlow {}, {} MB, {} cores, load {:.1f}".format(
            tf.__version__, megabytes, os.cpu_count(), os.getloadavg()[0]
        ))
        options = lt.training.CheckpointOptions(keep=5)
        rounds = []
        with lt.training.CheckpointStore(os.path.join(directory, "store"), options, tf.train.Saver()) as store:
            os.mkdir(os.path.join(directory, "saver"))
            for _ in range(WARM_UP + ROUNDS):
                number = int(session.run(grown))
                begin = time.perf_counter()
                store.write(session, number)
                written = time.perf_counter()
                store.wait()
                visible = time.perf_counter()
                saver.save(session, os.path.join(directory, "saver", "model.ckpt"), global_step=number)
                rounds.append((written - begin, visible - written, time.perf_counter() - visible))
        store_times, thread_times, saver_times = zip(*rounds[WARM_UP:])
        ratio = ratio_interval(store_times, saver_times)
        saver_median, store_median, thread_median = [
            1e3 * statistics.median(times) for times in (saver_times, store_times, thread_times)
        ]
        print("Saver.save: {:.0f} ms; the loop waits for the store: {:.0f} ms, ratio {:.3f} ({:.3f} to {:.3f}); its "
              "thread: {:.0f} ms".format(saver_median, store_median, *ratio, thread_median))


if __name__ == "__main__":
    main()
