from .wide import wide_net
from . import wide as _wide

__all__ = ['wide_net', 'NUM_CLASSES']
NUM_CLASSES = _wide.NUM_CLASSES
