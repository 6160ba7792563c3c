"""Data sets: registry, fetch, formats, embedded sets and the prepared form."""
