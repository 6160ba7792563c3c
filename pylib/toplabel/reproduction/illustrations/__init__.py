"""Numbers of the figures that need neither data nor training."""
