"""The names of TensorFlow's API in rewritten files: those of 1.x, or those of 2.x.

`--target tf.data-2` writes the names of TensorFlow 2: what is the same there has its name there, everything else is in
`tf.compat.v1`. A file then runs on TensorFlow 2 without `legacy_towers`, with the behaviour of TensorFlow 1. Since
2.16, `tf.layers` and `tf.nn.rnn_cell` need the package tf_keras, and TF_USE_LEGACY_KERAS=1 in the environment.
"""
import difflib
from typing import Any, Dict, List, Optional, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import dotted
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.rewrite.visiting import Visitor

TF1, TF2 = "tf.data-1", "tf.data-2"
TARGETS = (TF1, TF2)

# Names that are the same function, class or value in `tf` and in `tf.compat.v1`.
SAME = frozenset(
    """abs add add_n argsort as_string bfloat16 bitcast bool broadcast_to cast clip_by_value clip_by_norm
    clip_by_global_norm complex64 complex128 concat control_dependencies cos cumsum DType divide double
    dynamic_partition dynamic_stitch ensure_shape equal exp eye fill float16 float32 float64 floor Graph greater
    greater_equal group identity image.adjust_brightness image.adjust_contrast image.adjust_hue
    image.adjust_saturation image.central_crop image.convert_image_dtype image.crop_to_bounding_box image.decode_bmp
    image.decode_gif image.decode_image image.decode_jpeg image.decode_png image.encode_jpeg image.encode_png
    image.flip_left_right image.flip_up_down image.grayscale_to_rgb image.hsv_to_rgb image.pad_to_bounding_box
    image.per_image_standardization image.random_brightness image.random_contrast image.random_flip_left_right
    image.random_flip_up_down image.random_hue image.random_saturation image.rgb_to_grayscale image.rgb_to_hsv
    image.rot90 int16 int32 int64 int8 io.TFRecordOptions io.TFRecordWriter io.gfile.exists io.gfile.glob is_tensor
    less less_equal linspace logical_and logical_not logical_or matmul maximum meshgrid minimum multiply negative
    newaxis nn.l2_loss nn.relu no_op not_equal one_hot ones parallel_stack pow quint8 range rank reshape resource
    reverse round sequence_mask sigmoid sign sin slice sort SparseTensor split sqrt square stack stop_gradient
    strided_slice string strings.join strings.lower strings.regex_replace strings.strip subtract tanh Tensor
    TensorShape tensordot tile train.BytesList train.Coordinator train.Example train.Feature train.Features
    train.FloatList train.Int64List train.SequenceExample truediv uint16 uint32 uint64 uint8 unique unstack variant
    zeros errors.OutOfRangeError errors.CancelledError errors.InvalidArgumentError""".split()
)
# Datasets have the same methods in both.
_DATASETS = ("data.Dataset", "data.FixedLengthRecordDataset", "data.TFRecordDataset", "data.TextLineDataset")
# Names in 1.x -> names in 2.x of the same function or class.
MOVED: Dict[str, str] = {
    "FixedLenFeature": "io.FixedLenFeature",
    "FixedLenSequenceFeature": "io.FixedLenSequenceFeature",
    "SparseFeature": "io.SparseFeature",
    "VarLenFeature": "io.VarLenFeature",
    "ceil": "math.ceil",
    "decode_base64": "io.decode_base64",
    "decode_json_example": "io.decode_json_example",
    "floordiv": "math.floordiv",
    "floormod": "math.floormod",
    "image.resize_image_with_crop_or_pad": "image.resize_with_crop_or_pad",
    "image.transpose_image": "image.transpose",
    "is_finite": "math.is_finite",
    "is_nan": "math.is_nan",
    "log": "math.log",
    "matching_files": "io.matching_files",
    "mod": "math.mod",
    "parse_single_sequence_example": "io.parse_single_sequence_example",
    "parse_tensor": "io.parse_tensor",
    "python_io.TFRecordOptions": "io.TFRecordOptions",
    "python_io.TFRecordWriter": "io.TFRecordWriter",
    "random_crop": "image.random_crop",
    "random_normal": "random.normal",
    "random_shuffle": "random.shuffle",
    "random_uniform": "random.uniform",
    "read_file": "io.read_file",
    "regex_replace": "strings.regex_replace",
    "sparse_tensor_to_dense": "sparse.to_dense",
    "string_join": "strings.join",
    "string_strip": "strings.strip",
    "string_to_hash_bucket_fast": "strings.to_hash_bucket_fast",
    "truncated_normal": "random.truncated_normal",
}
# Names in 1.x -> (name in 2.x, the number of arguments that may be passed by position).
MOVED_CALLS: Dict[str, Tuple[str, int]] = {
    "decode_csv": ("io.decode_csv", 4),
    "parse_example": ("io.parse_example", 2),
    "parse_single_example": ("io.parse_single_example", 2),
}
# Packages that 2.x does not have.
_GONE = ("contrib",)


# What TensorFlow takes from Keras 2, which it does not bring since 2.16.
_OF_KERAS = ("layers", "nn.rnn_cell")


