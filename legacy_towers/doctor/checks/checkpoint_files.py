"""LD601: files or values of a checkpoint are missing or damaged."""
from typing import Iterator

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject


@check("LD601", "incomplete-checkpoint", ERROR, """
A checkpoint consists of an index and of one or more data files, `NAME.data-00000-of-00002` for instance. One of them
is missing, or a value in them does not match its checksum. `saver.restore` fails, or fails only for the variables in
the missing file. The usual reasons: the files were copied while they were written, only some of them were copied, the
disk was full, or the process was killed while it saved.

Copy all files that begin with the checkpoint's name, or use an older checkpoint. `legacy-towers train` and
`lt.training.session` verify each checkpoint when it is written.
""")
def incomplete_checkpoint(subject: Subject) -> Iterator[Evidence]:
    saved = subject.saved
    if saved is None:
        return
    for name in saved.shapes:
        saved.values(name)  # reads it, which checks it
    if saved.damage:
        yield Evidence(
            "", saved.prefix, "the checkpoint can't be restored as a whole: {}".format(saved.damage),
            "copy all of its files again, or use an older checkpoint",
        )
