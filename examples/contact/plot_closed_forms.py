"""Which contact problems have an answer, and how near do runs come to it?
=======================================================================

Twelve problems of rigid contact whose motion is known, run by both integrators:

- **turntable**: a ball that rolls on a table turning at Ω (a prescribed motion) circles at 2/7 Ω;
- **tube**: a ball that rolls around inside a vertical tube at Ω does not fall: its height oscillates at √(2/7) Ω;
- **disc**: a disc that rolls about a centre at rest, at a tilt α, precesses at √(4 g / (a sin α));
- **slide to roll**: a ball thrown along the floor rolls after 2 v / (7 μ g);
- **cradle**: four balls in a row are hit by one. With gaps the last one leaves with all of the speed. Without gaps all
  impacts are one problem, whose answer keeps momentum and energy;
- **stack**: the lowest of four equal boxes carries four weights;
- **two fingers**: a beam rests on two fingers that approach each other, held by the nearer one, until both are equally
  far from its middle;
- **Painlevé's rod**: a rod slides on its tip, with a friction below the critical one;
- **kerb**: a cylinder of radius R rolls against a kerb of height h, and up its edge with 1 − 2 h/(3 R) of its speed;
- **wedge**: a cylinder rolls down a wedge that slides on the floor without friction;
- **egg**: an ellipsoid with radii a > b > 0 rocks at √(5 g (a² − b²) / (b (a² + 6 b²))), nearly at rest.

Event-driven runs agree with the closed forms to the tolerance of the integrator. The error of time-stepping falls with
the step, at least as fast: the ball on the turntable is of second order. What rests, and impacts that are apart by
more than a step, it solves at any step.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

import motiform as mf
from motiform import contact, joints
from motiform.geometry import Ball, Box, Cylinder, Ellipsoid, Mesh
from motiform.image import show_pictures
from motiform.motion.actuation import PrescribedMotion
from motiform.motion.stepping import add_body, start_bodies
from motiform.motion.tree import joint_velocity

G, R, Y = 9.81, 0.05, np.array([0.0, 1.0, 0.0])
BALL = Ball(R).mass_properties(density=1000.0)


def run(figure, contacts, q, v, t1, step, **more):
    """Run with time-stepping by a step [s], or event-driven without one; return the recording of 20 samples."""
    options = {"integrator": "dormand-prince"} if step is None else {"integrator": "time-stepping", "step": step}
    return mf.simulate(figure, contacts=contacts, q0=q, v0=v, t1=t1, rate=20 / t1, **options, **more)


def rolling(velocity, under, at=-R * Y):
    """Return the spin of a ball with a velocity whose point `at` has the velocity of what is under it."""
    return np.cross(np.asarray(under, float) - velocity, at) / -(R * R)


def ball_on(obstacle, place, velocity, spin, *, friction, segments=()):
    """Return figure, contacts, q and v of a ball."""
    b = mf.FigureBuilder()
    for name, joint, mass in segments:
        b.segment(name, None, joint, mass=mass, inertia=0.1 * np.eye(3))
    b.segment("ball", None, joints.free(), mass=BALL, shape=Ball(R))
    figure = b.build()
    contacts = contact.Contacts(contact.points_of_shape(figure, "ball", friction=friction), obstacle)
    q = figure.configuration(ball=[*place, 1, 0, 0, 0])
    return figure, contacts, q, joint_velocity(figure, q, "ball", velocity=velocity, spin=spin)


def turntable(step):
    speed, u, t1 = 3.5, 0.1, 1.0
    spin = rolling((u, 0, 0), speed * np.cross(Y, (0.2, 0, 0)))
    top = contact.plane(segment="table", name="top")
    figure, contacts, q, v = ball_on(
        top, (0.2, R, 0), (u, 0, 0), spin, friction=1.0, segments=[("table", joints.revolute(Y), 4.0)]
    )
    rec = run(figure, contacts, q, v, t1, step, prescribed=PrescribedMotion("table", speed=speed))
    w, t = 2 / 7 * speed, rec.time("q")
    exact = np.stack([0.2 + u / w * np.sin(w * t), R + 0 * t, -u / w * (1 - np.cos(w * t))], axis=1)
    return np.abs(rec["ball.position"] - exact).max() / (u * t1)


def tube(step):
    turn, wide, t1 = 8.0, 0.25, 0.5  # rad/s of the ball about the axis, m
    b = wide - R
    velocity = b * turn * np.cross(Y, (1, 0, 0))
    spin = rolling(velocity, (0, 0, 0), at=np.array([R, 0, 0]))
    rec = run(*ball_on(contact.tube(wide), (b, 0, 0), velocity, spin, friction=None), t1, step)
    slow, deep = turn * np.sqrt(2 / 7), 5 * G / (2 * turn**2)
    exact = -deep * (1 - np.cos(slow * rec.time("q")))
    return np.abs(rec["ball.position"][:, 1] - exact).max() / deep


def disc(step):
    a, tilt, t1 = 0.1, 0.5, 0.4
    b = mf.FigureBuilder()
    b.segment("disc", None, joints.free(), mass=1.0, inertia=a * a * np.diag([0.25, 0.25, 0.5]))
    figure = b.build()
    ring = contact.ring_point("rim", "disc", (0, 0, 0), a, friction=None)
    turn = mf.Transform.from_euler((-np.pi / 2 + tilt,), "x").rotation  # its axis z is tilted from the vertical
    low = turn @ (0, 1, 0)
    low *= np.sign(-low[1])  # from the centre to where it touches: both are at rest, so it turns about this line
    q = figure.configuration(disc=[0, a * np.sin(tilt), 0, *mf.spatial.quaternion_from_rotation(turn)])
    precession = np.sqrt(4 * G / (a * np.sin(tilt)))
    v = joint_velocity(figure, q, "disc", velocity=(0, 0, 0), spin=precession * np.sin(tilt) * low)
    rec = run(figure, contact.Contacts((ring,), contact.floor()), q, v, t1, step)
    axis = mf.spatial.rotate(rec["disc.orientation"], np.array([0.0, 0.0, 1.0]))
    way = np.unwrap(np.arctan2(axis[:, 0], axis[:, 2]))
    return np.abs(np.abs(way - way[0]) - precession * rec.time("q")).max() / (precession * t1)


def slide_to_roll(step):
    u, mu = 2.0, 0.2
    rec = run(*ball_on(contact.floor(), (0, R, 0), (u, 0, 0), (0, 0, 0), friction=mu), 0.5, step)
    t, until = rec.time("q"), 2 * u / (7 * mu * G)
    early = np.minimum(t, until)
    exact = u * early - 0.5 * mu * G * early**2 + 5 / 7 * u * (t - early)
    return np.abs(rec["ball.position"][:, 0] - exact).max() / exact[-1]


def cradle(step, gap):
    """Return the error of the speeds with gaps, which take 5 ms each, without them that of momentum and energy."""
    places = [-0.02, *((k + 1) * (2 * R + gap) for k in range(4))]
    bodies = [mf.Body(f"b{k}", BALL, Ball(R), (x, 0, 0), velocity=(float(k == 0), 0, 0)) for k, x in enumerate(places)]
    builder = mf.FigureBuilder(gravity=(0, 0, 0))
    for body in bodies:
        add_body(builder, body)
    figure = builder.build()
    q, v = start_bodies(figure, bodies)
    rec = run(figure, contact.solid_contacts(figure, restitution=1.0, friction=0.0), q, v, 0.2, step)
    last = rec["v"][-1].reshape(5, 6)[:, 3]
    if gap:
        return np.abs(last - (0, 0, 0, 0, 1)).max()
    return max(abs(last.sum() - 1), abs((last**2).sum() - 1))


def stack(step):
    box = Box((0.2, 0.1, 0.2))
    bodies = [mf.Body(f"b{k}", box.mass_properties(density=500.0), box, (0, 0.05 + 0.1 * k, 0)) for k in range(4)]
    builder = mf.FigureBuilder()
    for body in bodies:
        add_body(builder, body)
    figure = builder.build()
    q, v = start_bodies(figure, bodies)
    rec = run(figure, contact.solid_contacts(figure, contact.floor(), friction=0.5), q, v, 0.1, step)
    weight = box.volume * 500.0 * G
    return np.abs(rec["contact.force"][1:, :, 1] / (weight * np.arange(4, 0, -1)) - 1).max()


def two_fingers(step):
    far, near, u = 0.4, 0.2, 0.25  # m from the middle of the beam, m/s
    b = mf.FigureBuilder()
    for name, at in (("left", -far), ("right", near)):
        place = mf.Transform.translation_of((at, -0.02, 0))
        b.segment(name, None, joints.prismatic((1, 0, 0)), placement=place, mass=0.1)
    beam = Box((1.2, 0.04, 0.05))
    b.segment("beam", None, joints.free(), mass=beam.mass_properties(density=700.0), shape=beam)
    figure = b.build()
    under = contact.obstacles_of_shape(figure, "beam")
    ends = [
        contact.ContactPoint(f"{side}.{z}", side, (0, 0, z), 0.02, friction=0.4)
        for side in ("left", "right")
        for z in (-0.02, 0.02)
    ]
    moves = [PrescribedMotion("left", speed=u), PrescribedMotion("right", speed=-u)]
    q = figure.configuration(beam=[0, 0.02, 0, 1, 0, 0, 0])
    v = joint_velocity(figure, q, "beam", velocity=(-u, 0, 0), spin=(0, 0, 0))
    until = (far - near) / (2 * u)  # then both are as far from the middle
    rec = run(figure, contact.Contacts(tuple(ends), under), q, v, 0.9 * until, step, prescribed=moves)
    return np.abs(rec["beam.position"][:, 0] + u * rec.time("q")).max() / (u * until)


def painleve(step):
    half, mu, tilt, t1 = 0.5, 0.5, 1.0, 0.1
    b = mf.FigureBuilder()
    b.segment("rod", None, joints.free(), mass=1.0, inertia=np.diag([1e-4, 1 / 3, 1 / 3]) * half**2)
    figure = b.build()
    tip = contact.ContactPoint("tip", "rod", (-half, 0, 0), friction=mu)
    q = figure.configuration(rod=[0, half * np.sin(tilt), 0, np.cos(tilt / 2), 0, 0, np.sin(tilt / 2)])
    v = joint_velocity(figure, q, "rod", velocity=(1.5, 0, 0), spin=(0, 0, 0))
    rec = run(figure, contact.Contacts((tip,), contact.floor()), q, v, t1, step)

    def rates(t, y):
        _, a, dx, w = y  # place of the middle, tilt, and their rates
        s, c, i = half * np.sin(a), half * np.cos(a), half**2 / 3
        # ÿ = N − g, θ̈ I = −N c − μ N s, and the tip stays on the floor: y = half sin θ
        n = (G - s * w * w) / (1 + c * (c + mu * s) / i)
        return [dx, w, -mu * n, -n * (c + mu * s) / i]

    t = rec.time("q")
    exact = solve_ivp(rates, (0, t1), [0, tilt, 1.5, 0], t_eval=t, rtol=1e-11, atol=1e-12).y
    return np.abs(rec["rod.position"][:, :2] - np.stack([exact[0], half * np.sin(exact[1])], axis=1)).max() / half


def solids(bodies, obstacles, friction):
    """Return figure, contacts, q and v of bodies that touch as solids."""
    builder = mf.FigureBuilder()
    for body in bodies:
        add_body(builder, body)
    figure = builder.build()
    return figure, contact.solid_contacts(figure, obstacles, friction=friction), *start_bodies(figure, bodies)


def kerb(step):
    radius, h, u, t1 = 0.2, 0.05, 1.2, 0.1
    across = mf.Transform.from_euler((np.pi / 2,), "x").rotation  # its axis along z
    edge = -np.sqrt(radius**2 - (radius - h) ** 2)  # of the axis where it strikes, half of t1 after the start
    wheel, place = Cylinder(radius, 0.2), (edge - 0.5 * t1 * u, radius, 0)
    mass = wheel.mass_properties(density=1000.0)
    body = mf.Body("wheel", mass, wheel, place, across, velocity=(u, 0, 0), spin=(0, -u / radius, 0))
    block = contact.box((1.0, h, 1.0), placement=mf.Transform.translation_of((0.5, h / 2, 0)), name="kerb")
    rec = run(*solids([body], (contact.floor(), block), None), t1, step)
    t = rec.time("q")
    late, start = t[t > 0.5 * t1], [np.arcsin(edge / radius), u / radius * (1 - 2 * h / (3 * radius))]

    def rates(t, y):
        return [y[1], 2 * G / (3 * radius) * np.sin(y[0])]  # about the edge, from the vertical

    a = solve_ivp(rates, (0.5 * t1, t1), start, t_eval=late, rtol=1e-11, atol=1e-12).y[0]
    exact = np.stack([radius * np.sin(a), h + radius * np.cos(a)], axis=1)
    return np.abs(rec["wheel.position"][t > 0.5 * t1, :2] - exact).max() / (u * t1)


def wedge(step):
    slope, radius, t1 = 0.5, 0.08, 0.3
    rise, depth = np.tan(slope), 0.2
    ends = [(0, 0), (1, 0), (0, rise)]
    corners = np.array([(x, y, z) for z in (-depth, depth) for x, y in ends], float)
    faces = np.array([[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [0, 3, 5], [0, 5, 2], [1, 2, 5], [1, 5, 4]])
    prism, roller = Mesh(corners, faces), Cylinder(radius, depth)
    down, out = np.array([np.cos(slope), -np.sin(slope), 0]), np.array([np.sin(slope), np.cos(slope), 0])
    place = np.array([0, rise, 0]) + 0.3 * down + radius * out
    across = mf.Transform.from_euler((np.pi / 2,), "x").rotation
    bodies = [
        mf.Body("wedge", prism.mass_properties(density=1000.0), prism, (0, 0, 0)),
        mf.Body("roller", roller.mass_properties(density=1000.0), roller, place, across),
    ]
    rec = run(*solids(bodies, contact.floor(friction=0.0), 1.0), t1, step)
    m, both = bodies[1].properties.mass, sum(body.properties.mass for body in bodies)
    along = G * np.sin(slope) / (1.5 - m * np.cos(slope) ** 2 / both)
    back = -m * np.cos(slope) * along / both
    way = along * down + back * np.array([1.0, 0, 0])
    exact = place + 0.5 * np.outer(rec.time("q") ** 2, way)
    return np.abs(rec["roller.position"] - exact).max() / (0.5 * t1**2 * along)


def egg(step):
    a, b, tilt = 0.1, 0.06, 1e-4
    shape = Ellipsoid((a, b, a))
    height = np.hypot(a * np.sin(tilt), b * np.cos(tilt))
    turn = mf.Transform.from_euler((tilt,), "z").rotation
    body = mf.Body("egg", shape.mass_properties(density=1000.0), shape, (0, height, 0), turn)
    w = np.sqrt(5 * G * (a * a - b * b) / (b * (a * a + 6 * b * b)))
    rec = run(*solids([body], contact.floor(), None), 2 * np.pi / w, step)
    angle = 2 * np.arctan2(rec["egg.orientation"][:, 3], rec["egg.orientation"][:, 0])
    return np.abs(angle - tilt * np.cos(w * rec.time("q"))).max() / tilt


PROBLEMS = {
    "turntable": turntable, "tube": tube, "disc": disc, "slide to roll": slide_to_roll,
    "cradle with gaps": lambda step: cradle(step, 5e-3), "cradle without gaps": lambda step: cradle(step, 0.0),
    "stack": stack, "two fingers": two_fingers, "Painlevé's rod": painleve, "kerb": kerb, "wedge": wedge, "egg": egg,
}  # fmt: skip
AT_ONCE = ("cradle with gaps", "cradle without gaps", "stack", "two fingers")  # with time-stepping exact at any step


def main(quick=False):
    steps = (2e-3, 1e-3) if quick else (4e-3, 2e-3, 1e-3, 5e-4)
    return {name: {step: problem(step) for step in (None, *steps)} for name, problem in PROBLEMS.items()}


def check(result):
    for name, errors in result.items():
        assert errors[None] < 1e-7, (name, errors[None])
        *_, coarse, fine = (error for step, error in errors.items() if step)
        if name in AT_ONCE:
            assert coarse < 1e-5, (name, coarse)
        else:  # first order or better, with some room for higher powers of the step
            assert fine < 0.05, (name, fine)
            assert coarse / fine > 1.6, (name, coarse, fine)


def draw(result, folder):
    chart = Figure(figsize=(9, 4.2), layout="constrained")
    left, right = chart.subplots(1, 2, width_ratios=(3, 2))
    for name, errors in result.items():
        steps = [step for step in errors if step]
        if name not in AT_ONCE:
            left.loglog(steps, [errors[step] for step in steps], "o-", markersize=3, linewidth=1, label=name)
    left.set(xlabel="step", ylabel="error over the size of the motion", title="time-stepping")
    left.legend(frameon=False, fontsize=7, ncols=3, loc="center", bbox_to_anchor=(0.38, 0.44))
    left.set_xticks(steps, [f"{1e3 * step:g} ms" for step in steps], minor=False)
    left.set_xticks([], minor=True)
    names = list(result)
    best = [max(result[name][None], 1e-17) for name in names]
    right.barh(names, best, left=1e-17, color="#0072B2")
    rest = [name for name in names if name in AT_ONCE]
    right.plot(
        [max(result[n][min(filter(None, result[n]))], 1e-17) for n in rest], rest, "o", color="#D55E00",
        label="time-stepping, at any step",
    )  # fmt: skip
    right.set(xscale="log", xlim=(1e-17, 1e-3), xlabel="error", title="event-driven")
    right.invert_yaxis()
    right.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.4, -0.14))
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "errors.png", dpi=150)
    return [folder / "errors.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
