"""`motiform wrist`: from the bones of a wrist, as meshes, labels or an image, to poses of rest and a report."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motiform.base.errors import InputError, closest_file
from motiform.cli.shared import AsJson, Overwrite, Quiet, check_not_both, print_line, wrote

if TYPE_CHECKING:
    from motiform.cli.wrist_inputs import Stages
    from motiform.motion.bones import Wrist
    from motiform.record import Recording

_FLEXION, _DEVIATION = "-40:40:5", "-15:15:5"


def wrist(
    source: Annotated[
        Path, typer.Argument(help="A folder of meshes named after bones, a label map, or an image (with --seeds).")
    ],
    flexion: Annotated[
        str | None, typer.Option(help=f"Degrees, FIRST:LAST:STEP or a list; positive towards the palm. [{_FLEXION}]")
    ] = None,
    deviation: Annotated[str | None, typer.Option(help=f"Likewise, positive towards the ulna. [{_DEVIATION}]")] = None,
    driver: Annotated[
        Path | None,
        typer.Option(help="Measured poses of the driven bone instead: .npy (n, 4, 4), or 16 numbers a row."),
    ] = None,
    driven: Annotated[str, typer.Option(help="The bone that is moved, or metacarpals.")] = "capitate",
    load: Annotated[float, typer.Option(help="With which tendons press the hand towards the forearm (N).")] = 0.0,
    cut: Annotated[list[str] | None, typer.Option(help="A ligament, or a group such as scapholunate.")] = None,
    fracture: Annotated[
        list[str] | None,
        typer.Option(metavar="BONE[=SHARE]", help="A bone to break across, at a share of its length from proximal."),
    ] = None,
    fuse: Annotated[list[str] | None, typer.Option(metavar="BONE+BONE", help="Bones that move as one.")] = None,
    remove: Annotated[list[str] | None, typer.Option(metavar="BONE", help="A bone to leave out.")] = None,
    side: Annotated[str | None, typer.Option(help="right or left; the bones decide where they show another.")] = None,
    unit: Annotated[str | None, typer.Option(help="Unit of meshes: m, cm, mm; found by size if not given.")] = None,
    erode: Annotated[float, typer.Option(help="Move surfaces inwards by this (mm).")] = 0.0,
    contact: Annotated[str, typer.Option(help="How bones touch: map, or balls of their medial axes.")] = "map",
    label: Annotated[list[str] | None, typer.Option(metavar="NUMBER=BONE", help="Which label is which bone.")] = None,
    seeds: Annotated[Path | None, typer.Option(help="Points inside each bone of an image (.toml).")] = None,
    spacing: Annotated[float | None, typer.Option(help="Of voxels (mm), for TIFF.")] = None,
    series: Annotated[str | None, typer.Option(help="Series of a DICOM folder that has several.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Coarse maps and points, for a first look.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the results; SOURCE-wrist here if not given.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compute where the bones of a wrist come to rest as the hand is moved, and write a recording and a report."""
    from motiform.cli.wrist_inputs import Stages, input_kind, parse_fracture, read_wrist

    if not source.exists():
        raise InputError("there is no such file or folder", where=str(source), remedy=closest_file(source))
    check_not_both("a run", overwrite, resume)
    if driver is not None and (flexion or deviation):
        raise InputError("give either angles or --driver", got="both", remedy="Leave one of them out.")
    moved = _targets(flexion, deviation, driver)
    broken = [parse_fracture(one) for one in fracture or ()]
    surgery = {"cut": tuple(cut or ()), "fuse": tuple(tuple(x.split("+")) for x in fuse or ()),
               "removed": tuple(remove or ()), "fractured": tuple(fracture or ())}  # fmt: skip
    reading = {"side": side, "unit": unit, "erode": 1e-3 * erode, "label": label, "spacing": spacing, "series": series,
               "quick": quick, "contact": contact}  # fmt: skip
    place = out or Path(f"{source.resolve().name.split('.')[0]}-wrist")
    made_of = [source, *(path for path in (seeds, driver) if path is not None)]
    options = {**reading, **surgery, "flexion": flexion, "deviation": deviation, "driven": driven, "load": load}
    stages = Stages.open(place, made_of, options, resume=resume, overwrite=overwrite)
    if stages.damaged:
        print_line(
            f"motiform: {place}: files of its {stages.damaged} are missing or damaged; it is made again", err=True
        )
    if stages.whole:
        _end(stages, None, as_json, "already done, nothing changed")
        return
    model = _changed(read_wrist(source, input_kind(source, seeds), seeds, reading, stages, quiet), broken, surgery)
    rec = _recording(model, moved, {"driven": driven, "load": load}, surgery, stages, quiet)
    _report(model, rec, source, stages, quiet)
    _end(stages, rec, as_json, "wrote")


