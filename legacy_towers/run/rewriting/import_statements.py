"""Adds the import statements that rewritten files need."""
import ast


def add_import(module: ast.Module, name: str, bound: str) -> None:
    """Inserts `import name as bound` after the docstring and imports from __future__; line numbers are kept."""
    position = 0
    for index, node in enumerate(module.body):
        is_docstring = index == 0 and isinstance(node, ast.Expr) and _is_text(node.value)
        if is_docstring or isinstance(node, ast.ImportFrom) and node.module == "__future__":
            position = index + 1
    statement = ast.Import(names=[ast.alias(name=name, asname=bound)])
    statement.lineno, statement.col_offset = 1, 0
    module.body.insert(position, ast.fix_missing_locations(statement))


def _is_text(node: ast.expr) -> bool:
    # In Python 3.7 a string is an ast.Str with the attribute `s`.
    return isinstance(node.value if hasattr(node, "value") else getattr(node, "s", None), str)
