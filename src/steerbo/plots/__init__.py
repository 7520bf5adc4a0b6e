"""Pictures of studies; needs matplotlib (`pip install 'steerbo[plots]'`)."""

from .drawing import Picture
from .kinds import pictures

__all__ = ["Picture", "pictures"]
