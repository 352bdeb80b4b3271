"""What the processes of disturbed runs leave in their directory: checkpoints that can't be loaded, locks, litter."""
from legacy_towers.chaos import runs
from legacy_towers.compat import tf


def test_a_truncated_checkpoint_is_found(tmp_path):
    tf.get_variable("w", [1000], initializer=tf.ones_initializer())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / "model.ckpt"), global_step=3)
    assert runs._unloadable(str(tmp_path)) == []
    (data,) = tmp_path.glob("model.ckpt-3.data-*")
    data.write_bytes(data.read_bytes()[:-100])
    ((kind, text),) = runs._unloadable(str(tmp_path))
    assert kind == "checkpoint" and "model.ckpt-3 can't be loaded" in text


def test_a_lock_and_unfinished_work_are_found(tmp_path):
    (tmp_path / "checkpoint").write_text("")
    assert runs._left(str(tmp_path)) == []
    (tmp_path / "training.lock").write_text("")
    (tmp_path / ".unfinished-checkpoints").mkdir()
    assert [kind for kind, _ in runs._left(str(tmp_path))] == ["files", "files"]


def test_names_are_compared_without_their_numbers():
    assert runs._shape("model.ckpt-12.index") == runs._shape("model.ckpt-3.index")
    assert runs._shape("model.ckpt-12.index.tempstate3") != runs._shape("model.ckpt-3.index")