def names_of_keras(source: Source) -> List[str]:
    """Returns which modules of Keras 2 a file uses, as `tf.layers`; [] with `legacy_towers.compat`, which has them.

    Args:
      source: the file.
    """
    tf = Scope(source, None).tensorflow()
    if tf is None or "legacy_towers.compat" in source.module.code:
        return []
    found = set()

    class _Finder(Visitor):
        def visit_Attribute(self, node: cst.Attribute) -> None:
            top, _, name = dotted(node).partition(".")
            name = name[len("compat.v1."):] if name.startswith("compat.v1.") else name
            if top == tf and name in _OF_KERAS:
                found.add("{}.{}".format(tf, name))

    _Finder().visit(source.module)
    return sorted(found)


def renamed(source: Source) -> Tuple[str, Optional[Tuple[str, int]]]:
    """Returns the text of a file with the names of TensorFlow 2, and (a name that 2.x does not have, its line).

    A file that imports `tensorflow.compat.v1` or `legacy_towers.compat` has the names of 1.x for good, and stays.

    Args:
      source: the file.
    """
    tf = Scope(source, None).tensorflow()
    imported = _plain_import(source.module, tf)
    if tf is None or imported is None:
        return source.module.code, None
    renamer = _Renamer(source, tf)
    module: Any = source.module.visit(renamer)
    if renamer.gone is not None:
        return module.code, renamer.gone
    call = "{}.compat.v1.disable_v2_behavior()".format(tf)
    if call not in source.module.code:
        module = _after_imports(module, source.parse(call)[0])
    return module.code, None


def line_before(before: str, after: str, line: int, name: str) -> int:
    """Returns the line in the text before the rewriting of a name that stands in line `line` after it.

    Args:
      before: the text of the file before the rewriting.
      after: the text after it.
      line: a line of `after`, from 1.
      name: the name in this line. Where the line was changed, the first line of `before` with the name is returned.
    """
    old = before.splitlines()
    for block in difflib.SequenceMatcher(None, old, after.splitlines(), autojunk=False).get_matching_blocks():
        if block.b < line <= block.b + block.size:
            return block.a + line - block.b
    return next((number for number, text in enumerate(old, 1) if name in text), 0)


class _Renamer(cst.CSTTransformer):
    def __init__(self, source: Source, tf: str) -> None:
        super().__init__()
        self._source, self._tf = source, tf
        self.gone: Optional[Tuple[str, int]] = None

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return not self._is_name(node)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        if not self._is_name(original_node):
            return updated_node
        # The whole chain is renamed at once, from its outermost part.
        name = dotted(original_node)[len(self._tf) + 1 :]
        new = self._new_name(original_node, name)
        return cst.parse_expression("{}.{}".format(self._tf, new)).with_changes(
            lpar=original_node.lpar, rpar=original_node.rpar
        )

    def _is_name(self, node: cst.CSTNode) -> bool:
        return dotted(node).startswith(self._tf + ".")

    def _new_name(self, node: cst.Attribute, name: str) -> str:
        if name.startswith("compat."):
            return name
        if name.partition(".")[0] in _GONE:
            self.gone = self.gone or ("{}.{}".format(self._tf, name), self._source.line(node))
            return name
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            start, rest = ".".join(parts[:count]), "".join("." + each for each in parts[count:])
            if start in SAME or start in _DATASETS:
                return name
            if start in MOVED:
                return MOVED[start] + rest
            if start in MOVED_CALLS and not rest and self._fits(node, MOVED_CALLS[start][1]):
                return MOVED_CALLS[start][0]
        return "compat.v1." + name

    def _fits(self, node: cst.Attribute, most: int) -> bool:
        call = self._source.parents[node]
        return isinstance(call, cst.Call) and call.func is node and (
            sum(each.keyword is None for each in call.args) <= most
        )


def _plain_import(module: cst.Module, tf: Optional[str]) -> Optional[cst.CSTNode]:
    """Returns the import of `tensorflow` itself, None if the file imports it under another path."""
    found: List[cst.CSTNode] = []

    class _Finder(Visitor):
        def visit_Import(self, node: cst.Import) -> None:
            for alias in node.names:
                bound = dotted(alias.asname.name) if alias.asname is not None else dotted(alias.name)
                if dotted(alias.name) == "tensorflow" and bound == tf:
                    found.append(node)

    _Finder().visit(module)
    return found[0] if found else None


def _after_imports(module: cst.Module, statement: Any) -> cst.Module:
    """Inserts a statement after the imports at the beginning of a module."""
    last = 0
    for number, line in enumerate(module.body):
        small = line.body if isinstance(line, cst.SimpleStatementLine) else []
        is_import = bool(small) and isinstance(small[0], (cst.Import, cst.ImportFrom))
        is_docstring = number == 0 and bool(small) and isinstance(small[0], cst.Expr)
        if not is_import and not is_docstring:
            break
        last = number + 1
    gap = [cst.EmptyLine(indent=False)]
    body = list(module.body)
    body.insert(last, statement.with_changes(leading_lines=gap))
    return module.with_changes(body=body)
