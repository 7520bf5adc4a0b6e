"""Published problems to measure methods on.

Their definitions are those of `partial_control_bench`, in `src/` beside this file: a checkout finds it there.
"""

import sys
from pathlib import Path

if (_package := str(Path(__file__).parent / "src")) not in sys.path:
    sys.path.append(_package)
