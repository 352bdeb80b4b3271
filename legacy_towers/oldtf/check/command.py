"""`legacy-towers run --check PATH`: reads, asks, prints."""
from legacy_towers.oldtf.check import project, words

MISSING = 1


def run(path: str, as_json: bool) -> int:
    """Prints what the script or folder at `path` would miss, and returns the exit code: 1 if anything."""
    from legacy_towers.compat import tf

    checked = project.check(path)
    version = ".".join(tf.__version__.split(".")[:2])
    print(words.as_json(checked, version) if as_json else words.as_text(checked, version))
    return MISSING if checked.missing else 0
