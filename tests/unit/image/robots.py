"""Two robots as files with z up: one that stands on legs, and a pendulum."""

WALKER = """<mujoco model="walker"><worldbody>
  <body name="trunk"><freejoint name="root"/>
    <geom type="box" size="0.25 0.12 0.06" mass="8" rgba="0.8 0.5 0.2 1"/>
    <body name="head" pos="0.3 0 0.12"><geom type="sphere" size="0.09" mass="1" rgba="0.2 0.4 0.8 1"/></body>
    {legs}
  </body></worldbody></mujoco>"""
LEG = """<body name="{name}" pos="{x} {y} -0.05"><joint name="{name}_hip" axis="0 1 0" damping="1"/>
  <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.3" mass="0.6" rgba="{color} 1"/></body>"""
LEGS = {"fl": (0.2, 0.12), "fr": (0.2, -0.12), "bl": (-0.2, 0.12), "br": (-0.2, -0.12)}
HEIGHT = 0.381
"""[m] Of the trunk's middle when it stands, a millimetre above its feet."""

PENDULUM = """<robot name="pendulum">
  <link name="post"><visual><origin xyz="0 0 0.6"/><geometry><box size="0.1 0.3 1.2"/></geometry></visual></link>
  <link name="rod"><inertial><origin xyz="0 0 -0.4"/><mass value="1"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 -0.25"/><geometry><cylinder radius="0.02" length="0.5"/></geometry></visual>
    <visual><origin xyz="0 0 -0.5"/><geometry><sphere radius="0.08"/></geometry></visual></link>
  <joint name="swing" type="continuous"><origin xyz="0.1 0 1.1"/><parent link="post"/><child link="rod"/>
    <axis xyz="1 0 0"/></joint>
</robot>"""


def walker(folder, up=None):
    """Return a recording of the walker that lands on level ground, its file's z or another axis up."""
    from motiform.motion.contact import ContactPoint, Contacts, plane
    from motiform.motion.tree.read import read_mjcf
    from motiform.scene import simulate

    colors = {"r": "0.8 0.1 0.1", "l": "0.3 0.3 0.35"}
    legs = [LEG.format(name=name, x=x, y=y, color=colors[name[1]]) for name, (x, y) in LEGS.items()]
    (folder / "walker.xml").write_text(WALKER.format(legs="".join(legs)), "utf-8")
    figure = read_mjcf(folder / "walker.xml", up=up)
    feet = tuple(ContactPoint(f"{name}_foot", name, (0, 0, -0.3), radius=0.03) for name in LEGS)
    q0 = figure.neutral()
    q0[2] = HEIGHT  # q is that of the file
    contacts = Contacts(feet, (plane(name="floor", normal=figure.up),))
    options = {"t1": 0.04, "rate": 50, "integrator": "time-stepping", "step": 1e-3}
    return simulate(figure, q0=q0, contacts=contacts, **options)


def pendulum(folder, up=None, **options):
    """Return a recording of the pendulum, likewise."""
    from motiform.motion.tree.read import read_urdf
    from motiform.scene import simulate

    (folder / "pendulum.urdf").write_text(PENDULUM, "utf-8")
    return simulate(read_urdf(folder / "pendulum.urdf", up=up, **options), q0=[1.0], t1=0.2, rate=20)
