"""The augmentation gallery: its tiles, its session and its widget."""
