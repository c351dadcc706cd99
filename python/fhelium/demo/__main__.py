"""`python -m fhelium.demo`: exit status 0 where all checks hold, 1 where one fails, 2 where the demo cannot run."""

import sys
from importlib.util import find_spec

_NEEDED = {"sklearn": "scikit-learn", "matplotlib": "matplotlib", "rich": "rich"}


def main() -> int:
    """Runs the demo and gives its exit status."""
    missing = [project for module, project in _NEEDED.items() if find_spec(module) is None]
    if missing:
        print(f"the demo needs {', '.join(missing)}: install the extra \"demo\" (in a checkout: pip install '.[demo]')", file=sys.stderr)
        return 2
    from rich.console import Console

    from ..errors import FHEliumError
    from .story import options, tell
    from .wire import PeerError

    chosen = options()
    try:
        return tell(chosen, Console())
    except (FHEliumError, PeerError, OSError) as error:
        print(f"the demo could not end: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
