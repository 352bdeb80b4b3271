"""Imports run downwards only, and no modules import each other in a circle.

An import is any of these, at the top of a file or inside a function: an import statement; the name of one of our
modules in a string ("legacy_towers.compat.tf1.core.flags:FLAGS"), where names are put together by `+` too. What only
`if TYPE_CHECKING:` imports does not count.
"""
import ast
import functools
import os
import re

import pytest

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = "legacy_towers"

# Lowest first. A module imports from its own package and from lower layers, never from beside or above. A package is a
# folder, or a file beside the folders; the longest name that fits counts. `legacy_towers` itself (the table of lazy
# names) is above all.
LAYERS = (
    ("errors", "version", "tensor_types"),
    ("tensorflow_logs", "text"),
    ("specs",),
    ("compat.versions",),
    ("compat.patches",),
    # TensorFlow 1.x for old scripts: what its packages use, its packages, the view that is made of them.
    ("compat.tf1.script_api",),
    ("compat.tf1.symbols", "compat.tf1.private", "compat.tf1.module_names"),
    ("compat.tf1.known_names", "compat.tf1.known_classes", "compat.tf1.earlier_names", "compat.tf1.refused_arguments"),
    ("compat.tf1.user_script", "compat.tf1.advice"),
    ("compat.tf1.core", "compat.tf1.tutorials"),
    ("compat.tf1.pre_1_0", "compat.tf1.keras"),
    ("compat.tf1.estimator",),
    ("compat.tf1.contrib",),
    ("compat.tf1.registry",),
    ("compat.tf1.missing",),
    ("compat.tf1.tree", "compat.tf1.keras.standalone"),
    ("compat.tf1.importable",),
    ("compat",),
    ("config", "data", "devices"),
    # The value of a cluster and its start; what trains over one is above.
    ("cluster",),
    ("graph",),
    ("gradients", "migrate.conversion", "schedules", "variables"),
    ("inputs", "towers", "update"),
    ("step",),
    ("measure", "report"),
    ("autotune", "migrate.proof"),
    ("migrate.verify",),
    ("training",),
    ("parity",),
    # The names of lt.migrate are those of the packages below it.
    ("migrate",),
    ("chaos", "compare", "scaling"),
    # Running a script: what its modules use while they run, what loads them, what starts it.
    ("run.script_finder", "run.script_files", "run.shadowing", "run.deep_trees"),
    ("run.libraries.needed", "run.deprecations"),
    ("run.rewriting",),
    ("run.runtime",),
    ("run.children",),
    ("run.dynamic_imports.subprocess_shim",),
    ("run.python2",),
    ("run.source_files",),
    # Reads source code as `run` does, so it is above the Python 2 of `run`.
    ("migrate.source",),
    ("run.dynamic_imports",),
    ("run.libraries",),
    ("run.replaced_modules", "run.imports"),
    ("run.loader", "run.tracebacks"),
    ("run.process_setup",),
    ("run.spawned",),
    ("run.start",),
    ("run.check", "run.bottleneck"),
    ("doctor",),
    ("replication",),
    ("run",),
    ("cli",),
    ("__main__",),
)
LAYER_OF = {package: number for number, layer in enumerate(LAYERS) for package in layer}

# Modules that our own finders make, of which there are no files.
WITHOUT_FILES = (
    "compat.tf1.importable.tensorflow",
    "compat.tf1.importable.keras",
    "compat.tf1.contrib.slim_library.tf_slim",
    "compat.tf1.contrib.gan_library.tensorflow_gan",
)

# (module, what it imports upwards or in a circle) -> why it must.
EXCEPTIONS = {
    ("compat.tf1.tree", "compat.tf1.importable.tensorflow"): "the name that its own finder answers to, not an import",
    ("compat.tf1.keras.standalone.tree", "compat.tf1.importable.keras"): "the name that its own finder answers to",
    ("compat.tf1.contrib.slim_library", "compat.tf1.contrib.slim_library.batch_norm"): "takes the place of tf_slim's "
    "own while the finder loads the file of tf_slim that defines it",
}


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def read(path):
    with open(os.path.join(CHECKOUT, path), encoding="utf-8") as source:
        return source.read()


def module_of(path):
    """Returns the dotted name below legacy_towers: `compat/tf1/tree.py` is `compat.tf1.tree`, the package is ''."""
    parts = path[: -len(".py")].split(os.sep)
    if parts[0] == PACKAGE:
        del parts[0]
    if parts[-1] == "__init__":
        del parts[-1]
    return ".".join(parts)


def find_modules():
    found = {}
    for top in (PACKAGE, "compat"):
        for directory, _, names in os.walk(os.path.join(CHECKOUT, top)):
            for name in names:
                if name.endswith(".py"):
                    path = os.path.relpath(os.path.join(directory, name), CHECKOUT)
                    found[module_of(path)] = path
    return found


MODULES = find_modules()


