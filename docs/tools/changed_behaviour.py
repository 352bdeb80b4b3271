"""What scripts of TensorFlow 1.x can see that is different, and what is done about it: the text of the table.

Found by running about 250 snippets in the idiom of 1.x on TensorFlow 1.15 and 2.21 side by side.
"""

from typing import NamedTuple, Tuple


class Change(NamedTuple):
    """One difference.

    Attributes:
      what: the name or the idiom, as a script has it.
      was: what it did with TensorFlow 1.15, Python 3.7 and numpy 1.18.
      done: what it does under `legacy-towers run` on TensorFlow 2.x.
      test: the file below tests/ that holds it; empty where nothing is done.
    """

    what: str
    was: str
    done: str
    test: str = ""


_LIBRARIES = "run/libraries/test_libraries.py"
_MORE = "run/libraries/test_more_libraries.py"
_TENSORS = "run/libraries/test_numpy_tensors.py"
_KERAS = "compat/tf1/keras/test_standalone.py"
_SCALARS = "run/rewriting/test_scalars.py"
_SKLEARN_DATA = "run/libraries/test_sklearn_datasets.py"
_SERVED = "compat/tf1/core/test_symbols.py"
_BEFORE_ONE = "compat/tf1/pre_1_0/test_pre_1_0.py"

_IMAGES = "compat/tf1/core/test_images.py"
_DTYPES = "compat/tf1/core/test_dtypes.py"
# Of python tests/benchmarks/op_differences.py: 647 calls of tf.image, tf.nn, tf.math, tf.linalg, tf.losses, tf.layers
# and tf, each tried with inputs of several dtypes, of unknown sizes, of unknown rank, as numpy arrays, and empty.
OPERATIONS: Tuple[Change, ...] = (
    Change(
        "`tf.image.rot90`, `transpose_image`, `flip_left_right`, `flip_up_down`, `random_flip_...`, "
        "`adjust_jpeg_quality` of an image of unknown rank, such as that of `decode_image`",
        "taken as [height, width, channels]",
        "the same; 2.x alone fails, or gives a result of unknown rank",
        _IMAGES,
    ),
    Change(
        "`tf.image.adjust_contrast`, `adjust_hue`, `adjust_saturation` and their random forms, of float16",
        "float16",
        "the same, computed in float32; 2.x alone has no kernel",
        _IMAGES,
    ),
    Change(
        "`tf.image.rgb_to_hsv`, `hsv_to_rgb`, `tf.nn.max_pool`, `ctc_greedy_decoder`, `ctc_beam_search_decoder` of a "
        "numpy array of float64 or uint8",
        "float32",
        "the same; 2.x alone keeps the dtype",
        _IMAGES,
    ),
    Change(
        "`tf.image.non_max_suppression_padded` of numpy arrays of any dtype, or without boxes",
        "works",
        "the same; 2.x alone fails",
        _IMAGES,
    ),
    Change("`tf.truncatediv` of floats", "the quotient, not rounded", "the same; 2.x alone rounds it", _SERVED),
    Change(
        "`tf.nn.conv1d`, `conv2d`, `conv3d`, `depthwise_conv2d` of the empty part of a batch, on a CPU with oneDNN",
        "an empty batch of the convolution's shape",
        "the same under `run`, if the height and width are known; 2.x alone gives the shape of the input",
        "run/runtime/test_empty_batches.py",
    ),
    Change(
        "`tf.nn.conv1d`, `conv2d`, `conv3d`, `depthwise_conv2d` of an empty feed, on a CPU with oneDNN",
        "an empty batch of the convolution's shape",
        "the same under `run`, gradients included, unless what the convolution depends on changes state or draws "
        "random numbers, or it is in a tf.cond; 2.x alone gives the shape of the input",
        "run/runtime/test_empty_batches.py",
    ),
    Change(
        "`tf.nn.max_pool_with_argmax`, `fractional_max_pool`, `fractional_avg_pool` of an empty batch",
        "an empty batch",
        "an error",
    ),
    Change("`tf.nn.weighted_moments` of nothing", "nan", "0"),
    Change("`tf.image.non_max_suppression` of float16", "overlaps in float16, often wrong", "the right boxes"),
    Change("`tf.is_non_decreasing` of uint8", "always true", "true if the values do not decrease"),
    Change("`tf.image.ssim` of int64", "wrong", "as for other integers"),
    Change("`tf.math.reduce_variance` of integers", "an integer", "the same; 2.x alone fails", _DTYPES),
    Change("`tf.realdiv` of integers", "rounded towards zero", "the same; 2.x alone has no kernel", _DTYPES),
    Change("`tf.bincount` with weights of uint8 or float16", "works", "the same; 2.x alone fails", _DTYPES),
    Change(
        "`tf.math.nextafter`, `tf.summary.histogram` of a numpy array of float64",
        "float32",
        "the same; 2.x alone keeps float64",
        _DTYPES,
    ),
    Change(
        "`tf.cholesky`, `cholesky_solve`, `matrix_triangular_solve`, `matrix_solve_ls`, `svd`, `self_adjoint_eig`, "
        "`rint`, `truncatemod`, `tf.linalg.logdet`, `lstsq`, `pinv`, `matrix_rank` of float16",
        "computed in float16; of some matrices nan",
        "float16, computed in float32; 2.x alone has no kernel",
        _DTYPES,
    ),
    Change("`tf.divide` of two numpy arrays", "a numpy array", "the same; 2.x alone gives a tensor", _DTYPES),
    Change(
        "the static shapes of `tf.linspace` of unknown rank and of `tf.image.encode_png` of an image of unknown rank",
        "[num] and []",
        "the same; 2.x alone knows no rank",
        _DTYPES,
    ),
    Change(
        "`tf.image.per_image_standardization` of integers",
        "integers, which have lost the values; before 1.15 float32",
        "float32, as before 1.15",
        "compat/tf1/core/test_standardized.py",
    ),
    Change("`tf.nn.embedding_lookup_sparse`, `safe_embedding_lookup_sparse` of float16", "float32", "float16"),
    Change(
        "`tf.nn.avg_pool3d` of float64 or float16, `max_pool3d` of float16; `tf.einsum` of 8 and 16 bits",
        "work",
        "the same: float16 computed in float32, integers in int32; 2.x alone has no kernel on the CPU",
        _DTYPES,
    ),
    Change("`tf.linalg.tensor_diag_part` of an empty matrix", "an error or nothing", "TensorFlow aborts the process"),
    Change("the mean and variance that `tf.nn.fused_batch_norm(is_training=False)` returns", "zeros", "those given"),
)

