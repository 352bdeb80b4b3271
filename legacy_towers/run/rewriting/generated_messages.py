"""Modules that protoc before 3.19 generated, which protobuf 4 and later reject.

Such a module, `label_map_pb2.py` for example, creates each descriptor by a call, which raises "Descriptors cannot be
created directly". It also contains the serialized .proto file, from which the code that newer versions of protoc
generate creates all descriptors and classes. The module is replaced by such code.
"""
import ast
import importlib
from typing import Any, Iterator, Optional

_CODE = """
from google.protobuf import descriptor_pool as _descriptor_pool
from google.protobuf.internal import builder as _builder
DESCRIPTOR = _descriptor_pool.Default().AddSerializedFile({!r})
_builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
_builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, __name__, globals())
"""


def rewrite(module: ast.Module) -> ast.Module:
    """Returns `module`, rewritten if an old protoc generated it and the installed protobuf is version 4 or later."""
    descriptor: Any = next(_file_descriptors(module), None)
    serialized = _serialized(descriptor) if descriptor is not None else None
    if serialized is None or not _is_needed():
        return module
    code = ast.parse(_CODE.format(serialized))
    for node in ast.walk(code):
        if "lineno" in node._attributes:
            ast.copy_location(node, descriptor)
    module.body = [node for node in module.body if _is_needed_import(node)] + code.body
    return module


def _file_descriptors(module: ast.Module) -> Iterator[Any]:
    """Yields the module-level statements `DESCRIPTOR = _descriptor.FileDescriptor(...)`."""
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1:
            is_descriptor = isinstance(node.targets[0], ast.Name) and node.targets[0].id == "DESCRIPTOR"
            if is_descriptor and getattr(node.value.func, "attr", "") == "FileDescriptor":
                yield node


def _serialized(descriptor: ast.Assign) -> Optional[bytes]:
    """Returns the argument of FileDescriptor(serialized_pb=...), which is b"...", "..." or _b("...")."""
    assert isinstance(descriptor.value, ast.Call)
    for keyword in descriptor.value.keywords:
        value: Any = keyword.value
        if keyword.arg != "serialized_pb":
            continue
        if isinstance(value, ast.Call) and len(value.args) == 1:
            value = value.args[0]
        try:
            text = ast.literal_eval(value)
        except ValueError:
            return None
        return text.encode("latin1") if isinstance(text, str) else text
    return None


def _is_needed_import(node: ast.stmt) -> bool:
    """Returns whether `node` imports another generated module, which may be a dependency, or from __future__."""
    if isinstance(node, ast.ImportFrom):
        named = [node.module or ""] + [alias.name for alias in node.names]
    elif isinstance(node, ast.Import):
        named = [alias.name for alias in node.names]
    else:
        return False
    # All generated modules import descriptor_pb2, which protobuf has.
    return any(name.endswith("_pb2") for name in named) or getattr(node, "module", "") == "__future__"


def _is_needed() -> bool:
    protobuf: Any = importlib.import_module("google.protobuf")
    return int(protobuf.__version__.split(".")[0]) >= 4
