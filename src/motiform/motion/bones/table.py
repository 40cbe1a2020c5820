"""The ligaments of the wrist: between which places, how stiff, over which bones.

There is no ulnar collateral ligament among them: tendons do what it would do [Kauer79].
Places follow the descriptions of [Berger97], [Nagao05] and [Viegas99]; the parts of the interosseous ligaments and
their strengths [Berger99]. Stiffness is that of the whole ligament, in the range that models of the wrist use,
40 to 350 N/mm [Fischli09].
"""

from dataclasses import dataclass
from typing import Literal

from motiform.motion.bones.landmarks import Place

__all__ = ["LIGAMENTS", "Course"]


@dataclass(frozen=True)
class Course:
    """A ligament of any wrist."""

    title: str
    """The group, then a dot and the part: "scapholunate.dorsal"."""
    start: Place
    end: Place
    stiffness: float
    """Of all fibres together [N/m]."""
    width: float = 4e-3
    """Over which its fibres are spread [m]."""
    over: tuple[str, ...] = ()
    """Bones that it may lie on, two at most."""
    toe: float = 0.01
    """Share of the stiffness with which it pulls from its neutral length on."""
    taut: Literal["extension", "flexion"] | None = None
    """In which bending of the hand it is stretched: in a scan bent that way it has less slack left."""

    @property
    def name(self) -> str:
        """Group and part in one word: "scapholunate_dorsal"."""
        return self.title.replace(".", "_")

    @property
    def group(self) -> str:
        """All parts together: "scapholunate"."""
        return self.title.split(".")[0]


def _facing(
    name: str, a: str, b: str, at: tuple[float | None, ...], stiffness: float, width: float = 4e-3, back: float = 2e-3,
    toe: float = 0.01,
) -> Course:  # fmt: skip
    """A short ligament across a joint, from a distance `back` [m] behind its edge to the same on the other side."""
    d, r, p = at
    ends = Place(a, (d, r, p), facing=b, back=back), Place(b, (d, r, p), facing=a, back=back)
    return Course(name, *ends, stiffness * 1e3, width, toe=toe)


def _long(
    name: str, start: Place, end: Place, stiffness: float, width: float = 6e-3, over: tuple[str, ...] = (),
    taut: Literal["extension", "flexion"] | None = None,
) -> Course:  # fmt: skip
    return Course(name, start, end, stiffness * 1e3, width, over, taut=taut)


_PALMAR_RADIUS = Place("radius", (None, 0.75, 0.75), near="scaphoid")
_DORSAL_RADIUS = Place("radius", (None, -0.2, -0.85), near="lunate")