TENSORFLOW: Tuple[Change, ...] = (
    Change(
        "`tf.__version__`, `tf.VERSION`",
        "1.15.5",
        "the same; `from legacy_towers.compat import tf` has the installed version",
        _SERVED,
    ),
    Change(
        "flags named `log_dir`, `pdb` ...",
        "before 1.14: the script's; since: DuplicateFlagError",
        "the script's",
        _SERVED,
    ),
    Change(
        "flags named `v`, `verbosity`, `logtostderr` ...",
        "since 1.14: DuplicateFlagError",
        "the same: absl reads them as it runs",
    ),
    Change("`FLAGS._parse_flags()`", "before 1.5: read the command line", "the same", _SERVED),
    Change(
        "cross entropies without names of arguments",
        "since 1.0: ValueError",
        "logits, then labels, as before 1.0; 2.x alone would take labels first",
        _BEFORE_ONE,
    ),
    Change(
        "graph-level seeds (`tf.set_random_seed` alone)",
        "operations get seeds by their number in the graph",
        "other numbers: the graph has other operations. With a seed at the operation the numbers are the same",
    ),
    Change(
        "messages of `tf.errors`",
        "the sentence first",
        '`e.message` begins with "Graph execution error" and has the sentence at its end; the classes are the same',
    ),
    Change("`op.inputs`", "a list of its own kind", "a tuple: same elements"),
    Change(
        "`type(tensor) is tf.Tensor`",
        "True",
        "the same, in the script's own files; `tensor.__class__` is a class below it",
        _LIBRARIES,
    ),
    Change("`tf.metrics.precision_at_thresholds` with one threshold", "a number", "a vector with one element"),
    Change(
        "variables (`tf.Variable`, `tf.get_variable`)",
        "reference variables",
        "the same: resource variables stay off, as do control flow v2, eager execution and tensor equality",
    ),
    Change("shapes: `x.shape[0].value`, `int(x.shape[1])`", "Dimension", "the same"),
    Change(
        "`tf.get_variable('w', [5, units / 2])`, `LSTMCell(units / 2)` in Python 3",
        "3.0 counts as the dimension 3",
        "the same of quotients, in the script's own files",
        "run/rewriting/test_quotients.py",
    ),
    Change(
        "`tf.TensorShape([2.0, 3])`, `x.set_shape([n * 0.5])`, `tf.FixedLenFeature([np.ceil(n)], ...)`, `GRUCell(4.0)`",
        "2.0 counts as the dimension 2",
        "the same in a script that `run` runs; what takes a shape as a tensor (tf.reshape) never did",
        "compat/patches/test_dimensions.py",
    ),
    Change(
        "`x.shape[0] or 32`, `if x.shape[0]:` with an unknown dimension or one of 0",
        "true, as every Dimension",
        "the same, in the script's own files",
        _TENSORS,
    ),
    Change("`model.predict_classes(x)`, `predict_proba` of tf.keras.Sequential", "there", "the same", _MORE),
    Change(
        "variables of `tf.keras.layers.LSTM`, `GRU`, `SimpleRNN`, `RNN`, `Bidirectional`, `ConvLSTM2D`",
        "`lstm/kernel`, `conv_lst_m2d/kernel`",
        "the same, so that checkpoints restore; 2.x alone has `lstm/lstm_cell/kernel`. The other layers' are the same",
        "compat/tf1/keras/test_keras_layers.py",
    ),
    Change(
        "the name of a Keras layer or model of the script's own class with a digit after a capital, `class CNN2D`",
        "`cn_n2d`",
        "`cnn2d`: give it a name where a checkpoint of 1.15 is to restore",
    ),
    Change(
        "`dataset.map(f, num_parallel_calls=tf.constant(4))`",
        "takes an int32",
        "the same, in the script's own files; 2.x alone wants an int64",
        _MORE,
    ),
    Change("`Dataset.output_shapes`, `make_one_shot_iterator`", "tf.data of 1.x", "the same"),
    Change("`tf.train.Saver(write_version=V1)`", "one file", "the same"),
)

