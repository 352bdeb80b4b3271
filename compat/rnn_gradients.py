"""Gradients of LSTMBlockCell and GRUBlockCell, which tf.contrib.rnn of TensorFlow 1.15 registers and 2.x does not.

The operations, and those of their gradients, are in every TensorFlow. TensorFlow keeps one registry of gradients for a
process: registering is what tf.RegisterGradient is for, and is done once. Tried on 2.21, where BlockLSTM has its
gradient already; ends when a TensorFlow registers these two itself, which `register` would notice.
"""
from typing import Any, Tuple

from tensorflow.python.framework import ops as _ops


def register() -> None:
    """Gives the two operations their gradients, unless they have them."""
    from legacy_towers.compat import tf

    for name, gradient in (("LSTMBlockCell", _lstm_block_cell), ("GRUBlockCell", _gru_block_cell)):
        try:
            # Private: nothing public asks whether a gradient is there, and registering twice is an error.
            _ops.gradient_registry.lookup(name)
        except LookupError:
            tf.RegisterGradient(name)(gradient)


def _lstm_block_cell(op: Any, *gradients: Any) -> Tuple[Any, ...]:
    from legacy_towers.compat import tf

    x, cs_prev, h_prev, w, wci, wcf, wco, b = op.inputs
    i, cs, f, o, ci, co, _ = op.outputs
    cs_prev_grad, dgates, wci_grad, wcf_grad, wco_grad = tf.raw_ops.LSTMBlockCellGrad(
        x=x,
        cs_prev=cs_prev,
        h_prev=h_prev,
        w=w,
        wci=wci,
        wcf=wcf,
        wco=wco,
        b=b,
        i=i,
        cs=cs,
        f=f,
        o=o,
        ci=ci,
        co=co,
        cs_grad=gradients[1],
        h_grad=gradients[6],
        use_peephole=op.get_attr("use_peephole"),
    )
    both = tf.matmul(dgates, w, transpose_b=True)
    columns = tf.dimension_value(x.shape[1])
    to_w = tf.matmul(tf.concat([x, h_prev], 1), dgates, transpose_a=True)
    to_b = tf.reduce_sum(dgates, 0)
    return (
        both[:, :columns],
        cs_prev_grad,
        both[:, columns:],
        to_w,
        wci_grad,
        wcf_grad,
        wco_grad,
        to_b,
    )


def _gru_block_cell(op: Any, *gradients: Any) -> Tuple[Any, ...]:
    from legacy_towers.compat import tf

    x, h_prev, w_ru, w_c, b_ru, b_c = op.inputs
    r, u, c, _ = op.outputs
    back = tf.raw_ops.GRUBlockCellGrad(
        x=x, h_prev=h_prev, w_ru=w_ru, w_c=w_c, b_ru=b_ru, b_c=b_c, r=r, u=u, c=c, d_h=gradients[3]
    )
    gates, candidate = back.d_r_bar_u_bar, back.d_c_bar
    return (
        back.d_x,
        back.d_h_prev,
        tf.matmul(tf.concat([x, h_prev], 1), gates, transpose_a=True),
        tf.matmul(tf.concat([x, h_prev * r], 1), candidate, transpose_a=True),
        tf.reduce_sum(gates, 0),
        tf.reduce_sum(candidate, 0),
    )
