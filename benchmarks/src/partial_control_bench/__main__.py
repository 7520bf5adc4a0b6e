"""`python -m partial_control_bench` is `pcb`."""

from .cli import main

if __name__ == "__main__":
    main()
