"""What is recorded and examined of the session runs that Keras makes."""
import numpy as np
import pytest
from run.runtime import prepared

from legacy_towers.doctor.examine import examine
from legacy_towers.run.runtime.observation import Observer
from legacy_towers.run.runtime.training_start import TrainingStart

pytestmark = pytest.mark.needs_layers
X, Y = np.ones([24, 2], np.float32), np.zeros([24, 1], np.float32)


@pytest.fixture
def started(request):
    """Yields (the script's tf, its runtime, its graph), with the options of the test."""
    with prepared.script(getattr(request, "param", "")) as (tf, run), tf.Graph().as_default() as graph:
        yield tf, run.runtime, graph


def compiled(tf):
    model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    return model


def test_fit_and_predict_are_recorded(started):
    tf, runtime, graph = started
    runtime.observer = Observer()
    model = compiled(tf)
    model.fit(X, Y, batch_size=8, epochs=2, verbose=0)
    model.predict(X)
    seen = runtime.observer.graphs[graph]
    trains = [seen.trains(fetched) for fetched in seen.runs]
    assert trains.count(True) == 6 and trains[-1] is False
    assert all(seen.in_main_thread)


@pytest.mark.parametrize("started", ["--timeout-steps 4"], indirect=True)
def test_batches_of_fit_count_as_steps_with_an_observer(started, capsys):
    tf, runtime, graph = started
    runtime.observer = Observer()
    model = compiled(tf)
    with pytest.raises(SystemExit) as end:
        model.fit(X, Y, batch_size=8, epochs=9, verbose=0)
    assert end.value.code == 0
    assert "ended after 4 session runs (--steps)" in capsys.readouterr().err
    assert len(runtime.observer.graphs[graph].runs) == 4


@pytest.mark.parametrize("started", ["--timeout-steps 4"], indirect=True)
def test_batches_of_fit_do_not_count_without_an_observer(started):
    tf, runtime, graph = started
    compiled(tf).fit(X, Y, batch_size=8, epochs=3, verbose=0)


def test_the_first_training_step_of_fit_is_examined_once(started):
    tf, runtime, graph = started
    said = []
    runtime.training_start = TrainingStart(lambda graph, observed: ["{} runs".format(len(observed.runs))], said.append)
    model = compiled(tf)
    model.evaluate(X, Y, verbose=0)
    assert said == []
    model.fit(X, Y, batch_size=8, epochs=2, verbose=0)
    assert len(said) == 1


def test_a_callback_that_adds_operations_is_found(started):
    tf, runtime, graph = started
    runtime.observer = Observer()

    class Adds(tf.keras.callbacks.Callback):
        def on_batch_end(self, batch, logs=None):
            tf.constant(1.0)

    compiled(tf).fit(X, Y, batch_size=2, epochs=2, verbose=0, callbacks=[Adds()])
    found = examine(runtime.observer.graphs.items())
    assert "LD401" in [each.check.code for each in found]


def test_a_correct_model_has_no_findings(started):
    tf, runtime, graph = started
    runtime.observer = Observer()
    layers = tf.keras.layers
    model = tf.keras.models.Sequential([
        layers.Dense(4, input_shape=(2,), kernel_regularizer=tf.keras.regularizers.l2(0.1)),
        layers.BatchNormalization(), layers.Dropout(0.5), layers.Dense(1),
    ])
    model.compile("adam", "mse")
    model.fit(X, Y, batch_size=4, epochs=3, verbose=0, validation_data=(X, Y))
    assert examine(runtime.observer.graphs.items()) == []
