"""Pictures of studies; needs matplotlib (`pip install 'steerbo[plots]'`)."""