LIGAMENTS: tuple[Course, ...] = (
    # palmar, from the forearm
    _long("radioscaphocapitate", _PALMAR_RADIUS, Place("capitate", (-0.1, 0.1, 0.9)), 50, over=("scaphoid",),
          taut="extension"),
    _long("radioscaphoid", Place("radius", (None, 0.95, 0.4), near="scaphoid"), Place("scaphoid", (0.3, 0.8, 0.3)), 50,
          taut="extension"),
    _long("long_radiolunate", Place("radius", (None, 0.4, 0.9), near="scaphoid"), Place("lunate", (0.1, 0.4, 0.9)), 75,
          over=("scaphoid",), taut="extension"),
    _long("short_radiolunate", Place("radius", (None, -0.4, 0.9), near="lunate"), Place("lunate", (-0.1, -0.2, 0.9)),
          75, taut="extension"),
    _long("ulnolunate", Place("ulna", (0.9, 0.3, 0.7)), Place("lunate", (-0.1, -0.6, 0.8)), 40),
    _long("ulnotriquetral", Place("ulna", (0.9, -0.2, 0.7)), Place("triquetrum", (-0.4, 0.0, 0.7)), 40),
    _long("ulnocapitate", Place("ulna", (0.9, 0.2, 0.7)), Place("capitate", (-0.1, -0.1, 0.9)), 40,
          over=("lunate", "triquetrum")),
    _long("ulnopisiform", Place("ulna", (0.9, -0.9, 0.0)), Place("pisiform", (-0.8, -0.3, 0.0)), 25, 3e-3),
    # dorsal
    _long("dorsal_radiocarpal.triquetrum", _DORSAL_RADIUS, Place("triquetrum", (-0.2, 0.1, -0.9)), 75,
          over=("lunate",), taut="flexion"),
    _long("dorsal_radiocarpal.lunate", _DORSAL_RADIUS, Place("lunate", (-0.2, 0.0, -0.9)), 40, taut="flexion"),
    _long("dorsal_intercarpal.scaphoid", Place("triquetrum", (0.1, 0.2, -0.9)), Place("scaphoid", (0.1, 0.1, -0.9)), 75,
          over=("lunate", "capitate")),
    _long("dorsal_intercarpal.trapezoid", Place("triquetrum", (0.3, 0.2, -0.9)), Place("trapezoid", (-0.4, 0.2, -0.9)),
          50, over=("capitate", "scaphoid")),
    # between the bones of the proximal row
    _facing("scapholunate.dorsal", "scaphoid", "lunate", (0.2, None, -0.9), 230),
    _facing("scapholunate.palmar", "scaphoid", "lunate", (0.0, None, 0.9), 120),
    _facing("scapholunate.proximal", "scaphoid", "lunate", (-0.9, None, 0.0), 60),
    _facing("lunotriquetral.dorsal", "lunate", "triquetrum", (0.0, None, -0.9), 120),
    _facing("lunotriquetral.palmar", "lunate", "triquetrum", (0.0, None, 0.9), 230),
    _facing("lunotriquetral.proximal", "lunate", "triquetrum", (-0.9, None, 0.0), 60),
    # between the rows
    _facing("scaphocapitate", "scaphoid", "capitate", (0.6, None, 0.9), 100, back=3e-3),
    _facing("scaphotrapezium.palmar", "scaphoid", "trapezium", (None, 0.0, 0.9), 100, back=3e-3),
    _facing("scaphotrapezium.radial", "scaphoid", "trapezium", (None, 0.9, 0.0), 75, back=3e-3),
    _facing("scaphotrapezoid", "scaphoid", "trapezoid", (None, 0.0, 0.9), 75, back=3e-3),
    _facing("triquetrohamate.palmar", "triquetrum", "hamate", (None, 0.0, 0.9), 100, back=3e-3),
    _facing("triquetrohamate.dorsal", "triquetrum", "hamate", (None, 0.0, -0.9), 50, back=3e-3),
    _long("triquetrocapitate", Place("triquetrum", (0.6, 0.6, 0.6)), Place("capitate", (-0.1, -0.5, 0.9)), 75,
          over=("hamate",)),
    # of the pisiform, which the tendon of a muscle keeps on its joint: hence their toe
    _facing("pisotriquetral.radial", "pisiform", "triquetrum", (None, 0.9, 0.0), 50, 3e-3, toe=0.1),
    _facing("pisotriquetral.ulnar", "pisiform", "triquetrum", (None, -0.9, 0.0), 50, 3e-3, toe=0.1),
    _facing("pisotriquetral.proximal", "pisiform", "triquetrum", (-0.9, 0.0, 0.0), 50, 3e-3, toe=0.1),
    _facing("pisotriquetral.distal", "pisiform", "triquetrum", (0.9, 0.0, 0.0), 50, 3e-3, toe=0.1),
    _long("pisohamate", Place("pisiform", (0.8, 0.4, 0.2)), Place("hamate", (0.2, None, 1.0)), 100, 2e-3),
    _long("pisometacarpal", Place("pisiform", (0.9, 0.0, 0.2)), Place("metacarpal5", (None, 0.0, 0.9), near="hamate"),
          75, 3e-3),
    _long("transverse_carpal.proximal", Place("pisiform", (0.0, 0.8, 0.5)), Place("scaphoid", (0.6, None, 1.0)), 75),
    _long("transverse_carpal.distal", Place("hamate", (0.2, None, 1.0)), Place("trapezium", (0.0, None, 1.0)), 150),
    # between the bones of the distal row
    *(
        _facing(f"{name}.{part}", a, b, (0.0, None, p), 200)
        for name, a, b in (
            ("trapeziotrapezoid", "trapezium", "trapezoid"),
            ("capitotrapezoid", "trapezoid", "capitate"),
            ("capitohamate", "capitate", "hamate"),
        )
        for part, p in (("palmar", 0.9), ("dorsal", -0.9), ("deep", 0.0))
    ),
    # to the metacarpals
    *(
        _facing(f"carpometacarpal{n}.{part}", bone, f"metacarpal{n}", (None, 0.0, p), k, back=3e-3)
        for n, bone, k in ((1, "trapezium", 75), (2, "trapezoid", 150), (3, "capitate", 150), (4, "hamate", 150),
                           (5, "hamate", 100))
        for part, p in (("palmar", 0.9), ("dorsal", -0.9))
    ),
    _facing("carpometacarpal1.radial", "trapezium", "metacarpal1", (None, 0.9, 0.0), 75),
    _facing("carpometacarpal1.ulnar", "trapezium", "metacarpal1", (None, -0.9, 0.0), 75),
    _facing("carpometacarpal2.trapezium", "trapezium", "metacarpal2", (None, None, 0.5), 100),
    _facing("carpometacarpal2.capitate", "capitate", "metacarpal2", (None, None, 0.0), 100),
    *(
        _facing(f"intermetacarpal{n}{n + 1}", f"metacarpal{n}", f"metacarpal{n + 1}", (None, None, p), 150)
        for n in (2, 3, 4)
        for p in (0.0,)
    ),
)  # fmt: skip
