"""Labels beside images: whether they move as their image does, and repairs."""
