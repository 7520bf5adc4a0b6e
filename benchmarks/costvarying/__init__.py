"""The problems of Hoang et al. (2025) and Tay et al. (2023), and how methods do on them."""
