"""Which distributions are installed, read from their metadata: nothing is imported."""
import importlib.util
from typing import Any, List, NamedTuple, Optional

try:
    from importlib import metadata as _metadata
except ImportError:  # Python 3.7: the backport comes with TensorFlow 1.15 (by way of its tensorboard)
    try:
        import importlib_metadata as _metadata  # type: ignore[import-not-found,no-redef]
    except ImportError:
        _metadata = None  # type: ignore[assignment]

# The usual owners of the module `tensorflow`; a vendor's build of another name is found by what it installed.
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
_TF_KERAS_NAMES = ("tf_keras", "tf_keras-nightly")


class Distribution(NamedTuple):
    name: str
    version: str


def is_importable(module: str) -> bool:
    """Returns whether the top-level `module` is there to be imported; imports nothing."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return False
    # A folder without __init__.py, left over from an uninstalled package, has a spec without an origin.
    return spec is not None and spec.origin is not None


def version_of(distribution: str) -> Optional[str]:
    """Returns the version of an installed distribution, None if it is not installed."""
    if _metadata is None:
        return None
    try:
        return str(_metadata.version(distribution))
    except _metadata.PackageNotFoundError:
        return None


def tensorflow_distributions() -> List[Distribution]:
    """Returns the distributions that installed the module `tensorflow`; more than one is a broken installation.

    A mere shell, as `tensorflow` is for `tensorflow-intel` on Windows, does not count. Empty where no metadata is.
    """
    if _metadata is None:
        return []
    known = []
    for name in _TENSORFLOW_NAMES:
        try:
            known.append(_metadata.distribution(name))
        except _metadata.PackageNotFoundError:
            continue
    owners = [each for each in known if _installed_tensorflow(each)]
    owners = owners or [each for each in _metadata.distributions() if _installed_tensorflow(each)]
    # A package manager that writes no RECORD says nothing about files: then the name has to do.
    return [Distribution(str(each.metadata["Name"]), str(each.version)) for each in owners or known]


def tf_keras_version() -> Optional[str]:
    """Returns the version of the installed tf_keras, None if there is none or its metadata is missing."""
    versions = [version_of(name) for name in _TF_KERAS_NAMES]
    return next((version for version in versions if version is not None), None)


def _installed_tensorflow(distribution: Any) -> bool:
    record = distribution.read_text("RECORD") or ""
    return "\ntensorflow/__init__.py," in "\n" + record
