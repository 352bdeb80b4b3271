"""The step of the latest checkpoint, by the private name that scripts for TPUs import."""
from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree


def test_latest_step_reads_the_latest_checkpoint(tmp_path):
    of_folder = tree.module("tensorflow.python.estimator.estimator")._load_global_step_from_checkpoint_dir
    assert of_folder(str(tmp_path)) == 0
    step = tf.train.get_or_create_global_step()
    with tf.Session() as session:
        session.run(step.initializer)
        session.run(step.assign(7))
        tf.train.Saver().save(session, str(tmp_path / "model.ckpt"))
    assert of_folder(str(tmp_path)) == 7
