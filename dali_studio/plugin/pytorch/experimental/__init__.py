"""What nvidia.dali calls experimental; same names as ``nvidia.dali.plugin.pytorch.experimental``."""