def _targets(flexion: str | None, deviation: str | None, driver: Path | None) -> dict[str, Any]:
    """Return the angles or poses that `settle` takes: a sweep of flexion, then one of deviation."""
    import numpy as np

    from motiform.cli.wrist_inputs import parse_angles, read_driver

    if driver is not None:
        return {"driver": read_driver(driver)}
    both = flexion is None and deviation is None
    bent = parse_angles(_FLEXION if both else flexion, "--flexion")
    turned = parse_angles(_DEVIATION if both else deviation, "--deviation")
    angles = [np.concatenate([bent, 0.0 * turned]), np.concatenate([0.0 * bent, turned])]
    return {"flexion": np.deg2rad(angles[0]), "deviation": np.deg2rad(angles[1])}


def _changed(model: "Wrist", broken: list[tuple[str, float]], surgery: dict[str, Any]) -> "Wrist":
    for bone, share in broken:
        model = model.fracture(bone, share)
    model = model.cut(*surgery["cut"]) if surgery["cut"] else model
    for group in surgery["fuse"]:
        model = model.fuse(*group)
    return model.remove(*surgery["removed"]) if surgery["removed"] else model


def _recording(
    model: "Wrist", moved: dict[str, Any], by: dict[str, Any], surgery: dict[str, Any], stages: "Stages", quiet: bool
) -> "Recording":
    """Return the recording: made, and kept with how it is drawn; or the one that is there already."""
    from motiform.base.machine import machine
    from motiform.base.progress import bar
    from motiform.form import looks_of
    from motiform.record import Recording, open_recording
    from motiform.record.files import make_folder

    if "recording" in stages.done:
        return open_recording(stages.out / "wrist.mf")
    make_folder(stages.out)
    with bar(f"maps of {len(model.bones)} bones", quiet=quiet) as progress:
        for n, bone in enumerate(model.bones.values()):
            _ = bone.map
            progress((n + 1) / len(model.bones))
    count = len(next(iter(moved.values())))
    with bar(f"{count} poses of rest", quiet=quiet) as progress:
        rest = model.settle(**moved, **by, progress=progress)
    looks = looks_of(model)
    rec = Recording.from_arrays(
        [rest.channel(name) for name in rest.names], {name: rest[name] for name in rest.names},
        times=rest.time("energy"), events=rest.events, statics=looks.statics(),
        manifest={
            **rest.manifest, **machine(), **looks.manifest(),
            **{key: list(surgery[key]) for key in ("fractured", "cut", "removed")},
        },
    )  # fmt: skip
    rec.save(stages.place() / "wrist.mf", overwrite=True)
    stages.finish("recording", "wrist.mf")
    return rec


def _report(model: "Wrist", rec: "Recording", source: Path, stages: "Stages", quiet: bool) -> None:
    from motiform.base.progress import bar
    from motiform.image.report.wrist import write_wrist_report
    from motiform.image.report.wrist_values import Bends, published_rows

    with bar("report", quiet=quiet):
        write_wrist_report(model, rec, stages.out / "report.html", title=source.resolve().name, overwrite=True)
    bends = Bends(rec)
    keys = ("quantity", "here", "published", "source")
    summary = {
        "side": model.side, "bones": list(model.bones), "ligaments": len(model.ligaments), "poses": len(rec["energy"]),
        "notes": rec.manifest["notes"], "events": [{"sample": int(e.time), "event": e.name, **(e.detail or {})}
                                                   for e in rec.events],
        "extremes": {name: dict(zip(("flexion", "deviation", "pronation"), bends.turn(bends.lead, i).tolist(),
                                    strict=True)) for name, i in bends.bent.items()},
        "beside_published": [dict(zip(keys, row, strict=True)) for row in published_rows(rec, bends)],
    }  # fmt: skip
    (stages.out / "summary.json").write_text(json.dumps(summary, indent=1), "utf-8")
    stages.finish("report", "report.html", "summary.json")


def _end(stages: "Stages", rec: "Recording | None", as_json: bool, verb: str) -> None:
    """Print what there is and where."""
    summary = json.loads((stages.out / "summary.json").read_text("utf-8"))
    if as_json:
        places = {"out": str(stages.out), "recording": str(stages.out / "wrist.mf"),
                  "report": str(stages.out / "report.html")}  # fmt: skip
        print_line(json.dumps({**places, **summary}, indent=1))
        return
    for note in summary["notes"]:
        print_line(f"motiform: {note}", err=True)
    for event in summary["events"]:
        print_line(f"motiform: sample {event['sample']}: {event['event']}: {event.get('problem', '')}", err=True)
    for row in summary["beside_published"]:
        print_line(f"{row['quantity']}: {row['here']} (published: {row['published']}, {row['source']})")
    poses = "1 pose" if summary["poses"] == 1 else f"{summary['poses']} poses"
    if rec is None:
        print_line(f"{verb}: {poses} of a {summary['side']} wrist in {stages.out}")
    else:
        wrote(f"{poses} of a {summary['side']} wrist of {len(summary['bones'])} bones, with a report",
              stages.out)  # fmt: skip
