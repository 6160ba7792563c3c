"""The config files: what each key means and may be, read and checked."""
