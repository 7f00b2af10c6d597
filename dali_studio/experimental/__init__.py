"""What nvidia.dali calls experimental: `dynamic`, operators without a pipeline."""
