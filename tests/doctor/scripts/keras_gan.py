"""A GAN in the style of the tutorials of Keras: the discriminator is frozen in the combined model."""
import numpy as np
import tensorflow as tf

layers, models = tf.keras.layers, tf.keras.models


def optimizer():
    return tf.keras.optimizers.Adam(0.0002, 0.5)


generator = models.Sequential([
    layers.Dense(16, input_dim=8), layers.LeakyReLU(0.2), layers.BatchNormalization(momentum=0.8),
    layers.Dense(20, activation="tanh"),
])
discriminator = models.Sequential([
    layers.Dense(16, input_dim=20), layers.LeakyReLU(0.2), layers.Dropout(0.4), layers.Dense(1, activation="sigmoid"),
])
discriminator.compile(loss="binary_crossentropy", optimizer=optimizer(), metrics=["accuracy"])
noise = layers.Input(shape=(8,))
discriminator.trainable = False
combined = models.Model(noise, discriminator(generator(noise)))
combined.compile(loss="binary_crossentropy", optimizer=optimizer())

real, ones, zeros = np.random.rand(64, 20), np.ones([16, 1]), np.zeros([16, 1])
for _ in range(20):
    drawn = np.random.normal(0, 1, [16, 8])
    discriminator.train_on_batch(real[:16], ones)
    discriminator.train_on_batch(generator.predict(drawn), zeros)
    loss = combined.train_on_batch(drawn, ones)
print(loss)
