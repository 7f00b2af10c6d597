"""``Compose`` of torchvision and albumentations, as operators."""
