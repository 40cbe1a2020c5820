"""Films and pictures as files: whole or not at all, and showing the motion."""

import itertools
from dataclasses import replace

import imageio.v3 as iio
import imageio_ffmpeg
import numpy as np
import pytest
from stills import moving

from models import stop_after
from motiform import export, simulate
from motiform.base.errors import InputError, MotiformError, RunError
from motiform.form import dress
from motiform.geometry import Ball, Box
from motiform.image import Camera, film, picture, render
from motiform.image.cast.raycast import Painter
from motiform.image.films import film_times, write_title
from motiform.image.playback import poses_at_sample, poses_at_time
from motiform.spatial import exp_quaternion

SIZE = (64, 36)


@pytest.fixture
def flight():
    """A box that flies one metre to the right and turns half round about y, 5 samples in 1 s."""
    times = np.linspace(0.0, 1.0, 5)
    turns = [exp_quaternion(np.array([0.0, np.pi * t, 0.0])) for t in times]
    return moving(Box((0.5, 0.3, 0.2)), [(t, 0.5, 0.0) for t in times], turns, times)


def frames_of(path):
    reader = imageio_ffmpeg.read_frames(str(path))
    meta = next(reader)
    return meta, [np.frombuffer(frame, np.uint8).reshape(SIZE[1], SIZE[0], 3).astype(int) for frame in reader]


def test_a_film_shows_the_motion(flight, tmp_path):
    done = []
    path = film(flight, tmp_path / "flight.mp4", size=SIZE, fps=10, progress=done.append)
    meta, frames = frames_of(path)
    assert meta["codec"] == "h264"
    assert meta["pix_fmt"].startswith("yuv420p")
    assert meta["fps"] == 10
    assert meta["size"] == SIZE
    assert len(frames) == 11  # t = 0, 0.1, …, 1
    assert done == pytest.approx([(k + 1) / 11 for k in range(11)])
    for before, after in itertools.pairwise(frames):
        # The box moves by a tenth of its way, which spans most of the picture: far more than the coder's noise.
        assert np.abs(after - before).max() > 30
    # Frames are the pictures of their times but for the coder: 8-bit chroma at half size blurs edges, not areas.
    for k in (0, 5, 10):
        assert np.abs(frames[k] - render(flight, time=0.1 * k, size=SIZE)).mean() < 6
    assert list(tmp_path.iterdir()) == [path]


def test_a_body_at_rest_gives_frames_that_stay(tmp_path):
    rest = moving(Ball(0.5), [(0, 0.5, 0)] * 2, [(1, 0, 0, 0)] * 2, [0.0, 0.5])
    _, frames = frames_of(film(rest, tmp_path / "rest.mp4", size=SIZE, fps=10))
    assert np.abs(frames[-1] - frames[0]).max() <= 8  # what the coder changes between a first and a later frame


def test_times_of_the_pictures(flight):
    assert film_times(flight, fps=4) == pytest.approx([0, 0.25, 0.5, 0.75, 1.0])
    assert film_times(flight, fps=4, speed=2) == pytest.approx([0, 0.5, 1.0])
    assert len(film_times(flight, fps=25, speed=0.1)) == 251
    assert film_times(moving(Ball(1), [(0, 0, 0)], [(1, 0, 0, 0)], [3.0])) == pytest.approx([3.0])


def test_between_samples_bodies_move_on_a_line_and_turn_evenly(flight):
    (position, orientation) = poses_at_time(flight, 0.6)[0]
    assert position[0] == pytest.approx([0.6, 0.5, 0.0])
    # The turn is even, so slerp between its samples is the turn itself.
    assert orientation[0] == pytest.approx(exp_quaternion(np.array([0, 0.6 * np.pi, 0])), abs=1e-15)
    for time, sample in ((0.25, 1), (-5.0, 0), (1.0, 4), (9.0, 4)):
        for got, kept in zip(poses_at_time(flight, time)[0], poses_at_sample(flight, sample)[0], strict=True):
            np.testing.assert_array_equal(got, kept)


def test_a_lost_body_stays_lost_between_samples():
    form = moving(Ball(0.5), [(0, 0, 0), (np.nan,) * 3], [(1, 0, 0, 0), (np.nan,) * 4], [0.0, 1.0])
    position, orientation = poses_at_time(form, 0.5)[0]
    assert np.isnan(position).all()
    assert np.isnan(orientation).all()


def test_a_picture_is_the_render(flight, tmp_path):
    path = picture(flight, tmp_path / "end.png", time=0.6, size=SIZE, samples_per_pixel=4)
    np.testing.assert_array_equal(iio.imread(path), render(flight, time=0.6, size=SIZE))
    last = picture(flight, tmp_path / "last.png", size=SIZE, samples_per_pixel=4)
    np.testing.assert_array_equal(iio.imread(last), render(flight, 4, size=SIZE))


def test_a_recording_is_dressed():
    rec = simulate("handle", settings={"scene.duration": 0.1})
    np.testing.assert_array_equal(render(rec, 0, size=SIZE), render(dress(rec), 0, size=SIZE))


