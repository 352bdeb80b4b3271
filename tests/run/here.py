"""Runs scripts in the test process, with the loader of `legacy-towers run`."""
import contextlib
import os
import sys
import types

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run import loader, replaced_modules


def write(folder, files):
    """Writes the files {path: text or bytes} below `folder`."""
    for name, content in files.items():
        path = os.path.join(str(folder), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8"))


@contextlib.contextmanager
def begun(folder, is_python_2=False):
    """Installs the loader for the files of `folder` and removes it afterwards; yields (run, finder)."""
    folder = str(folder)
    path, modules, working = list(sys.path), dict(sys.modules), os.getcwd()
    sys.path.insert(0, folder)
    os.chdir(folder)
    run = user_script.ScriptRun("script.py", folder)
    run.is_python_2 = is_python_2
    user_script.begin(run)
    finder = loader.install(run, True, replaced_modules.replaced_modules())
    try:
        yield run, finder
    finally:
        loader.uninstall(finder)
        user_script.end()
        os.chdir(working)
        sys.path[:] = path
        for name in set(sys.modules) - set(modules):
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and file.startswith(folder):
                del sys.modules[name]


def run(folder, source, is_python_2=False, **files):
    """Runs `source` as folder/script.py and returns its namespace; `files` are {name: source} of its modules."""
    write(folder, dict({name + ".py": text for name, text in files.items()}, **{"script.py": source}))
    path = os.path.join(str(folder), "script.py")
    module = types.ModuleType("script")
    module.__file__ = path
    before = sys.modules.get("script")
    sys.modules["script"] = module
    try:
        with begun(folder, is_python_2) as (_, finder):
            with open(path, "rb") as file:
                code = finder.compile(file.read(), path)
            exec(code, module.__dict__)
    finally:
        sys.modules.pop("script")
        if before is not None:
            sys.modules["script"] = before
    return module.__dict__
