"""The documents name what is there."""

import re

import pytest
from conftest import PROJECT

DOCUMENTS = sorted([PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *(PROJECT / "docs").glob("*.md")])


def mapped() -> list[str]:
    """The files and folders that the tables of docs/architecture.md name; one without a folder lies beside the one before it."""
    found, folder = [], ""
    for row in re.findall(r"(?m)^\|.*\|$", (PROJECT / "docs" / "architecture.md").read_text()):
        for path in re.findall(r"`([\w/*.]+\.(?:go|py|s)|(?:\w+/)+)`", row):
            folder = path.rpartition("/")[0] if "/" in path else folder
            found.append(path if "/" in path else f"{folder}/{path}")
    return found


def test_mapped_files_exist():
    # Mutant: rename any file that the map names.
    paths = mapped()
    assert len(paths) > 50, "the pattern finds the paths"
    assert not [path for path in paths if not list(PROJECT.glob(path))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        assert (document.parent / target).exists(), target
