"""A functional model of tf.keras with two outputs, regularization, batch normalization and a learning rate schedule."""
import numpy as np
import tensorflow as tf

layers = tf.keras.layers
random = np.random.RandomState(0)
x = random.rand(96, 16, 16, 3).astype(np.float32)
kind, size = np.eye(4)[random.randint(0, 4, 96)], random.rand(96, 1)

image = layers.Input((16, 16, 3))
hidden = layers.Conv2D(8, 3, padding="same", kernel_regularizer=tf.keras.regularizers.l2(1e-4))(image)
hidden = layers.BatchNormalization()(hidden)
hidden = layers.Flatten()(layers.MaxPooling2D()(layers.Activation("relu")(hidden)))
hidden = layers.Dropout(0.5)(layers.Dense(16, activation="relu")(hidden))
outputs = [layers.Dense(4, activation="softmax", name="kind")(hidden), layers.Dense(1, name="size")(hidden)]
model = tf.keras.models.Model(image, outputs)
model.compile("sgd", {"kind": "categorical_crossentropy", "size": "mse"}, loss_weights={"kind": 1.0, "size": 0.5})
schedule = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1))
model.fit(x[:64], [kind[:64], size[:64]], batch_size=16, epochs=3, verbose=0, callbacks=[schedule],
          validation_data=(x[64:], [kind[64:], size[64:]]))
print(model.evaluate(x[64:], [kind[64:], size[64:]], verbose=0), model.predict(x[:1])[1].shape)
