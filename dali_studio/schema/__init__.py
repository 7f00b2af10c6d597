"""How operators are described: declaration, serialisable model, traits, registry."""