PYTHON: Tuple[Change, ...] = (
    Change("`print(sess.run([a, b]))`", "[1.5, 2]", "the same; numpy 2 alone prints np.float32(1.5)", _LIBRARIES),
    Change("`np.int`, `np.float`, `np.bool`, `np.object`, `np.str`", "Python's types", "the same", _LIBRARIES),
    Change(
        "`np.float_`, `np.Inf`, `np.product`, `np.in1d`, `np.mat`, `np.asscalar` ...", "there", "the same", _LIBRARIES
    ),
    Change("`np.cast[np.float32](x)`, `np.lib.pad`, `np.math`, `np.warnings` ...", "there", "the same", _LIBRARIES),
    Change(
        "`np.percentile(x, q, interpolation=)`, `np.reshape(x, newshape=)`, `np.issubdtype(x, float)`, `sparse.A`",
        "there",
        "the same",
        _LIBRARIES,
    ),
    Change(
        "`array * [loss, x]` and other operators; `array ** x.shape[1]`, where the exponent is 2, or 0 or 1 of floats",
        "an array of tensors; the power",
        "the same, in the script's own files; numpy 2 alone fails",
        _TENSORS,
    ),
    Change(
        "`np.nonzero(x.shape)`, `np.where`, `np.argwhere` of unknown dimensions; `np.nonzero(3)`",
        "unknown dimensions are true; a number is an array of one element",
        "the same, in the script's own files; numpy 2 alone takes them as false, and fails",
        _TENSORS,
    ),
    Change(
        "`np.array([loss, x])`, `np.shape`, `np.sum`, `np.prod`, `np.multiply` ... of a list of symbolic tensors",
        "an array of objects, and of these a tensor",
        "the same, in the script's own files; numpy 2 alone raises TensorFlow's NotImplementedError",
        _TENSORS,
    ),
    Change(
        "`np.meshgrid`, `np.broadcast_arrays`; `np.ceil`, `np.floor`, `np.trunc` of integers",
        "a list; floats",
        "the same, in the script's own files",
        _TENSORS,
    ),
    Change(
        "`array == other` of shapes that can't be broadcast; `np.all(x.shape)`, whose result is a Dimension",
        "False; the last dimension",
        "numpy 2's: a ValueError; True or False",
    ),
    Change("`np.array([[1], [1, 2]])`", "an array of lists", "the same; reported once", _LIBRARIES),
    Change(
        "`np.array([np.array([1.5]), 0.0])`, `np.reshape`, `np.mean` ... of such a list, and as a feed",
        "takes an array of one number for its number (an array of objects, unless a type is given)",
        "an array of numbers; reported once",
        _LIBRARIES,
    ),
    Change(
        "`values[i] = np.array([1.5])`, `values[i] += np.array([1.5])`, `math.exp(np.array([1.5]))`",
        "takes the number",
        "the same, in the script's own files that import numpy",
        _LIBRARIES,
    ),
    Change("`np.array(x, copy=False)`", "copies where it must", "the same", _LIBRARIES),
    Change("`np.array([256], np.uint8)`", "wraps around", "the same; reported once", _LIBRARIES),
    Change("`np.fromstring(data, dtype)`, `np.sum(generator)`, `np.vstack(generator)`", "work", "the same", _LIBRARIES),
    Change("`array.tostring()`, `.itemset()`, `.newbyteorder()`, `.ptp()`", "work", "the same", _LIBRARIES),
    Change(
        "`int(array)`, `float(array)`, `'%d' % array` of one element in one dimension",
        "its number",
        "the same",
        _LIBRARIES,
    ),
    Change(
        "results of `tf.py_func`",
        "numpy 1 keeps float32 if the other operand is a float64 scalar",
        "float64 becomes the requested type; numpy 2 alone would have the operation fail",
        "compat/tf1/core/test_py_functions.py",
    ),
    Change(
        "`tf.train.Int64List(value=[True])`",
        "1",
        "the same; the protobuf of today refuses truth values",
        _SERVED,
    ),
    Change("`str` of a protobuf message", "simple_value: 3.0", "simple_value: 3: whole numbers have no point any more"),
    Change(
        "`w.astype(np.float32) / np.sqrt(n)`, `w32 * x.max()`: an array by a number of numpy's, from a call",
        "float32",
        "the same, in the script's own files that import numpy; where the number has a name, numpy 2's float64",
        _MORE,
    ),
    Change("`uint8s * 256`, `int16s * 2**15`, `uint8s * -1`", "the next wider type", "the same, in these files", _MORE),
    Change(
        "`picture[i, j] * 2 - 255`, `np.uint8(200) + 100`, `x.max() * 2`, `losses[i] * 0.1`",
        "int64 and float64",
        "the same, in these files, for 0.1 us more each (0.4 us where the type changes). Not of a number that has a"
        " name (`pixel * 2`): every `i + 1` of a loop would cost more. Nor of quotients: `losses[i] / 3` stays float32",
        _SCALARS,
    ),
    Change("`total += pixel`, `sum(row)` of bytes", "the sum", "the same, in these files: no byte", _SCALARS),
    Change(
        "`picture[i, j] = -1`, `picture[i, j] += 300`, `np.uint8(300)`",
        "wrap around",
        "the same, in these files; numpy 2 alone has an OverflowError",
        _SCALARS,
    ),
    Change("`np.float32(0.1) == 0.1`", "False: compared as float64", "True: numpy 2 compares them as float32"),
    Change("`if array:`, `bool(array)` of one without elements", "False", "the same, in these files", _SCALARS),
    Change("`np.load` of objects", "ValueError without allow_pickle=True (numpy 1.16.3 and later)", "the same"),
    Change(
        "`time.clock`, `inspect.getargspec`, `fractions.gcd`, `cgi.escape`, `base64.encodestring`",
        "there",
        "the same",
        _LIBRARIES,
    ),
    Change("`collections.Iterable`, `collections.Mapping` ...", "there", "the same", _LIBRARIES),
    Change("`xml.etree.cElementTree`, `element.getchildren()`, `thread.isAlive()`", "there", "the same", _LIBRARIES),
    Change(
        "`random.sample(set, k)`, `random.shuffle(x, random)`, `random.randint(0, 5.0)`", "work", "the same", _LIBRARIES
    ),
    Change("`imp.load_source`, `imp.reload`", "there", "the same, on Python 3.12 and later too", _LIBRARIES),
    Change("`random.seed(np.int64(3))`, `random.Random((1, 2))`", "work", "the same", _MORE),
    Change("`codecs.open(path, 'rU', 'utf-8')`", "reads any line ends", "the same; reported once", _MORE),
    Change("`pkg_resources.parse_version`, `get_distribution`", "there, with setuptools", "the same", _MORE),
    Change("`HTMLParser().unescape(text)`", "there", "the same", _MORE),
    Change("`yaml.load(stream)`", "there, by FullLoader (PyYAML 5)", "the same; PyYAML 6 alone wants a Loader", _MORE),
    Change("`open(path, 'rU')`", "reads any line ends", "the same; reported once", _LIBRARIES),
    Change(
        "`scipy.misc.imread`, `imresize`, `imsave`, `toimage`, `imrotate`",
        "until scipy 1.2",
        "the same, where Pillow is installed",
    ),
    Change(
        "`x_pb2.py` files that protoc generated before 3.19",
        "imported by protobuf 3",
        "the same: their classes are made as protoc makes them today",
        "run/rewriting/test_generated_messages.py",
    ),
    Change(
        "`import keras`, Keras 2.0 to 2.3, whatever is installed under this name",
        "a package of its own",
        "tf.keras by the modules of that package, reported once; see [Keras](old-scripts.md#keras). "
        "A `keras` of the script's own stays",
        _KERAS,
    ),
    Change(
        "`Dense(output_dim=4, init='uniform')`, `Convolution2D(32, 3, 3)`, `fit(nb_epoch=2)`, `merge(mode='concat')`",
        "Keras 2 accepted the argument names of Keras 1",
        "the same after `import keras`; reported once per line",
        _KERAS,
    ),
    Change(
        "names of layers and models of `keras`: `model.get_layer('dense_1')`",
        "dense_1 is the first, and dense the first of tf.keras",
        "the same; after `import keras` tf.keras counts from 1, too",
        _KERAS,
    ),
    Change(
        "`input_shape` that `build` of a layer below `keras.layers.Layer` gets; `tensor._keras_shape`",
        "a tuple of numbers; that of tf.keras a TensorShape",
        "the same",
        _KERAS,
    ),
    Change("the session of `keras.backend.set_session`", "that of all threads", "the same", _KERAS),
    Change("`keras_preprocessing`", "there, with TensorFlow", "`tf.keras.preprocessing`", _MORE),
    Change(
        "`tensorboard.summary.custom_scalar_pb`, `tensorboard.plugins.projector`",
        "there, with TensorFlow",
        "the same, the projector without the package tensorboard, too",
        "run/libraries/test_tensorboard.py",
    ),
    Change("`scipy.stats.mode(x)[0][0]`, `sparse_matrix.A`, `scipy.stats.itemfreq`", "there", "the same", _MORE),
    Change(
        "`TSNE(n_iter=...)`, `TfidfVectorizer().get_feature_names()`, `mean_squared_error(squared=False)`",
        "there",
        "the same",
        _MORE,
    ),
    Change(
        "`scipy.signal.gaussian`, `scipy.integrate.simps`, `scipy.linalg.pinv2`, `scipy.misc.derivative`",
        "there",
        "the same",
        _LIBRARIES,
    ),
    Change(
        "`PIL.Image.ANTIALIAS`, `draw.textsize(text)`, `font.getsize(text)`, `matplotlib.cm.get_cmap`,"
        " `canvas.tostring_rgb()`, `value` of an h5py dataset",
        "there",
        "the same",
        "run/libraries/test_pictures.py",
    ),
    Change("`scipy.misc.face`, `scipy.misc.ascent`", "there", "not supported: scipy.datasets downloads them"),
    Change(
        "`sklearn.preprocessing.OneHotEncoder(sparse=False)`, `sklearn.externals.joblib`",
        "there",
        "the same, imported by `from sklearn.preprocessing import ...`",
        _LIBRARIES,
    ),
    Change("`sklearn.datasets.load_boston()`", "there", "the same table; reported once", _SKLEARN_DATA),
    Change("`sklearn.cluster.KMeans(n_jobs=...)`", "there", "not supported: the error of the installed scikit-learn"),
    Change("`json.loads(text, encoding=...)`", "ignores it", "the same", _LIBRARIES),
    Change(
        "`asyncio`, `distutils`, `string` and other modules",
        "there",
        "those of the installed Python: the old names are not supported",
    ),
)
