"""Builds the package: setuptools for the Python half, buildtools/ for the Go half."""

import pathlib
import shutil
import sys

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "buildtools"))

import extension  # noqa: E402
from platforms import wheel_platform  # noqa: E402


class GoExtension(build_ext):
    """Takes the extension from buildtools, in place of compiling C sources."""

    def build_extension(self, ext: Extension) -> None:
        extension.place(pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent)
        if self.editable_mode or self.inplace:
            extension.place(ROOT / "python" / "fhelium")


class FreshPython(build_py):
    """Keeps modules that were deleted from the tree out of the wheel."""

    def run(self) -> None:
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class TaggedWheel(bdist_wheel):
    """Names the oldest C library that the extension runs with."""

    def get_tag(self) -> tuple[str, str, str]:
        python, abi, platform = super().get_tag()
        return python, abi, wheel_platform(platform, extension.extension())


setup(
    ext_modules=[Extension("fhelium._fhgo", [], py_limited_api=True)],
    cmdclass={"build_ext": GoExtension, "build_py": FreshPython, "bdist_wheel": TaggedWheel},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
