"""Gradients of LSTMBlockCell and GRUBlockCell, which TensorFlow 1.15 registers in tf.contrib.rnn and 2.x does not.

All versions of TensorFlow have these operations and those of their gradients. The gradient registry is global in the
process; `register` adds to it once. Tested on 2.21, where BlockLSTM has a gradient already.
"""
from typing import Any, Tuple

from tensorflow.python.framework import ops as _ops


def register() -> None:
    """Registers the gradients of the two operations, unless TensorFlow has registered them."""
    from legacy_towers.compat.versions import tf

    for name, gradient in (("LSTMBlockCell", _lstm_block_cell), ("GRUBlockCell", _gru_block_cell)):
        try:
            # Private API: no public function looks up gradients, and a second registration is an error.
            _ops.gradient_registry.lookup(name)
        except LookupError:
            tf.RegisterGradient(name)(gradient)


def _lstm_block_cell(op: Any, *gradients: Any) -> Tuple[Any, ...]:
    from legacy_towers.compat.versions import tf

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
    input_gradients = tf.matmul(dgates, w, transpose_b=True)
    columns = tf.dimension_value(x.shape[1])
    w_grad = tf.matmul(tf.concat([x, h_prev], 1), dgates, transpose_a=True)
    b_grad = tf.reduce_sum(dgates, 0)
    return (
        input_gradients[:, :columns],
        cs_prev_grad,
        input_gradients[:, columns:],
        w_grad,
        wci_grad,
        wcf_grad,
        wco_grad,
        b_grad,
    )


def _gru_block_cell(op: Any, *gradients: Any) -> Tuple[Any, ...]:
    from legacy_towers.compat.versions import tf

    x, h_prev, w_ru, w_c, b_ru, b_c = op.inputs
    r, u, c, _ = op.outputs
    gradient = tf.raw_ops.GRUBlockCellGrad(
        x=x, h_prev=h_prev, w_ru=w_ru, w_c=w_c, b_ru=b_ru, b_c=b_c, r=r, u=u, c=c, d_h=gradients[3]
    )
    gates, candidate = gradient.d_r_bar_u_bar, gradient.d_c_bar
    return (
        gradient.d_x,
        gradient.d_h_prev,
        tf.matmul(tf.concat([x, h_prev], 1), gates, transpose_a=True),
        tf.matmul(tf.concat([x, h_prev * r], 1), candidate, transpose_a=True),
        tf.reduce_sum(gates, 0),
        tf.reduce_sum(candidate, 0),
    )
