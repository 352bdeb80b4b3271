"""Which Python a source text is written for."""
import ast


def is_python_3(text: str) -> bool:
    """Returns whether Python 3 can parse a text."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True