@pytest.mark.parametrize("call", [picture, film, export])
def test_only_recordings_and_forms_are_drawn(call, tmp_path):
    suffix = {"picture": ".png", "film": ".mp4", "export": ".glb"}[call.__name__]
    with pytest.raises(InputError, match=r"only recordings and forms can be drawn"):
        call("handle", tmp_path / f"a{suffix}")


def test_a_title_stands_in_the_lower_left_corner():
    plain = np.full((360, 640, 3), 240, np.uint8)
    titled = write_title(plain, "Tumbling handle")
    changed = np.argwhere((titled != plain).any(-1))
    assert len(changed) > 100
    assert changed[:, 0].min() > 0.9 * 360
    assert changed[:, 1].max() < 0.5 * 640
    assert write_title(plain, None) is plain


@pytest.mark.parametrize(("write", "name"), [(film, "a.mp4"), (picture, "a.png")])
def test_the_very_same_is_not_painted_again(flight, tmp_path, write, name, monkeypatch):
    painted = []
    paint = Painter.paint
    monkeypatch.setattr(Painter, "paint", lambda self, *given: painted.append(1) or paint(self, *given))
    path = write(flight, tmp_path / name, size=SIZE)
    first, bits = len(painted), path.read_bytes()
    assert first > 0
    assert write(flight, path, size=SIZE) == path
    assert (len(painted), path.read_bytes()) == (first, bits)
    with pytest.raises(InputError, match="the file exists already"):
        write(flight, path, size=SIZE, samples_per_pixel=2)
    with pytest.raises(InputError, match="the file exists already"):
        write(replace(flight, parts=(replace(flight.parts[0], color=np.ones(3)),)), path, size=SIZE)
    write(flight, path, size=SIZE, overwrite=True)
    assert len(painted) == 2 * first


@pytest.mark.parametrize(("write", "name"), [(film, "a.mp4"), (picture, "a.png")])
def test_nothing_is_overwritten_without_being_asked(flight, tmp_path, write, name):
    path = tmp_path / name
    path.write_bytes(b"precious")
    with pytest.raises(InputError, match="the file exists already"):
        write(flight, path, size=SIZE)
    assert path.read_bytes() == b"precious"
    write(flight, path, size=SIZE, overwrite=True)
    assert path.stat().st_size > 500


def test_an_interrupted_film_leaves_no_half_file(flight, tmp_path):
    stop = stop_after(0.4)
    with pytest.raises(KeyboardInterrupt):
        film(flight, tmp_path / "half.mp4", size=SIZE, progress=stop)
    assert list(tmp_path.iterdir()) == []
    old = tmp_path / "old.mp4"
    old.write_bytes(b"precious")
    with pytest.raises(KeyboardInterrupt):
        film(flight, old, size=SIZE, progress=stop, overwrite=True)
    assert old.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [old]


@pytest.mark.parametrize(
    ("write", "name", "options", "text"),
    [
        (film, "a.avi", {}, r"a.avi: unknown kind of film file \(got '.avi'; allowed: .mp4\). Name it 'a.mp4'"),
        (film, "film", {}, "no suffix"),
        (picture, "a.bmp", {}, "allowed: .png"),
        (film, "no/such/a.mp4", {}, "folder does not exist"),
        (picture, "no/such/a.png", {}, "folder does not exist"),
        (film, "a.mp4", {"size": (63, 36)}, r"even numbers.*Take \(62, 36\)"),
        (film, "a.mp4", {"fps": 0}, "fps must be 0.01 to 1000"),
        (film, "a.mp4", {"speed": -1}, "speed must be above 0"),
        (film, "a.mp4", {"speed": 1e-9}, "Raise the speed"),
    ],
)
def test_wrong_requests_are_named(flight, tmp_path, write, name, options, text):
    with pytest.raises(InputError, match=text):
        write(flight, tmp_path / name, **{"size": SIZE, **options})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("write", "name"), [(film, "motiform.mp4"), (picture, "motiform.png")])
def test_a_folder_that_cannot_be_written_is_reported_before_the_work(flight, write, name):
    done = []
    options = {"progress": done.append} if write is film else {}
    with pytest.raises(InputError, match=f"/proc/{name}: cannot write the file"):
        write(flight, f"/proc/{name}", size=SIZE, camera=Camera((0, 1, 5), (0, 0, 0)), **options)
    assert not done


def test_an_interrupted_film_goes_on_where_it_stopped(flight, tmp_path):
    stop = stop_after(0.4)
    folder = tmp_path / "pictures"
    with pytest.raises(KeyboardInterrupt):
        film(flight, tmp_path / "cut.mp4", size=SIZE, fps=10, frames=folder, progress=stop)
    kept = {file.name: file.stat().st_mtime_ns for file in folder.glob("*.png")}
    assert 3 <= len(kept) < 11
    seen = []
    film(
        flight,
        tmp_path / "cut.mp4",
        size=SIZE,
        fps=10,
        frames=folder,
        progress=lambda fraction: seen.append({file.name: file.stat().st_mtime_ns for file in folder.glob("*.png")}),
    )
    assert kept.items() <= seen[-1].items()  # those kept were not painted again
    assert not folder.exists()
    whole = film(flight, tmp_path / "whole.mp4", size=SIZE, fps=10)
    assert (tmp_path / "cut.mp4").read_bytes() == whole.read_bytes()


