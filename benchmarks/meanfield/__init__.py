"""The problems of Steinberg et al., and how methods do on them."""
