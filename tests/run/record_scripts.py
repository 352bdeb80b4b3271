"""Records scripts' initial checkpoints and first losses on TF 1.15: `python tests/run/record_scripts.py [NAME ...]`."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from run import script_table  # noqa: E402


def record(script: script_table.Script) -> None:
    with tempfile.TemporaryDirectory() as work:
        train, data = os.path.join(work, "train"), os.path.join(work, "data")
        os.makedirs(train)
        os.makedirs(data)
        if script.data is not None:
            script.data(data)
        command = script.command(train, data, ported=script.ported is not None)
        done = subprocess.run(
            (sys.executable, "-B") + command, stdout=subprocess.PIPE, universal_newlines=True, check=True,
            cwd=script_table.FOLDER,
        )
        target = os.path.join(script_table.RECORDED, script.name)
        shutil.rmtree(target, ignore_errors=True)
        os.makedirs(target)
        for path in glob.glob(os.path.join(train, "model.ckpt-0.*")):
            if not path.endswith(".meta"):
                shutil.copy(path, target)
        with open(os.path.join(target, "losses.json"), "w") as file:
            json.dump(script_table.losses(done.stdout)[: script_table.STEPS], file)
        print(script.name, script_table.losses(done.stdout)[: script_table.STEPS])


if __name__ == "__main__":
    for each in script_table.SCRIPTS:
        if not sys.argv[1:] or each.name in sys.argv[1:]:
            record(each)
