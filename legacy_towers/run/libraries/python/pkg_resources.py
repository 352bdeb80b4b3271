"""pkg_resources, which setuptools removed: the versions of packages, and their data files.

If the installed setuptools has it, the shim has all its names. The version of tensorflow is 1.15's, as in tf.VERSION.
"""
import importlib
import os
import sys
from typing import Any

from legacy_towers.compat.tf1.core import version as _version
from legacy_towers.run.libraries.views import pass_on as _pass_on

try:
    _now: Any = importlib.import_module("pkg_resources")
except ImportError:
    _now = None

_TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow_gpu")

if _now is not None:

    def _distribution(dist: Any) -> Any:
        """Returns the installed package `dist`; tensorflow has the version that `tf.VERSION` shows."""
        if dist in _TENSORFLOW:
            return _now.Distribution(project_name=dist, version=_version.VERSION)
        return _now.get_distribution(dist)

    _pass_on(globals(), _now)
    get_distribution = _distribution
else:
    import importlib.metadata
    import importlib.util

    parse_version = importlib.import_module("packaging.version").parse

    class DistributionNotFound(Exception):
        """The package is not installed."""

    class Distribution:
        """An installed package: its `project_name` and `version`."""

        def __init__(self, name: str, version: str) -> None:
            self.project_name = self.key = name
            self.version = version

    def get_distribution(dist: str) -> Distribution:
        """Returns the installed package `dist`.

        Raises:
          DistributionNotFound: the package is not installed.
        """
        if dist in _TENSORFLOW:
            return Distribution(dist, _version.VERSION)
        try:
            return Distribution(dist, importlib.metadata.version(dist))
        except importlib.metadata.PackageNotFoundError:
            raise DistributionNotFound("The '{}' distribution was not found".format(dist)) from None

    def resource_filename(package_or_requirement: str, resource_name: str) -> str:
        """Returns the path of the data file `resource_name` of a package or module.

        Raises:
          ImportError: the package is not installed, or is a namespace package.
        """
        module = sys.modules.get(package_or_requirement)
        path = getattr(module, "__file__", None)
        if path is None:
            found: Any = importlib.util.find_spec(package_or_requirement)
            path = found.origin if found is not None else None
        if path is None:
            raise ImportError("No module named '{}' that has a file".format(package_or_requirement))
        return os.path.join(os.path.dirname(str(path)), *resource_name.split("/"))

    def resource_exists(package_or_requirement: str, resource_name: str) -> bool:
        return os.path.exists(resource_filename(package_or_requirement, resource_name))

    def resource_stream(package_or_requirement: str, resource_name: str) -> Any:
        return open(resource_filename(package_or_requirement, resource_name), "rb")

    def resource_string(package_or_requirement: str, resource_name: str) -> bytes:
        """Returns the content of the file."""
        with resource_stream(package_or_requirement, resource_name) as file:
            return bytes(file.read())
