"""Small files of markers for the tests, written byte by byte."""

import struct

import numpy as np

from motiform.record import Channel, Event, Recording

NAMES = ("LASI", "RASI", "LTOE", "C7")


def motion(samples=30, markers=4, seed=1):
    """Markers of a standing thing 1.5 m tall, y up [m]."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(-0.3, 0.3, (markers, 3)) + np.outer(np.linspace(0.1, 1.6, markers), (0, 1, 0))
    t = np.arange(samples)[:, None, None] / 100.0
    return base + 0.05 * np.sin(2 * np.pi * t * rng.uniform(0.5, 1.5, (1, markers, 3)))


def recording(points=None, names=None, rate=100.0, start=0.0, **manifest):
    points = motion() if points is None else np.asarray(points, float)
    names = list(names or (NAMES if points.shape[1] == 4 else [f"M{k + 1}" for k in range(points.shape[1])]))
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=points.shape[1:], rate=rate, start=start)
    labels = {"marker": names}
    return Recording.from_arrays({"markers": (channel, points)}, manifest={"labels": labels, **manifest})


class C3D:
    """Writes C3D files of each processor, in reals or integers."""

    def __init__(self, processor=84, real=True, scale=0.1):
        self.order = ">" if processor == 86 else "<"
        self.processor, self.real, self.scale = processor, real, scale
        self.groups = {}

    def floats(self, values):
        values = np.asarray(values, np.float32)
        if self.processor != 85:
            return values.astype(self.order + "f4").tobytes()
        words = (values * np.float32(4)).astype("<f4").view("<u2").reshape(-1, 2)[:, ::-1]
        return np.ascontiguousarray(words).tobytes()

    def words(self, values):
        return (np.asarray(values, np.int64) & 0xFFFF).astype(self.order + "u2").tobytes()

    def put(self, group, name, value):
        self.groups.setdefault(group, {})[name] = value

    def _encode(self, value):
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], str):
            width = max(map(len, value))
            return -1, (width, len(value)), "".join(v.ljust(width) for v in value).encode("latin-1")
        array = np.asarray(value)
        if array.dtype.kind in "iu":
            return 2, array.shape, self.words(array.ravel(order="F"))
        return 4, array.shape, self.floats(array.ravel(order="F"))

    def parameters(self):
        out = b"\1\x50\0" + bytes([self.processor])
        for number, (group, values) in enumerate(self.groups.items(), start=1):
            name = group.encode()
            out += struct.pack("bb", len(name), -number) + name + struct.pack(self.order + "h", 3) + b"\0"
            for key, value in values.items():
                kind, shape, data = self._encode(value)
                body = struct.pack("bB", kind, len(shape)) + bytes(shape) + data + b"\0"
                name = key.encode()
                out += struct.pack("bb", len(name), number) + name + struct.pack(self.order + "h", len(body) + 2) + body
        return out + b"\0\0"

    def bytes(self, points, rate=100.0, first=1, analog=None, words=None, last=None):
        """points (samples, markers, 3) in the file's unit; analog (samples, subframes, channels)."""
        samples, markers = points.shape[:2]
        hidden = np.isnan(points).any(-1)
        words = np.where(hidden, -1, 0) if words is None else words
        parameters = self.parameters()
        blocks = -(-len(parameters) // 512)
        subframes = 0 if analog is None else analog.shape[1]
        measures = 0 if analog is None else analog.shape[1] * analog.shape[2]
        last = first + samples - 1 if last is None else last
        head = bytes([2, 80]) + self.words([markers, measures, first, last, 10])
        head += self.floats([-self.scale if self.real else self.scale]) + self.words([2 + blocks, subframes])
        head += self.floats([rate])
        quads = np.concatenate([np.nan_to_num(points), words[..., None]], axis=-1)
        if not self.real:
            quads[..., :3] = np.round(quads[..., :3] / self.scale)
        table = quads.reshape(samples, -1)
        if analog is not None:
            table = np.concatenate([table, analog.reshape(samples, -1)], axis=1)
        data = self.floats(table.ravel()) if self.real else self.words(np.round(table).ravel())
        return head.ljust(512, b"\0") + parameters.ljust(512 * blocks, b"\0") + data


def simple_c3d(points, names=NAMES, units="mm", rate=100.0, **options):
    file = C3D(**{k: options.pop(k) for k in ("processor", "real", "scale") if k in options})
    file.put("POINT", "LABELS", list(names))
    file.put("POINT", "UNITS", [units])
    file.put("POINT", "RATE", np.array([rate]))
    for group, name, value in options.pop("more", ()):
        file.put(group, name, value)
    return file.bytes(points, rate, **options)


def measured(samples=30, markers=4, channels=3, subframes=5, rate=100.0, start=0.0, seed=2, names=None, **manifest):
    """A recording with everything that a C3D file can hold, and some markers that are not seen."""
    rng = np.random.default_rng(seed)
    points = motion(samples, markers, seed)
    points[rng.random((samples, markers)) < 0.1] = np.nan
    residuals = np.where(np.isnan(points[..., 0]), np.nan, 0.05e-3 * rng.integers(0, 256, (samples, markers)))
    times = {"rate": rate, "start": start}
    data = {
        "markers": (Channel("markers", unit="m", dims=("marker", "axis"), shape=(markers, 3), **times), points),
        "residuals": (Channel("residuals", unit="m", dims=("marker",), shape=(markers,), **times), residuals),
    }
    labels = {"marker": names or [f"marker{k}" for k in range(markers)]}
    if channels:
        described = {"dims": ("analog",), "shape": (channels,), "rate": rate * subframes, "start": start}
        data["analog"] = (Channel("analog", **described), rng.normal(0, 100, (samples * subframes, channels)))
        labels["analog"] = [f"channel{k}" for k in range(channels)]
        manifest["analog_units"] = [("V", "N", "N m", "m")[k % 4] for k in range(channels)]
    events = [Event(start + 0.25 * k, f"event{k}", {"context": "Left"}) for k in range(3)]
    return Recording.from_arrays(data, events=events, manifest={"labels": labels, "up": "y", **manifest})


def in_float32(values, unit):
    """Return numbers [SI] as a file in that unit [SI] gives them back."""
    return (values / unit).astype(np.float32).astype(np.float64) * unit
