"""The README's Python code runs as it stands."""

import pathlib
import re

README = pathlib.Path(__file__).parents[1] / "README.md"


def test_code_of_the_readme_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 4
    names = {"__name__": "readme"}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert "state-depth-mismatch - add: left depth 0, right depth" in capsys.readouterr().out
