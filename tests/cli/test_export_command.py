"""legacy-towers export: the signature that it prints, and its options."""
import job_files
import numpy as np

from legacy_towers.cli.main import main
from legacy_towers.compat import tf


def test_export_prints_the_signature(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", job_files.LINE)
    train = "train line.py --steps 3 --checkpoint-dir kept --average 0.9 --evaluate-steps 1 --keep-best max:error"
    assert main(train.split()) == 0
    capsys.readouterr()
    command = "export line.py --average 0.9 --checkpoint-dir kept --output models/3 --batch-size 1000 --outputs guess"
    assert main(command.split()) == 0
    shown = capsys.readouterr()
    assert [line.split() for line in shown.out.splitlines()] == [
        "exported kept/model.ckpt-3 to models/3, signature serving_default".split(),
        ["name", "dtype", "and", "shape"],
        ["------", "-----", "-----------------"],
        ["input", "x", "float32", "[1000,", "3]"],
        ["output", "guess", "float32", "[1000]"],
    ]
    assert shown.err == ""
    x, _ = job_files.points()
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.load(session, ["serve"], "models/3").signature_def["serving_default"]
        guess = session.run(signature.outputs["guess"].name, {signature.inputs["x"].name: x})
    w = tf.train.load_checkpoint("kept").get_tensor("w/ExponentialMovingAverage")
    np.testing.assert_allclose(guess, x.dot(w)[:, 0], rtol=1e-4, atol=1e-5)
    assert main("export line.py --average 0.9 --checkpoint-dir kept --output models/1 --best".split()) == 0
    assert capsys.readouterr().out.startswith("exported kept/model.ckpt-1 to models/1, ")  # the largest error
    assert main("export line.py --checkpoint-dir kept --output models/4 --serialized".split()) == 2
    assert "serialized records can't be served: the examples must come from" in capsys.readouterr().err
