"""Dynamic mode: operators that are called on tensors and batches, which ``dali_studio.experimental.dynamic`` offers."""
