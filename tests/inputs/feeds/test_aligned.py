"""Memory that TensorFlow uses without a copy, and its reuse."""
import gc

import numpy as np
import pytest

SHAPES = [((3, 5), np.float32), ((), np.int32), ((0, 4), np.float64), ((7,), np.bool_), ((2, 3, 5), np.uint8)]


@pytest.mark.parametrize("shape, dtype", SHAPES, ids=[str(shape) for shape, _ in SHAPES])
def test_an_aligned_array(shape, dtype):
    from legacy_towers import inputs
    from legacy_towers.inputs.feeds.aligned import is_aligned

    array = inputs.aligned_empty(shape, dtype)
    assert (array.shape, array.dtype) == (shape, np.dtype(dtype))
    assert array.ctypes.data % 64 == 0 and array.flags.c_contiguous and array.flags.writeable
    assert is_aligned(array)


def test_is_aligned_of_other_arrays():
    from legacy_towers import inputs
    from legacy_towers.inputs.feeds.aligned import is_aligned

    whole = inputs.aligned_empty([8, 64], np.float32)
    refused = {
        "starts elsewhere": whole.ravel()[4:68],
        "not contiguous": whole[:, :32],
        "Fortran order": np.asfortranarray(whole),
        "other byte order": whole.view(whole.dtype.newbyteorder()),
        "objects": np.array([b"a"], object),
    }
    assert {name: is_aligned(array) for name, array in refused.items()} == dict.fromkeys(refused, False)
    assert is_aligned(whole[4:]) and is_aligned(whole[:0, :3])
    with pytest.raises(TypeError, match="strings, can't be aligned"):
        inputs.aligned_empty([2], object)


def block_of(array):
    while array.base is not None:
        array = array.base
    return array.ctypes.data


def test_buffer_ring_reuses_only_unreferenced_memory():
    from legacy_towers.inputs.feeds.aligned import BufferRing, is_aligned

    ring = BufferRing(kept=2)
    wanted = [((4, 3), np.float32), ((), np.int32), ((5,), np.uint8)]
    arrays = ring.arrays(wanted)
    assert [(array.shape, array.dtype) for array in arrays] == [(shape, np.dtype(dtype)) for shape, dtype in wanted]
    assert all(is_aligned(array) for array in arrays)
    assert not any(np.shares_memory(one, other) for one in arrays for other in arrays if one is not other)
    first = block_of(arrays[0])
    row = arrays[0][1]  # one view is enough to keep the block alive
    del arrays
    second = ring.arrays(wanted)
    assert block_of(second[0]) != first
    third = ring.arrays(wanted)  # a third block, more than the ring keeps
    assert block_of(third[0]) not in (first, block_of(second[0]))
    assert ring.blocks_made == 3
    del row, third
    assert block_of(ring.arrays(wanted)[0]) == first
    assert ring.blocks_made == 3


def test_buffer_ring_grows_and_drops_blocks():
    from legacy_towers.inputs.feeds.aligned import BufferRing

    ring = BufferRing(kept=1)
    ring.arrays([((4,), np.float32)])
    ring.arrays([((3,), np.float32)])
    assert ring.blocks_made == 1
    assert ring.arrays([((400,), np.float32)])[0].shape == (400,)
    assert ring.blocks_made == 2
    held = ring.arrays([((400,), np.float32)])
    ring.drop()
    assert block_of(ring.arrays([((400,), np.float32)])[0]) != block_of(held[0])


KEEPERS = ["queue", "staging area", "variable", "split and staging area", "fetch", "Python function"]


@pytest.mark.parametrize("where", KEEPERS)
def test_tensorflow_holds_references_to_retained_arrays(where):
    """The ring relies on this: TensorFlow holds a reference to an array while a tensor uses the array's memory."""
    from tensorflow.python.ops.data_flow_ops import StagingArea

    from legacy_towers.compat import tf
    from legacy_towers.inputs.feeds.aligned import BufferRing

    ring = BufferRing(kept=1)
    fed = tf.placeholder(tf.float32, [64, 64])
    kept = []
    if where == "queue":
        queue = tf.FIFOQueue(5, [tf.float32], [[64, 64]])
        put, get = queue.enqueue(fed), queue.dequeue()
    elif where == "variable":
        variable = tf.Variable(tf.zeros([64, 64]), use_resource=True)
        put, get = variable.assign(fed).op, variable.read_value()
    elif where == "Python function":
        put, get = tf.py_func(lambda array: (kept.append(array), np.float32(0))[1], [fed], tf.float32), tf.zeros([])
    elif where == "fetch":
        put = get = tf.identity(fed)
    else:
        staging = StagingArea([tf.float32], [[64, 64]] if where == "staging area" else [[32, 64]])
        part = fed if where == "staging area" else tf.split(fed, 2)[1]
        put, get = staging.put([part]), staging.get()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        array = ring.arrays([((64, 64), np.float32)])[0]
        array[:] = 1
        result = session.run(put, {fed: array})
        del array
        ring.arrays([((64, 64), np.float32)])[0][:] = 2  # in another block, if TensorFlow still uses the first one
        gc.collect()
        result = {"Python function": lambda: kept[0], "fetch": lambda: result}.get(where, lambda: session.run(get))()
        result = result[0] if isinstance(result, list) else result
        assert np.all(result == 1)