def test_pictures_of_another_film_are_not_used(flight, tmp_path):
    def stop(fraction):
        raise KeyboardInterrupt

    folder = tmp_path / "pictures"
    with pytest.raises(KeyboardInterrupt):
        film(flight, tmp_path / "a.mp4", size=SIZE, fps=10, frames=folder, progress=stop)
    first = (folder / "000000.png").read_bytes()
    with pytest.raises(KeyboardInterrupt):
        film(flight, tmp_path / "a.mp4", size=SIZE, fps=10, frames=folder, progress=stop, title="other")
    assert (folder / "000000.png").read_bytes() != first
    other = tmp_path / "mine"
    other.mkdir()
    (other / "notes.txt").write_text("keep")
    with pytest.raises(MotiformError, match="other things"):
        film(flight, tmp_path / "b.mp4", size=SIZE, fps=10, frames=other)
    assert (other / "notes.txt").read_text() == "keep"


@pytest.fixture
def failing_ffmpeg(tmp_path_factory, monkeypatch):
    """An encoder that takes some bytes, complains as ffmpeg does on a full disk, and fails."""
    script = tmp_path_factory.mktemp("bin") / "ffmpeg"
    script.write_text("#!/bin/sh\nhead -c 100 >/dev/null\necho '[mp4 @ 0x1] No space left' >&2\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: str(script))


@pytest.mark.usefixtures("failing_ffmpeg")
def test_an_encoder_that_fails_is_reported_in_our_words_alone(flight, tmp_path, capfd):
    folder = tmp_path / "pictures"
    with pytest.raises(
        RunError, match=r"a.mp4: cannot write the file: ffmpeg: No space left. .*'.*pictures'.*--resume"
    ):
        film(flight, tmp_path / "a.mp4", size=SIZE, frames=folder)
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == [folder]
    assert list(folder.glob("*.png"))


def test_pictures_that_cannot_be_kept_are_reported_with_what_to_do(flight, tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(iio, "imwrite", full)
    with pytest.raises(RunError, match=r"pictures: cannot write pictures: No space left on device\. .*--resume"):
        film(flight, tmp_path / "a.mp4", size=SIZE, frames=tmp_path / "pictures")


def test_a_broken_pipe_of_the_caller_is_not_taken_for_the_encoders(flight, tmp_path):
    def leave(fraction):
        raise BrokenPipeError

    with pytest.raises((BrokenPipeError, MotiformError)):
        film(flight, tmp_path / "a.mp4", size=SIZE, fps=10, progress=leave)
    assert list(tmp_path.iterdir()) == []


def test_a_colon_in_the_name_is_part_of_the_name(flight, tmp_path):
    assert film(flight, tmp_path / "x:y.mp4", size=SIZE, fps=5).stat().st_size > 0


def test_a_damaged_picture_is_painted_anew(flight, tmp_path):
    stop = stop_after(0.3)
    folder = tmp_path / "pictures"
    with pytest.raises(KeyboardInterrupt):
        film(flight, tmp_path / "a.mp4", size=SIZE, fps=10, frames=folder, progress=stop)
    (folder / "000000.png").write_bytes(b"")
    film(flight, tmp_path / "a.mp4", size=SIZE, fps=10, frames=folder)
    assert (tmp_path / "a.mp4").read_bytes() == film(flight, tmp_path / "b.mp4", size=SIZE, fps=10).read_bytes()


def test_a_missing_encoder_is_named_before_the_work(flight, tmp_path, monkeypatch):
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", "/nonexistent/ffmpeg")
    with pytest.raises(MotiformError, match="ffmpeg is needed"):
        film(flight, tmp_path / "a.mp4", size=SIZE, frames=tmp_path / "pictures")
    assert list(tmp_path.iterdir()) == []


def test_a_film_has_the_sound_of_its_recording(tmp_path):
    import subprocess

    from imageio_ffmpeg import get_ffmpeg_exe

    from motiform.form import dress
    from motiform.motion.matter import NetworkBuilder, Sound, links
    from motiform.scene import simulate

    b = NetworkBuilder(frequency=11025.0)
    nail, mass = b.fixed("nail", [0, 1, 0]), b.masses("mass", [[0, 0.5, 0]], 0.1)
    b.link("spring", (nail, mass), links.spring(1e5, rest=0.45))
    rec = simulate(b.build(), t1=0.4, rate=25.0, sound=Sound(["mass"]))
    path = film(dress(rec), tmp_path / "spring.mp4", size=(64, 48), samples_per_pixel=1, sound=rec)
    described = subprocess.run([get_ffmpeg_exe(), "-i", path, "-f", "null", "-"], capture_output=True, text=True).stderr
    assert "Audio: aac" in described
    assert "11025 Hz" in described
    assert "Duration: 00:00:00.4" in described  # eleven pictures of 40 ms, and 0.4 s of sound in frames of 1024