def package_of(module):
    """Returns the longest name in LAYERS that `module` is or lies in, None if there is none."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        if ".".join(parts[:length]) in LAYER_OF:
            return ".".join(parts[:length])
    return None


def nearest_module(name):
    """Returns the module below legacy_towers that `name` ("a.b.function") is or lies in, None if there is none."""
    while name not in MODULES and "." in name:
        name = name.rpartition(".")[0]
    return name if name in MODULES else None


def is_module_or_made(name):
    """Returns whether `name` below legacy_towers has a file, or is made by a finder."""
    return name in MODULES or any(name == each or name.startswith(each + ".") for each in WITHOUT_FILES)


def is_for_types_only(node):
    test = getattr(node, "test", None)
    return isinstance(node, ast.If) and "TYPE_CHECKING" in (getattr(test, "id", None), getattr(test, "attr", None))


def nodes_below(node):
    """Returns `node` and all nodes below it, except those under `if TYPE_CHECKING:`."""
    found, waiting = [], [node]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += node.orelse if is_for_types_only(node) else ast.iter_child_nodes(node)
    return found


def docstrings(nodes):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    owners = [node for node in nodes if isinstance(node, kinds) and node.body]
    return {owner.body[0].value for owner in owners if isinstance(owner.body[0], ast.Expr)}


def text_of(node, constants):
    """Returns the string that the expression `node` begins with, as far as it is known here; None: it is not."""
    value = getattr(node, "value", getattr(node, "s", None)) if isinstance(node, (ast.Constant, ast.Str)) else None
    if isinstance(value, str):
        return value
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left, constants), text_of(node.right, constants)
        return left if left is None or right is None else left + right
    return None


def named_modules(nodes, module):
    """Yields (line, dotted name) for each string among `nodes` that names one of our modules."""
    constants = {"__name__": "{}.{}".format(PACKAGE, module)}
    skipped = docstrings(nodes)
    for node in sorted(nodes, key=lambda node: getattr(node, "lineno", 0)):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            text = text_of(node.value, constants)
            if text is not None:
                constants[node.targets[0].id] = text
    for node in nodes:
        text = text_of(node, constants) if not isinstance(node, ast.Name) and node not in skipped else None
        # Targets of tables are written "own:legacy_towers.x" and "legacy_towers.x:attribute"; what ends in "." is the
        # beginning of other names.
        for part in (text or "").split(":"):
            if re.match(PACKAGE + r"(\.\w+)+$", part) is not None:
                yield node.lineno, part


@functools.lru_cache(maxsize=None)
def imports_of(module, source):
    """Returns (line, dotted name) for each import in `source`, the text of `module`."""
    nodes = nodes_below(ast.parse(source))
    found = list(named_modules(nodes, module))
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.append((node.lineno, alias.name))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "line {}: imports are absolute here".format(node.lineno)
            for alias in node.names:
                whole = "{}.{}".format(node.module, alias.name)
                is_module = whole.startswith(PACKAGE + ".") and whole[len(PACKAGE) + 1 :] in MODULES
                found.append((node.lineno, whole if is_module else node.module))
    return found


def violations(module, source):
    """Returns a sentence for each import in `source`, the text of `module`, that the layers forbid."""
    found = []
    package = package_of(module)
    for line, imported in sorted(set(imports_of(module, source))):
        if imported == PACKAGE:
            found.append("line {}: imports legacy_towers itself, which is above all packages".format(line))
        elif imported.startswith(PACKAGE + "."):
            name = imported[len(PACKAGE) + 1 :]
            other = package_of(name)
            if (module, nearest_module(name)) in EXCEPTIONS:
                continue
            if other is None:
                found.append("line {}: {} has no place in LAYERS".format(line, imported))
            elif not is_module_or_made(name):
                found.append("line {}: there is no module {}".format(line, imported))
            elif other != package and LAYER_OF[other] >= LAYER_OF[package]:
                found.append("line {}: {} is not below {}".format(line, imported, package))
    return found


def imported_modules(module, source):
    """Returns the modules of ours that `source`, the text of `module`, imports."""
    names = (name[len(PACKAGE) + 1 :] for _, name in imports_of(module, source) if name.startswith(PACKAGE + "."))
    found = {nearest_module(name) for name in names} - {None, module}
    return {other for other in found if (module, other) not in EXCEPTIONS}


def circles(imported):
    """Returns the groups of modules that import each other, sorted.

    Args:
      imported: module -> the modules that it imports.
    """
    reached = {}
    for module in imported:
        seen, waiting = set(), [module]
        while waiting:
            for other in imported.get(waiting.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        reached[module] = seen
    groups = {
        tuple(sorted(other for other in seen if module in reached.get(other, ())))
        for module, seen in reached.items()
        if module in seen
    }
    return sorted(groups)


def test_every_module_has_its_layer():
    assert [module for module in MODULES if module and package_of(module) is None] == []


def test_every_layer_has_packages_that_exist():
    gone = [each for each in LAYER_OF if not any(name == each or name.startswith(each + ".") for name in MODULES)]
    assert gone == []


def test_imports_run_downwards():
    modules = [module for module in sorted(MODULES) if module and package_of(module)]
    found = {MODULES[module]: violations(module, read(MODULES[module])) for module in modules}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_no_modules_import_each_other_in_a_circle():
    imported = {module: imported_modules(module, read(path)) for module, path in MODULES.items() if module}
    assert circles(imported) == []


def test_every_exception_is_needed():
    for module, other in EXCEPTIONS:
        names = [name[len(PACKAGE) + 1 :] for _, name in imports_of(module, read(MODULES[module]))]
        assert other in [nearest_module(name) for name in names if name], (module, other)


@pytest.mark.parametrize(
    "module, source, violation",
    [
        ("inputs.feed", "from legacy_towers.step import build_train_step", "legacy_towers.step is not below inputs"),
        ("inputs.feed", "from legacy_towers import towers", "legacy_towers.towers is not below inputs"),
        ("inputs.feed", "import legacy_towers.towers.replicate", "legacy_towers.towers.replicate is not below inputs"),
        ("compat.tf1.tree", "from legacy_towers import devices", "devices is not below compat.tf1.tree"),
        ("errors", "from legacy_towers.text.names import quoted", "legacy_towers.text.names is not below errors"),
        ("step", "import legacy_towers as lt", "imports legacy_towers itself"),
        ("step", "from legacy_towers import __version__", "imports legacy_towers itself"),
        ("step", "from legacy_towers.cellar import wine", "legacy_towers.cellar has no place in LAYERS"),
        ("text", "def f():\n    from legacy_towers.graph import walk", "line 2: legacy_towers.graph.walk is not below"),
        ("compat.versions", "T = 'legacy_towers.compat.tf1.tree'", "legacy_towers.compat.tf1.tree is not below"),
        ("compat.versions", "from legacy_towers.compat import tf", "legacy_towers.compat is not below compat.versions"),
        ("compat.patches", "from legacy_towers.compat.tf1 import tree", "tree is not below compat.patches"),
        ("compat.tf1.estimator", "from legacy_towers.compat.tf1.contrib import nn", "contrib.nn is not below"),
        ("compat.tf1.core.symbols", "H = 'legacy_towers.compat.tf1.'\nS = [H + 'tree:root']", "tf1.tree is not below"),
        ("compat.tf1.core.symbols", "S = 'legacy_towers.run.runtime.graphs:Graph'", "graphs is not below"),
        ("compat.tf1.core.symbols", "S = 'own:legacy_towers.compat.tf1.keras.standalone.utils'", "utils is not below"),
        ("compat.tf1.core.symbols", "S = 'legacy_towers.compat.tf1.core.no_such:x'", "there is no module"),
        ("run.loader", "from legacy_towers.run.start import script", "legacy_towers.run.start is not below run.loader"),
        ("run.rewriting.rewriter", "from legacy_towers.run.python2 import read", "python2 is not below run.rewriting"),
    ],
)
def test_an_import_upwards_is_found(module, source, violation):
    (found,) = violations(module, source)
    assert violation in found


@pytest.mark.parametrize(
    "module, source",
    [
        ("compat.tf1.core.symbols", "H = 'legacy_towers.compat.tf1.'"),
        ("compat.tf1.core.symbols", "from legacy_towers.compat.versions import tf"),
        ("compat.versions.devices", "if TYPE_CHECKING:\n    from legacy_towers.run import start"),
        ("compat.versions.devices", "'See legacy_towers.run.start.'\nX = 'legacy_towers.run.start does it'"),
        ("run.loader", "T = 'legacy_towers.compat.tf1.importable.tensorflow.keras'"),
        ("cli.run", "from legacy_towers.run import start\nfrom legacy_towers.compat import tf"),
    ],
    ids=["beginning of names", "downwards", "for types only", "prose", "made by a finder", "several"],
)
def test_what_is_allowed_is_no_complaint(module, source):
    assert violations(module, source) == []


@pytest.mark.parametrize(
    "sources",
    [
        {"text.files": "from legacy_towers.text import names", "text.names": "import legacy_towers.text.files"},
        {
            "text.files": "from legacy_towers.text import names",
            "text.names": "def f():\n    from legacy_towers.text.tables import format_table",
            "text.tables": "P = 'legacy_towers.text.'\nTARGETS = [P + 'files:write_whole']",
        },
        {"text": "from legacy_towers.text.names import quoted", "text.names": "from legacy_towers.text import quoted"},
    ],
    ids=["at the top", "in a function and by strings", "package and its module"],
)
def test_a_circle_is_found(sources):
    imported = {module: imported_modules(module, source) for module, source in sources.items()}
    assert circles(imported) == [tuple(sorted(sources))]
    imported["text.names"] = set()
    assert circles(imported) == []


def test_no_public_name_is_that_of_another_package():
    """The import of a package replaces the attribute of its name: lt.replicate would be a module."""
    names = read(os.path.join(PACKAGE, "__init__.py"))
    targets = dict(re.findall(r'^    "(\w+)": "legacy_towers\.([\w.]+)",$', names, re.MULTILINE))
    assert len(targets) > 20
    assert [name for name in targets if name in MODULES] == []
