"""tf.contrib.predictor: runs a trained model on arrays."""
from typing import Any, Callable, Dict, Optional

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.versions import tf

__all__ = ["from_estimator", "from_saved_model"]


class Predictor:
    """Runs a model: a call takes name -> array to feed, and returns name -> array that is fetched."""

    def __init__(self, graph: Any, session: Any, feeds: Dict[str, str], fetches: Dict[str, str]) -> None:
        self._graph = graph
        self._session = session
        self._feed_tensors = {name: graph.get_tensor_by_name(tensor) for name, tensor in feeds.items()}
        self._fetch_tensors = {name: graph.get_tensor_by_name(tensor) for name, tensor in fetches.items()}

    graph = property(lambda self: self._graph)
    session = property(lambda self: self._session)
    feed_tensors = property(lambda self: self._feed_tensors)
    fetch_tensors = property(lambda self: self._fetch_tensors)

    def __repr__(self) -> str:
        return "{} with feed tensors {} and fetch_tensors {}".format(
            type(self).__name__, self._feed_tensors, self._fetch_tensors
        )

    def __call__(self, input_dict: Dict[str, Any]) -> Dict[str, Any]:
        """Returns name -> array for the inputs `input_dict`.

        Raises:
          ValueError: `input_dict` has a name that is not an input.
        """
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise ValueError(
                "Got unexpected keys in input_dict: {}\nexpected: {}".format(unexpected, set(self._feed_tensors))
            )
        feed = {self._feed_tensors[name]: value for name, value in input_dict.items() if value is not None}
        return self._session.run(self._fetch_tensors, feed)


def from_saved_model(
    export_dir: str,
    signature_def_key: Optional[str] = None,
    signature_def: Any = None,
    input_names: Optional[Dict[str, str]] = None,
    output_names: Optional[Dict[str, str]] = None,
    tags: Optional[str] = None,
    graph: Any = None,
    config: Any = None,
) -> Predictor:
    """Returns a Predictor for a SavedModel.

    Args:
      export_dir: the directory of the SavedModel.
      signature_def_key: the signature to use, by default "serving_default".
      signature_def: a SignatureDef instead.
      input_names, output_names: name -> tensor name, instead of a signature.
      tags: comma-separated tags of the graph, by default "serve".
      graph: the tf.Graph to load into, by default a new one.
      config: the tf.ConfigProto of the session.

    Raises:
      ValueError: the tensors are given in more than one way, or the SavedModel lacks the signature.
    """
    if (input_names is None) != (output_names is None):
        raise ValueError("input_names and output_names must both be specified or both be unspecified.")
    if sum(given is not None for given in (signature_def_key, signature_def, input_names)) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR(input_names AND output_names)."
        )
    old = script_api.tensorflow()
    graph = graph or old.Graph()
    with graph.as_default():
        session = old.Session(config=config)
        loaded = tf.saved_model.loader.load(session, (tags or "serve").split(","), export_dir)
    if input_names is None or output_names is None:
        signature = signature_def or _signature(loaded, signature_def_key or runtime.SERVING_DEFAULT)
        input_names = {name: info.name for name, info in signature.inputs.items()}
        output_names = {name: info.name for name, info in signature.outputs.items()}
    return Predictor(graph, session, input_names, output_names)


def from_estimator(
    estimator: Any,
    serving_input_receiver_fn: Callable[[], Any],
    output_key: Optional[str] = None,
    graph: Any = None,
    config: Any = None,
) -> Predictor:
    """Returns a Predictor for the latest checkpoint of an Estimator.

    Args:
      estimator: a tf.estimator.Estimator.
      serving_input_receiver_fn: returns a ServingInputReceiver.
      output_key: the key of export_outputs, by default "serving_default".
      graph: the tf.Graph to build in, by default a new one.
      config: the tf.ConfigProto of the session.

    Raises:
      KeyError: the model has no output `output_key`.
    """
    old = script_api.tensorflow()
    graph = graph or old.Graph()
    with graph.as_default():
        receiver = serving_input_receiver_fn()
        outputs = estimator.model_fn(receiver.features, None, "infer", estimator.config).export_outputs
        key = output_key or runtime.SERVING_DEFAULT
        if key not in outputs:
            raise KeyError("output_key must be one of {}; got {}".format(sorted(outputs), key))
        signature = outputs[key].as_signature_def(receiver.receiver_tensors)
        creator = old.train.ChiefSessionCreator(config=config, checkpoint_dir=estimator.model_dir)
        session = old.train.MonitoredSession(session_creator=creator)
    feeds = {name: info.name for name, info in signature.inputs.items()}
    return Predictor(graph, session, feeds, {name: info.name for name, info in signature.outputs.items()})


def _signature(meta_graph: Any, key: str) -> Any:
    for name in (key, "default_input_alternative:" + key):
        if name in meta_graph.signature_def:
            return meta_graph.signature_def[name]
    raise ValueError(
        'Got signature_def_key "{}". Available signatures are {}.'.format(key, sorted(meta_graph.signature_def))
    )
