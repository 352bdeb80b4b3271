"""Writes the pages of the API reference: one per public module, with a table of its names and an entry for each.

    python docs/tools/reference.py     prints them

griffe reads the source, so nothing is imported and TensorFlow need not be installed. mkdocstrings makes each entry from
the docstring; this file lists only the names, so that no public name can be left out.
"""
import ast
import os
import re

import griffe

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Page -> (module, what a reader finds there). The first one is `import legacy_towers as lt` itself.
PAGES = {
    "legacy_towers": ("legacy_towers", "which names `import legacy_towers as lt` gives"),
    "inputs": ("legacy_towers.inputs", "which input pipelines there are, and what each one takes"),
    "variables": ("legacy_towers.variables", "which strategies for variables there are, and what each one takes"),
    "gradients": ("legacy_towers.gradients", "which reductions and transformations of gradients there are"),
    "schedules": ("legacy_towers.schedules", "which learning-rate schedules there are, and what each one takes"),
    "training": ("legacy_towers.training", "how to run and save long training in a session of your own"),
    "migrate": ("legacy_towers.migrate", "how to convert queues to tf.data, and what a plan says"),
    "cluster": ("legacy_towers.cluster", "which tasks a cluster has, and how each of them starts"),
    "devices": ("legacy_towers.devices", "how to list, name and check devices"),
    "errors": ("legacy_towers.errors", "which errors legacy_towers raises, and when"),
}


def pages():
    """Returns {page: Markdown} for all pages of the reference."""
    package = griffe.load("legacy_towers", search_paths=[CHECKOUT], try_relative_path=False, resolve_aliases=True)
    return {page: _page(package, page) for page in PAGES}


def public_names(module):
    """Returns {public name: dotted path of its definition} of `module`, sorted by name.

    Public are the names of its `__all__`; of a module without one, the functions, classes and constants that it
    defines. Modules that load names on first use make their `__all__` of a table, `_NAMES`, from which they are read.
    """
    tree = _parsed(module)
    values = _assigned(tree)
    if "_NAMES" in values:
        names = list(ast.literal_eval(values["_NAMES"]))
    elif "__all__" in values:
        names = ast.literal_eval(values["__all__"])
    else:
        names = [name for name in list(values) + _defined(tree) if not name.startswith("_")]
    return {name: _definition(module, name) for name in sorted(names, key=str.lower)}


def _definition(module, name):
    """Follows imports from `module` to the module that defines `name`, and returns the dotted path there."""
    tree = _parsed(module)
    if name in _assigned(tree) or name in _defined(tree):
        return "{}.{}".format(module, name)
    for node in ast.walk(tree):  # ast.walk: `legacy_towers` has its imports under `if TYPE_CHECKING`
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return _definition(node.module, alias.name)
    raise LookupError("{} neither defines nor imports its public name {}".format(module, name))


def _parsed(module):
    # legacy_towers.compat lies in compat/ at the top of the checkout.
    parts = module.split(".")[1:] if module.startswith("legacy_towers.compat") else module.split(".")
    path = os.path.join(CHECKOUT, *parts)
    path = os.path.join(path, "__init__.py") if os.path.isdir(path) else path + ".py"
    with open(path, encoding="utf-8") as source:
        return ast.parse(source.read(), path)


def _defined(tree):
    return [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]


def _assigned(tree):
    values = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        values.update({target.id: node.value for target in targets if isinstance(target, ast.Name)})
    return values


def _page(package, page):
    module, what = PAGES[page]
    names = public_names(module)
    short = "lt" if module == "legacy_towers" else "lt." + page
    lines = ["# " + module, "", "After this page you know {}.".format(what)]
    if module == "legacy_towers":
        modules = ["[`lt.{0}`]({0}.md)".format(name) for name in PAGES if name != page]
        lines += ["The modules {} and {} have pages of their own.".format(", ".join(modules[:-1]), modules[-1])]
    lines += ["", "| `{}.` | what it is |".format(short), "| --- | --- |"]
    for name, path in names.items():
        lines.append("| [`{0}`](#{1}.{0}) | {2} |".format(name, module, _summary(package, path)))
    for name, path in names.items():
        # The anchor has the public name, wherever the definition is.
        lines += ["", "[](){{ #{}.{} }}".format(module, name), ""]
        lines += ["::: " + path, "    options:", "      heading: {}.{}".format(short, name)]
        lines += ["      toc_label: " + name]
        if name == "Examples":  # its base class defines the methods that are not constructors
            lines += ["      inherited_members: true"]
    return "\n".join(lines) + "\n"


def _summary(package, path):
    """Returns the first sentence of the docstring of what is defined at `path`."""
    documented = package
    for part in path.split(".")[1:]:
        documented = documented.members[part]
    if documented.docstring is None:
        raise LookupError("{} has no docstring".format(path))
    text = re.sub(r"\s+", " ", re.split(r"\n\s*\n", documented.docstring.value.strip())[0])
    return text.replace("|", "\\|")


if __name__ == "__main__":
    for content in pages().values():
        print(content)
