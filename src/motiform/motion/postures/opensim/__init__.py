"""Set-up files of OpenSim: external loads, weights and tasks of inverse kinematics, scaling."""
