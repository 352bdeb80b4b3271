"""The fields of ConfigProto and of the messages inside it, and the TensorFlow version that added each."""
from typing import Any, Dict, Optional

# message -> first supported version -> the fields that it added. 1.15 has all fields that are not listed.
# Read from the protos of 1.15.5, 2.13.1, 2.14.1, 2.15.1, 2.16.2, 2.17.1, 2.18.1, 2.19.1, 2.20.0 and 2.21.0.
_SINCE: Dict[str, Dict[str, str]] = {
    "ConfigProto": {
        "2.13": "share_cluster_devices_in_session",
        "2.21": "pluggable_device_options",
    },
    "ConfigProto.Experimental": {
        "2.13": "enable_mlir_bridge mlir_bridge_rollout enable_mlir_graph_optimization disable_output_partition_graphs "
        "xla_fusion_autotuner_thresh use_tfrt disable_functional_ops_lowering xla_prefer_single_graph_cluster "
        "coordination_config disable_optimize_for_static_graph",
        "2.15": "disable_eager_executor_streaming_enqueue",
        "2.16": "enable_multi_host backend_server_port target_tpu target_gpu stream_merge_threshold",
        "2.20": "finalize_function_library_runtime",
        "2.21": "finalize_resource_manager online_cost_analysis tf2xla_dump_dir tfrt_use_ifrt",
    },
    "GPUOptions.Experimental": {
        "2.13": "internal_fragmentation_fraction use_cuda_malloc_async disallow_retry_on_allocation_failure "
        "gpu_host_mem_limit_in_mb gpu_host_mem_disallow_growth",
        "2.16": "num_virtual_devices_per_gpu gpu_system_memory_size_in_mb",
        "2.17": "populate_pjrt_gpu_client_creation_info",
        "2.21": "node_id stream_merge_options",
    },
    "GPUOptions.Experimental.VirtualDevices": {
        "2.13": "priority device_ordinal",
    },
    "OptimizerOptions": {
        "2.13": "cpu_global_jit",
    },
    "RewriterConfig": {
        "2.13": "cpu_layout_conversion common_subgraph_elimination auto_mixed_precision_mkl "
        "auto_mixed_precision_onednn_bfloat16 auto_mixed_precision_cpu use_plugin_optimizers "
        "experimental_conditional_code_motion experimental_disable_compressed_tensor_optimization "
        "experimental_disable_folding_quantization_emulation",
        "2.16": "disable_tfg_optimizer",
    },
}


def first_version(message: str, field: str) -> Optional[str]:
    """Returns the first supported TensorFlow whose `message` has `field`, None if no supported one has it.

    Args:
        message: name without the package, as `GPUOptions.Experimental`.
        field: name of the field that the running TensorFlow lacks.
    """
    for version, fields in _SINCE.get(message, {}).items():
        if field in fields.split():
            return version
    return None


def is_repeated(field: Any) -> bool:
    """Returns whether the proto `field` (a FieldDescriptor) holds a list."""
    # protobuf 7 has `is_repeated`, and drops `label`; ends when protobuf 3 to 5 (TensorFlow 1.15 to 2.18) are dropped.
    if hasattr(field, "is_repeated"):
        return bool(field.is_repeated)
    return bool(field.label == field.LABEL_REPEATED)
