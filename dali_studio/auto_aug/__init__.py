"""Automatic augmentation, under nvidia.dali's names: AutoAugment, RandAugment and TrivialAugment.

All of it works in pipeline definitions with ``enable_conditionals=True``.
"""
