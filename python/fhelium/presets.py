"""The names of the parameter sets that come with fhelium; the Go core holds the numbers."""

from __future__ import annotations

from enum import Enum

from .errors import refusal


class Preset(Enum):
    """Named parameter sets, by slots, log2 of the default scale and depth. The value is the dashed name.

    All have 128 bits of security but those named insecure, which are for tests.
    """

    slots1024_scale40_depth3_int64_insecure = "slots1024-scale40-depth3-int64-insecure"
    slots1024_scale60_depth2_int64_insecure = "slots1024-scale60-depth2-int64-insecure"
    slots2048_scale30_depth1_int64 = "slots2048-scale30-depth1-int64"
    slots2048_scale40_depth4_int64_insecure = "slots2048-scale40-depth4-int64-insecure"
    slots4096_scale30_depth3_int64 = "slots4096-scale30-depth3-int64"
    slots4096_scale40_depth2_int64 = "slots4096-scale40-depth2-int64"
    slots8192_scale30_depth9_int64 = "slots8192-scale30-depth9-int64"
    slots8192_scale40_depth7_int64 = "slots8192-scale40-depth7-int64"
    slots8192_scale50_depth5_int64 = "slots8192-scale50-depth5-int64"
    slots16384_scale30_depth21_int64 = "slots16384-scale30-depth21-int64"
    slots16384_scale40_depth16_int64 = "slots16384-scale40-depth16-int64"
    slots16384_scale50_depth12_int64 = "slots16384-scale50-depth12-int64"
    slots32768_scale30_depth45_int64 = "slots32768-scale30-depth45-int64"
    slots32768_scale40_depth34_int64 = "slots32768-scale40-depth34-int64"
    slots32768_scale50_depth27_int64 = "slots32768-scale50-depth27-int64"
    slots32768_scale50_depth29_int64 = "slots32768-scale50-depth29-int64"
    slots65536_scale30_depth95_int64 = "slots65536-scale30-depth95-int64"
    slots65536_scale40_depth72_int64 = "slots65536-scale40-depth72-int64"
    slots65536_scale50_depth58_int64 = "slots65536-scale50-depth58-int64"

    @classmethod
    def _missing_(cls, value: object) -> Preset:
        """A preset by its name with underscores; any other spelling is refused as `preset-unknown`."""
        found = cls.__members__.get(value) if isinstance(value, str) else None
        if found is None:
            raise refusal("preset-unknown", f"there is no preset {str(value)[:64]!r}; the presets are {', '.join(p.value for p in cls)}")
        return found
