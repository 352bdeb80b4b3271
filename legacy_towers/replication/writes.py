"""Operations that change a state, which a step runs once for any number of towers."""
from legacy_towers.graph.op_kinds import (
    ACCUMULATOR_APPLY_OPS,
    ACCUMULATOR_TAKE_OPS,
    ENQUEUE_OPS,
    RANDOM_OPS,
    draws_random_numbers,
    writes_variable,
)
from legacy_towers.replication.inputs import READS
from legacy_towers.replication.refusal import refuse
from legacy_towers.tensor_types import Operation

_WRITES = ENQUEUE_OPS | ACCUMULATOR_APPLY_OPS | ACCUMULATOR_TAKE_OPS
_WRITES_TABLE_OR_FILE = (
    "LookupTableInsert", "LookupTableImport", "LookupTableRemove", "Write", "Save", "Restore", "Barrier", "Mutex",
    "Rng",
)
# Stateful operations that each tower can have: they keep nothing from one step to the next.
_OF_A_TOWER = (
    "TensorArray", "Stack", "PyFunc", "EagerPyFunc", "Print", "Assert", "LookupTableFind", "ReadVariableOp",
    "ResourceGather", "VarHandleOp", "Variable", "IsVariableInitialized", "VarIsInitializedOp", "StringFormat",
    "LookupTableSize", "HashTable", "TimeStamp", "Timestamp", "StatelessIf", "StatelessWhile", "LookupTableExport",
)
# They make what belongs to one loop or function: towers that share one would mix their values.
TEMPORARY = frozenset("TensorArray TensorArrayV2 TensorArrayV3 Stack StackV2".split())


def writes_state(operation: Operation) -> bool:
    """Returns whether an operation changes a variable, a queue, a table or a file."""
    kind = operation.type
    return kind in _WRITES or kind.startswith(_WRITES_TABLE_OR_FILE) or writes_variable(operation)


def check_for_tower(operation: Operation) -> None:
    """Checks that each tower can have an operation of its own.

    Raises:
      NotReplicable: it changes a state that towers share, or reads a source that is not known.
    """
    if writes_state(operation):
        refuse("between the examples and the gradients it changes a state, which has no meaning per tower", operation)
    if operation.type in READS:
        refuse("it reads examples by means of other examples, which has no meaning per tower", operation)
    if not operation.op_def.is_stateful or operation.type.startswith(_OF_A_TOWER):
        return
    if operation.type not in RANDOM_OPS and not draws_random_numbers(operation):
        refuse("{} keeps a state, which has no meaning per tower".format(operation.type), operation)
