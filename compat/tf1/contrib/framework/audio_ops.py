"""tensorflow.contrib.framework.python.ops.audio_ops: WAV files, spectrograms and MFCCs."""
from typing import Any, Optional

from legacy_towers.compat.versions import tf

__all__ = ["audio_spectrogram", "decode_wav", "encode_wav", "mfcc"]

encode_wav = tf.audio.encode_wav


def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: Optional[str] = None
) -> Any:
    """Decodes a WAV file; returns (audio, float32 [samples, channels] in [-1, 1]; sample rate, int32 scalar)."""
    return tf.audio.decode_wav(contents, desired_channels, desired_samples, name)


def audio_spectrogram(
    input: Any, window_size: int, stride: int, magnitude_squared: bool = False, name: Optional[str] = None
) -> Any:
    """Returns the spectrogram [channels, windows, frequencies] of `input`, float32 [samples, channels]."""
    return tf.raw_ops.AudioSpectrogram(
        input=input, window_size=window_size, stride=stride, magnitude_squared=magnitude_squared, name=name
    )


def mfcc(
    spectrogram: Any,
    sample_rate: Any,
    upper_frequency_limit: float = 4000,
    lower_frequency_limit: float = 20,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
    name: Optional[str] = None,
) -> Any:
    """Returns the mel-frequency cepstral coefficients (MFCCs), [channels, windows, coefficients], of `spectrogram`."""
    return tf.raw_ops.Mfcc(
        spectrogram=spectrogram,
        sample_rate=sample_rate,
        upper_frequency_limit=upper_frequency_limit,
        lower_frequency_limit=lower_frequency_limit,
        filterbank_channel_count=filterbank_channel_count,
        dct_coefficient_count=dct_coefficient_count,
        name=name,
    )
