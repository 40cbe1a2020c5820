"""Small OpenSim models as text, put together from parts."""

import pytest

from motiform.base.errors import InputError
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.read import read_osim


def read(folder, text, **options) -> Figure:
    path = folder / "model.osim"
    path.write_text(text, "utf-8")
    return read_osim(path, **options)


def refused(folder, text, **options) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, text, **options)
    return str(caught.value)


def body(name, mass=1.0, inertia="0.1 0.1 0.1 0 0 0", more=""):
    return f'<Body name="{name}"><mass>{mass}</mass><inertia>{inertia}</inertia>{more}</Body>'


def frame(name, parent, shift="0 0 0", turn="0 0 0"):
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{parent}</socket_parent><translation>{shift}</translation>'
        f"<orientation>{turn}</orientation></PhysicalOffsetFrame>"
    )


def joint(kind, name, parent, child, coordinates="", more=""):
    return (
        f'<{kind} name="{name}"><socket_parent_frame>{parent}</socket_parent_frame>'
        f"<socket_child_frame>{child}</socket_child_frame><coordinates>{coordinates}</coordinates>{more}</{kind}>"
    )


def coordinate(name, more=""):
    return f'<Coordinate name="{name}">{more}</Coordinate>'


HIP = joint("PinJoint", "hip", "/ground", "/bodyset/thigh", coordinate("hip"))
KNEE = joint("PinJoint", "knee", "/bodyset/thigh", "/bodyset/shank", coordinate("knee"))


def model(bodies=None, joints=HIP + KNEE, more="", version="40000"):
    bodies = body("thigh") + "\n" + body("shank") if bodies is None else bodies
    return f"""<OpenSimDocument Version="{version}"><Model name="m">{more}
<BodySet name="bodyset"><objects>{bodies}</objects></BodySet>
<JointSet name="jointset"><objects>
{joints}
</objects></JointSet></Model></OpenSimDocument>"""


def custom(axes, coordinates=""):
    transform = f"<SpatialTransform>{axes}</SpatialTransform>"
    return joint("CustomJoint", "hip", "/ground", "/bodyset/thigh", coordinates, transform) + KNEE


def axis(name, coordinates="", function="", direction="0 0 1"):
    return (
        f'<TransformAxis name="{name}"><coordinates>{coordinates}</coordinates><axis>{direction}</axis>{function}'
        "</TransformAxis>"
    )


def coupler(dependent="knee", leading="hip", more=""):
    return f"""<ConstraintSet><objects><CoordinateCouplerConstraint name="c">{more}
<independent_coordinate_names>{leading}</independent_coordinate_names>
<dependent_coordinate_name>{dependent}</dependent_coordinate_name><scale_factor>2</scale_factor>
<coupled_coordinates_function><LinearFunction><coefficients>0.5 0.1</coefficients></LinearFunction>
</coupled_coordinates_function></CoordinateCouplerConstraint></objects></ConstraintSet>"""


def locked(name, value=0.3):
    return coordinate(name, f"<default_value>{value}</default_value><locked>true</locked>")
