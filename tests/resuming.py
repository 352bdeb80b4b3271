"""What the tests of resuming share: a small model that trains, and reports what each of its steps used."""
import json
import os
import signal
import subprocess
import sys

import numpy as np
import preloaded

COUNT = 40
ROWS = np.random.RandomState(0).randn(COUNT, 3).astype(np.float32)


def arrays(**options):
    from legacy_towers.data import Examples

    return Examples.from_arrays({"id": np.arange(COUNT, dtype=np.int64), "x": ROWS}, **options)


def run(
    make, directory, until, towers=2, save_steps=1000, after_step=lambda seen, step: None, dropout=None, on_nan=None
):
    """Trains until a global step in a graph and a session of its own; returns the ids and the loss of each step."""
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.inputs.record_files import explaining

    def model_fn(batch, mode):
        if dropout is not None:
            batch = dict(batch, x=dropout(batch["x"]))
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer([[0.5], [-0.25], [1.0]]))
        loss = tf.reduce_mean(tf.square(tf.matmul(batch["x"], w) - 1.0), axis=1)
        return lt.TowerOutput(loss=loss, predictions=tf.identity(batch["id"]))

    seen = []
    with tf.Graph().as_default():
        step = lt.build_train_step(
            model_fn, make(), tf.train.MomentumOptimizer(0.01, 0.9), ["/cpu:{}".format(each) for each in range(towers)]
        )
        ids = step.input.ids or [tower.output.predictions for tower in step.towers]
        options = lt.training.CheckpointOptions(save_steps=save_steps)
        with lt.training.CheckpointStore(directory, options) as store:
            hooks = step.hooks + [tf.train.StopAtStepHook(last_step=until)]
            if on_nan is not None:
                hooks.append(lt.training.NanGuardHook(step, on_nan, store=store, report=lambda sentence: None))
            hooks.append(lt.training.CheckpointHook(store))
            # As lt.training.session does.
            with explaining(step.hooks), tf.train.MonitoredTrainingSession(
                hooks=hooks, scaffold=store.scaffold(), config=lt.session_config(logical_cpus=towers)
            ) as session:
                while not session.should_stop():
                    _, loss, batches = session.run([step.train_op, step.loss, ids])
                    seen.append((np.concatenate(batches).tolist(), loss.tobytes()))
                    after_step(seen, step)
            return seen, store.resumed, step.plan.input


def run_until_killed(make, directory, steps):
    """Trains in this process, which kills itself after some steps, between two checkpoints."""

    def after_step(seen, step):
        print(json.dumps([(ids, loss.hex()) for ids, loss in seen[-1:]]), flush=True)
        if len(seen) == steps:
            os.kill(os.getpid(), signal.SIGKILL)

    run(make, directory, 100, save_steps=3, after_step=after_step)


def steps_of_killed_run(make, directory, steps):
    """Trains in another process until it kills itself; returns what `run` returns of each of its steps.

    Args:
      make: an expression of the calling module.
    """
    caller = sys._getframe(1).f_globals
    here = os.path.dirname(os.path.abspath(caller["__file__"]))
    code = "import resuming, {0} as tests; resuming.run_until_killed(tests.{1}, {2!r}, {3})".format(
        os.path.basename(caller["__file__"])[:-len(".py")], make, directory, steps
    )
    killed = subprocess.run(
        [preloaded.executable(), "-c", code], cwd=here, env=dict(os.environ, PYTHONPATH=os.path.dirname(here)),
        stdout=subprocess.PIPE, timeout=300,
    )
    assert killed.returncode == -signal.SIGKILL
    lines = [json.loads(line)[0] for line in killed.stdout.decode().splitlines()]
    return [(ids, bytes.fromhex(loss)) for ids, loss in lines]


def pipeline(name, source=arrays, **options):
    from legacy_towers.inputs.named import make_pipeline

    options = dict({"per_tower_batch_size": 3}, **options)
    examples = source(**{key: options.pop(key) for key in ("seed", "shuffle") if key in options})
    return make_pipeline(name, examples, **options)


def restored(make, state):
    """Returns a `Resumed` and the position of a pipeline that is built, but not run."""
    from legacy_towers.compat import tf

    with tf.Graph().as_default():
        batches = make().build(["/cpu:0", "/cpu:1"])
    return batches.position.restore(state), batches.position
