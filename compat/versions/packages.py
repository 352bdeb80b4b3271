"""Which distributions are installed, read from their metadata without importing them.

`importlib.metadata` takes 50 ms to be imported and to read, which `legacy-towers run` would add to the start of each
script. So the versions that it needs are read from the `.dist-info` folders on sys.path first.
"""
import functools
import importlib.util
import os
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

# The usual distributions of TensorFlow; a vendor's build of another name is found by the files that it installed.
_TENSORFLOW_NAMES = (
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "tensorflow-intel",
    "tensorflow-macos",
    "tensorflow-rocm",
    "tensorflow-cpu-aws",
    "intel-tensorflow",
    "tf-nightly",
    "tf-nightly-cpu",
)
# The line about TensorFlow's module in the RECORD of what a distribution installed.
_RECORD_OF_TENSORFLOW = "tensorflow/__init__.py,"
_TF_KERAS_NAMES = ("tf_keras", "tf_keras-nightly")


class Distribution(NamedTuple):
    name: str
    version: str


def is_importable(module: str) -> bool:
    """Returns whether the top-level `module` can be imported, without importing it."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return False
    # A folder without __init__.py, left over from an uninstalled package, has a spec without an origin.
    return spec is not None and spec.origin is not None


def version_of(distribution: str) -> Optional[str]:
    """Returns the version of a distribution, None if it is not installed."""
    for folder in _metadata_folders((distribution,)).values():
        return _version_in(folder)
    metadata = _metadata_module()
    if metadata is None:
        return None
    try:
        return str(metadata.version(distribution))
    except metadata.PackageNotFoundError:
        return None


def tensorflow_distributions() -> List[Distribution]:
    """Returns the distributions that installed the module `tensorflow`; more than one is a broken installation.

    A distribution without files of its own, as `tensorflow` is on Windows, where it only requires `tensorflow-intel`,
    does not count. Empty if no metadata is found.
    """
    metadata = _metadata_module()
    if metadata is None:
        return []
    known = []
    for name in _TENSORFLOW_NAMES:
        try:
            known.append(metadata.distribution(name))
        except metadata.PackageNotFoundError:
            continue
    owners = [each for each in known if _installed_tensorflow(each)]
    owners = owners or [each for each in metadata.distributions() if _installed_tensorflow(each)]
    # Some package managers write no RECORD of the files: the name decides then.
    return [Distribution(str(each.metadata["Name"]), str(each.version)) for each in owners or known]


def tensorflow_version() -> Optional[str]:
    """Returns the version of the first of `tensorflow_distributions`; None if there is none."""
    return _tensorflow_version(tuple(sys.path))


@functools.lru_cache(maxsize=None)
def _tensorflow_version(path: Tuple[str, ...]) -> Optional[str]:
    for folder in _metadata_folders(_TENSORFLOW_NAMES).values():
        if _line(folder, "RECORD", _RECORD_OF_TENSORFLOW):
            return _version_in(folder)
    owners = tensorflow_distributions()
    return owners[0].version if owners else None


def tf_keras_version() -> Optional[str]:
    """Returns the version of tf_keras, None if it is not installed or has no metadata."""
    versions = map(version_of, _TF_KERAS_NAMES)
    return next((version for version in versions if version is not None), None)


def _metadata_folders(distributions: Tuple[str, ...]) -> Dict[str, str]:
    """Returns distribution -> its `.dist-info` folder, in the order of `distributions`.

    Empty if one of them has metadata of another kind, or sys.path has something else than folders.
    """
    wanted = [_normalized(each) for each in distributions]
    found: Dict[str, str] = {}
    for folder, entry in _metadata_on_path():
        name = _normalized(entry.split("-")[0])
        if name in wanted:
            if not entry.endswith(".dist-info"):
                return {}
            found.setdefault(name, os.path.join(folder, entry))
    return {name: found[name] for name in wanted if name in found}


def _metadata_on_path() -> Iterator[Tuple[str, str]]:
    """Yields (folder, entry) of each distribution in a folder of sys.path."""
    for folder in sys.path:
        try:
            entries = os.listdir(folder or os.curdir)
        except OSError:  # such as the zip file of Python's own modules
            continue
        for entry in entries:
            if entry.endswith((".dist-info", ".egg-info", ".egg")):
                yield folder, entry


def _normalized(distribution: str) -> str:
    return distribution.lower().replace("-", "_").replace(".", "_")


def _version_in(folder: str) -> str:
    """Returns the version in the METADATA of a `.dist-info` folder; that of its name without such a file."""
    version = _line(folder, "METADATA", "Version:").partition(":")[2].strip()
    return version or os.path.basename(folder)[: -len(".dist-info")].rpartition("-")[2]


def _line(folder: str, name: str, start: str) -> str:
    """Returns the first line of a file that begins with `start`; "" if there is none."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return next((line for line in file if line.startswith(start)), "")
    except OSError:
        return ""


def _metadata_module() -> Any:
    """Returns importlib.metadata or its backport for Python 3.7, None if neither is installed.

    tensorboard, which TensorFlow 1.15 requires, installs the backport. It is imported late because it changes
    sys.meta_path.
    """
    try:
        from importlib import metadata
    except ImportError:
        try:
            import importlib_metadata as metadata  # type: ignore[import-not-found,no-redef]
        except ImportError:
            return None
    return metadata


def _installed_tensorflow(distribution: Any) -> bool:
    record = distribution.read_text("RECORD") or ""
    return "\n" + _RECORD_OF_TENSORFLOW in "\n" + record
