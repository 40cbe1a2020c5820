"""The references cited in the code.

A comment ``# [Zara 3.2]`` where an equation is computed names the document by one of these keys and the place in it;
``corrected`` after the place marks a corrected misprint.
"""

from motiform.base.errors import InputError, closest

__all__ = ["REFERENCES", "cite"]

REFERENCES: dict[str, str] = {
    "Baker01": "R. Baker, Pelvic angles: a mathematically rigorous definition which is consistent with a conventional "
    "clinical understanding of the terms, Gait Posture 13 (2001) 1–6. doi:10.1016/S0966-6362(00)00083-7",
    "Bell90": "A. L. Bell, D. R. Pedersen, R. A. Brand, A comparison of the accuracy of several hip center location "
    "prediction methods, J. Biomech. 23 (1990) 617–621. doi:10.1016/0021-9290(90)90054-7",
    "BaranPopovic07": "I. Baran, J. Popović, Automatic rigging and animation of 3D characters, ACM Trans. Graph. 26 "
    "(2007) 72. doi:10.1145/1276377.1276467",
    "Kraichnan70": "R. H. Kraichnan, Diffusion by a random velocity field, Phys. Fluids 13 (1970) 22–31. "
    "doi:10.1063/1.1692799",
    "Fung92": "J. C. H. Fung, J. C. R. Hunt, N. A. Malik, R. J. Perkins, Kinematic simulation of homogeneous "
    "turbulence by unsteady random Fourier modes, J. Fluid Mech. 236 (1992) 281–318. doi:10.1017/S0022112092001423",
    "Stam93": "J. Stam, E. Fiume, Turbulent wind fields for gaseous phenomena, SIGGRAPH 1993, 369–376. "
    "doi:10.1145/166117.166163",
    "Taylor21": "G. I. Taylor, Diffusion by continuous movements, Proc. London Math. Soc. 20 (1921) 196–212. "
    "doi:10.1112/plms/s2-20.1.196",
    "Clavet05": "S. Clavet, P. Beaudoin, P. Poulin, Particle-based viscoelastic fluid simulation, Symposium on "
    "Computer Animation 2005, 219–228. doi:10.1145/1073368.1073400",
    "Vogel79": "H. Vogel, A better way to construct the sunflower head, Math. Biosci. 44 (1979) 179–189. "
    "doi:10.1016/0025-5564(79)90080-4",
    "Blinn82": "J. F. Blinn, A generalization of algebraic surface drawing, ACM Trans. Graph. 1 (1982) 235–256. "
    "doi:10.1145/357306.357310",
    "BloomenthalShoemake91": "J. Bloomenthal, K. Shoemake, Convolution surfaces, Computer Graphics 25 (SIGGRAPH 1991) "
    "251–256. doi:10.1145/122718.122757",
    "BloomenthalWyvill90": "J. Bloomenthal, B. Wyvill, Interactive techniques for implicit modeling, Computer Graphics "
    "24 (1990) 109–116.",
    "Boor78": "C. de Boor, A Practical Guide to Splines, Springer, 1978.",
    "OpalachMaddock93": "A. Opalach, S. Maddock, Implicit surfaces: appearance, blending and consistency, 4th "
    "Eurographics Workshop on Animation and Simulation, 1993.",
    "Wyvill86": "G. Wyvill, C. McPheeters, B. Wyvill, Data structure for soft objects, The Visual Computer 2 (1986) "
    "227–234. doi:10.1007/BF01900346",
    "Umeyama91": "S. Umeyama, Least-squares estimation of transformation parameters between two point patterns, IEEE "
    "Trans. Pattern Anal. Mach. Intell. 13 (1991) 376–380. doi:10.1109/34.88573",
    "Kavan08": "L. Kavan, S. Collins, J. Žára, C. O'Sullivan, Geometric skinning with approximate dual quaternion "
    "blending, ACM Trans. Graph. 27 (2008) 105. doi:10.1145/1409625.1409627",
    "Gordon89": "C. C. Gordon and others, 1988 Anthropometric Survey of U.S. Army Personnel: Methods and Summary "
    "Statistics, Natick/TR-89/044, 1989.",
    "Kadaba90": "M. P. Kadaba, H. K. Ramakrishnan, M. E. Wootten, Measurement of lower extremity kinematics during "
    "level walking, J. Orthop. Res. 8 (1990) 383–392. doi:10.1002/jor.1100080310",
    "Davis91": "R. B. Davis, S. Õunpuu, D. Tyburski, J. R. Gage, A gait analysis data collection and reduction "
    "technique, Hum. Mov. Sci. 10 (1991) 575–587. doi:10.1016/0167-9457(91)90046-Z",
    "Leardini07": "A. Leardini and others, A new anatomically based protocol for gait analysis in children, Gait "
    "Posture 26 (2007) 560–571. doi:10.1016/j.gaitpost.2006.12.018",
    "Leardini11": "A. Leardini, F. Biagi, A. Merlo, C. Belvedere, M. G. Benedetti, Multi-segment trunk kinematics "
    "during locomotion and elementary exercises, Clin. Biomech. 26 (2011) 562–571. "
    "doi:10.1016/j.clinbiomech.2011.01.015",
    "McGinley09": "J. L. McGinley, R. Baker, R. Wolfe, M. E. Morris, The reliability of three-dimensional kinematic "
    "gait measurements: a systematic review, Gait Posture 29 (2009) 360–369. doi:10.1016/j.gaitpost.2008.09.003",
    "PlugInGait": "Vicon Motion Systems, Plug-in Gait Reference Guide, 2018: output angles (rotation orders, positive "
    "rotations), lower body forces and moments (external).",
    "Rajagopal16": "A. Rajagopal, C. L. Dembia, M. S. DeMers, D. D. Delp, J. L. Hicks, S. L. Delp, Full-body "
    "musculoskeletal model for muscle-driven simulation of human gait, IEEE Trans. Biomed. Eng. 63 (2016) 2068–2079. "
    "doi:10.1109/TBME.2016.2586891",
    "VanSintJan07": "S. van Sint Jan, Color Atlas of Skeletal Landmark Definitions, Churchill Livingstone 2007.",
    "Zara": "F. Zara, Dynamique des objets rigides, course of the master ID3D, LIRIS, Université Lyon 1.",
    "Perez94": "A. F. Perez, Modélisation de la dynamique du carpe, thesis, Université Joseph-Fourier, Grenoble 1994. "
    "HAL tel-00344523",
    "Felzenszwalb12": "P. F. Felzenszwalb, D. P. Huttenlocher, Distance transforms of sampled functions, Theory of "
    "Computing 8 (2012) 415–428. doi:10.4086/toc.2012.v008a019",
    "Borgefors86": "G. Borgefors, Distance transformations in digital images, Computer Vision, Graphics, and Image "
    "Processing 34 (1986) 344–371. doi:10.1016/S0734-189X(86)80047-0",
    "RemyThiel02": "E. Rémy, É. Thiel, Medial axis for chamfer distances: computing look-up tables and neighbourhoods "
    "in 2D or 3D, Pattern Recognition Letters 23 (2002) 649–661. doi:10.1016/S0167-8655(01)00141-6",
    "Unser93": "M. Unser, A. Aldroubi, M. Eden, B-spline signal processing, IEEE Trans. Signal Process. 41 (1993) "
    "821–848. doi:10.1109/78.193220",
    "Otsu79": "N. Otsu, A threshold selection method from gray-level histograms, IEEE Trans. Syst. Man Cybern. 9 "
    "(1979) 62–66. doi:10.1109/TSMC.1979.4310076",
    "MeyerBeucher90": "F. Meyer, S. Beucher, Morphological segmentation, J. Vis. Commun. Image Represent. 1 (1990) "
    "21–46. doi:10.1016/1047-3203(90)90014-M",
    "DowellJarratt71": "M. Dowell, P. Jarratt, A modified regula falsi method for computing the root of an equation, "
    "BIT 11, 168–174, 1971",
    "SchaeferWarren04": "S. Schaefer, J. Warren, Dual marching cubes: primal contouring of dual grids, 12th Pacific "
    "Conference on Computer Graphics and Applications 2004, 70–76. doi:10.1109/PCCGA.2004.1348336",
    "Gibson98": "S. F. F. Gibson, Constrained elastic surface nets: generating smooth surfaces from binary segmented "
    "data, MICCAI 1998, LNCS 1496, 888–898. doi:10.1007/BFb0056277",
    "Nielson04": "G. M. Nielson, Dual marching cubes, IEEE Visualization 2004, 489–496. doi:10.1109/VISUAL.2004.28",
    "Wenger13": "R. Wenger, Isosurfaces: Geometry, Topology, and Algorithms, CRC Press 2013, §3.3 (manifold dual "
    "marching cubes). doi:10.1201/b15025",
    "Johnson85": "K. L. Johnson, Contact Mechanics, Cambridge University Press 1985, §4.3 (elastic foundation). "
    "doi:10.1017/CBO9781139171731",
    "CashKarp90": "J. R. Cash, A. H. Karp, A variable order Runge–Kutta method for initial value problems with rapidly "
    "varying right-hand sides, ACM TOMS 16 (1990) 201–222. doi:10.1145/79505.79507",
    "DormandPrince80": "J. R. Dormand, P. J. Prince, A family of embedded Runge–Kutta formulae, J. Comput. Appl. "
    "Math. 6 "
    "(1980) 19–26. doi:10.1016/0771-050X(80)90013-3",
    "Hairer93": "E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer "
    "1993. "
    "doi:10.1007/978-3-540-78862-1",
    "SimoWong91": "J. C. Simo, K. K. Wong, Unconditionally stable algorithms for rigid body dynamics that exactly "
    "preserve "
    "energy and momentum, Int. J. Numer. Methods Eng. 31 (1991) 19–52. doi:10.1002/nme.1620310103",
    "Gonzalez96": "O. Gonzalez, Time integration and discrete Hamiltonian systems, J. Nonlinear Sci. 6 (1996) 449–467. "
    "doi:10.1007/BF02440162",
    "MarsdenWest01": "J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) "
    "357–514. doi:10.1017/S096249290100006X",
    "BouRabee09": "N. Bou-Rabee, J. E. Marsden, Hamilton–Pontryagin integrators on Lie groups, Found. Comput. Math. "
    "9 (2009) "
    "197–219. doi:10.1007/s10208-008-9030-4",
    "LandauLifshitz": "L. D. Landau, E. M. Lifshitz, Mechanics, 3rd ed., §37 (asymmetrical top). Pergamon 1976.",
    "Mirtich96": "B. Mirtich, Fast and accurate computation of polyhedral mass properties, J. Graphics Tools 1 "
    "(1996) 31–50. "
    "doi:10.1080/10867651.1996.10487458",
    "Shoemake85": "K. Shoemake, Animating rotation with quaternion curves, SIGGRAPH 1985, 245–254. "
    "doi:10.1145/325334.325242",
    "Hapala11": "M. Hapala et al., Efficient stack-less BVH traversal for ray tracing, SCCG 2011, 7–12. "
    "doi:10.1145/2461217.2461219",
    "Moller97": "T. Möller, B. Trumbore, Fast, minimum storage ray/triangle intersection, J. Graphics Tools 2 (1997) "
    "21–28. "
    "doi:10.1080/10867651.1997.10487468",
    "Duff17": "T. Duff et al., Building an orthonormal basis, revisited, J. Comput. Graph. Tech. 6 (2017) 1–8.",
    "Featherstone08": "R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008. doi:10.1007/978-1-4899-7560-7",
    "ContactJoints": "Articulated systems with external contacts (in French), iMAGIS, Grenoble, about 1996; completed "
    "and corrected here.",
    "Montana88": "D. J. Montana, The kinematics of contact and grasp, Int. J. Robotics Research 7 (1988) 17–32. "
    "doi:10.1177/027836498800700302",
    "MuntheKaas99": "H. Munthe-Kaas, High order Runge–Kutta methods on manifolds, Appl. Numer. Math. 29 (1999) "
    "115–127. doi:10.1016/S0168-9274(98)00030-0",
    "KaneLevinson82": "T. R. Kane, D. A. Levinson, Realistic mathematical modeling of the rattleback, Int. J. "
    "Non-Linear Mechanics 17 (1982) 175–186. doi:10.1016/0020-7462(82)90017-8",
    "Khalil86": "W. Khalil, J. F. Kleinfinger, A new geometric notation for open and closed-loop robots, ICRA 1986, "
    "1174–1180. doi:10.1109/ROBOT.1986.1087552",
    "Delp90": "S. L. Delp et al., An interactive graphics-based model of the lower extremity to study orthopaedic "
    "surgical procedures, IEEE Trans. Biomed. Eng. 37 (1990) 757–767. doi:10.1109/10.102791",
    "Echeandia21": "S. Echeandia, P. M. Wensing, Numerical methods to compute the Coriolis matrix and Christoffel "
    "symbols for rigid-body systems, J. Comput. Nonlinear Dyn. 16 (2021) 091004. doi:10.1115/1.4051169",
    "Orin13": "D. E. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, Autonomous Robots 35 (2013) "
    "161–176. doi:10.1007/s10514-013-9341-4",
    "Singh22": "S. Singh, R. P. Russell, P. M. Wensing, Efficient analytical derivatives of rigid-body dynamics using "
    "spatial vector algebra, IEEE Robot. Autom. Lett. 7 (2022) 1776–1783. doi:10.1109/LRA.2022.3141194",
    "Carpentier18": "J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms, Robotics: "
    "Science and Systems 2018. doi:10.15607/RSS.2018.XIV.038",
    "Fornberg88": "B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids, Math. Comput. 51 "
    "(1988) 699–706. doi:10.1090/S0025-5718-1988-0935077-0",
    "Rodrigues": "O. Rodrigues, Des lois géométriques qui régissent les déplacements d'un système solide dans "
    "l'espace, J. Math. Pures Appl. 5 (1840) 380–440.",
    "HuMAnS": "User documentation of HuMAnS, INRIA, about 2006. See P.-B. Wieber, F. Billet, L. Boissieux, R. "
    "Pissard-Gibollet, The HuMAnS toolbox, a homogenous framework for motion capture, analysis and simulation, 9th "
    "Int. Symp. 3D Analysis of Human Movement, Valenciennes 2006.",
    "DeLeva96": "P. de Leva, Adjustments to Zatsiorsky–Seluyanov's segment inertia parameters, J. Biomechanics 29 "
    "(1996) 1223–1230. doi:10.1016/0021-9290(95)00178-6",
    "Clauser69": "C. E. Clauser, J. T. McConville, J. W. Young, Weight, volume and center of mass of segments of the "
    "human body, AMRL-TR-69-70, Wright-Patterson Air Force Base 1969.",
    "Dempster55": "W. T. Dempster, Space requirements of the seated operator, WADC-TR-55-159, Wright-Patterson Air "
    "Force Base 1955.",
    "Winter09": "D. A. Winter, Biomechanics and Motor Control of Human Movement, 4th ed., Wiley 2009. "
    "doi:10.1002/9780470549148",
    "AAOS65": "American Academy of Orthopaedic Surgeons, Joint Motion: Method of Measuring and Recording, Chicago "
    "1965.",
    "Levangie11": "P. K. Levangie, C. C. Norkin, Joint Structure and Function, 5th ed., F. A. Davis 2011.",
    "Judice94": "J. J. Júdice, F. M. Pires, A block principal pivoting algorithm for large-scale strictly monotone "
    "linear complementarity problems, Computers & Operations Research 21 (1994) 587–596. "
    "doi:10.1016/0305-0548(94)90106-6",
    "Jourdan98": "F. Jourdan, P. Alart, M. Jean, A Gauss–Seidel like algorithm to solve frictional contact problems, "
    "Comput. Methods Appl. Mech. Engrg. 155 (1998) 31–47. doi:10.1016/S0045-7825(97)00137-0",
    "Stewart96": "D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with "
    "inelastic collisions and Coulomb friction, Int. J. Numer. Methods Engrg. 39 (1996) 2673–2691.",
    "Andersen83": 'H. C. Andersen, RATTLE: a "velocity" version of the SHAKE algorithm for molecular dynamics '
    "calculations, J. Comput. Phys. 52 (1983) 24–34. doi:10.1016/0021-9991(83)90014-1",
    "Moreau88": "J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, in Nonsmooth Mechanics "
    "and Applications, CISM 302, Springer 1988, 1–82. doi:10.1007/978-3-7091-2624-0_1",
    "Genot99": "F. Génot, B. Brogliato, New results on Painlevé paradoxes, European J. Mechanics A/Solids 18 (1999) "
    "653–677. doi:10.1016/S0997-7538(99)00144-8",
    "Bauschke96": "H. H. Bauschke, J. M. Borwein, On projection algorithms for solving convex feasibility problems, "
    "SIAM Review 38 (1996) 367–426. doi:10.1137/S0036144593251710",
    "Boyd04": "S. Boyd, L. Vandenberghe, Convex Optimization, Cambridge University Press 2004.",
    "Lawson74": "C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, Prentice-Hall 1974.",
    "Forsythe77": "G. E. Forsythe, M. A. Malcolm, C. B. Moler, Computer Methods for Mathematical Computations, "
    "Prentice-Hall 1977.",
    "GroodSuntay83": "E. S. Grood, W. J. Suntay, A joint coordinate system for the clinical description of "
    "three-dimensional motions: application to the knee, J. Biomech. Eng. 105 (1983) 136–144. doi:10.1115/1.3138397",
    "Wu02": "G. Wu et al., ISB recommendation on definitions of joint coordinate system of various joints for the "
    "reporting of human joint motion, part I: ankle, hip, and spine, J. Biomechanics 35 (2002) 543–548. "
    "doi:10.1016/S0021-9290(01)00222-6",
    "Wu05": "G. Wu et al., ISB recommendation on definitions of joint coordinate systems of various joints for the "
    "reporting of human joint motion, part II: shoulder, elbow, wrist and hand, J. Biomechanics 38 (2005) 981–992. "
    "doi:10.1016/j.jbiomech.2004.05.042",
    "Zeni08": "J. A. Zeni, J. G. Richards, J. S. Higginson, Two simple methods for determining gait events during "
    "treadmill and overground walking using kinematic data, Gait & Posture 27 (2008) 710–714. "
    "doi:10.1016/j.gaitpost.2007.07.007",
    "OConnor07": "C. M. O'Connor, S. K. Thorpe, M. J. O'Malley, C. L. Vaughan, Automatic detection of gait events "
    "using kinematic data, Gait & Posture 25 (2007) 469–474. doi:10.1016/j.gaitpost.2006.05.016",
    "Hicks15": "J. L. Hicks et al., Is my model good enough? Best practices for verification and validation of "
    "musculoskeletal models and simulations of movement, J. Biomech. Eng. 137 (2015) 020905. doi:10.1115/1.4029304",
    "Kristianslund12": "E. Kristianslund, T. Krosshaug, A. J. van den Bogert, Effect of low pass filtering on joint "
    "moments from inverse dynamics: implications for injury prevention, J. Biomechanics 45 (2012) 666–671. "
    "doi:10.1016/j.jbiomech.2011.12.011",
    "Triggs00": "B. Triggs, P. F. McLauchlan, R. I. Hartley, A. W. Fitzgibbon, Bundle adjustment – a modern synthesis, "
    "in Vision Algorithms: Theory and Practice, LNCS 1883, Springer 2000, 298–372. doi:10.1007/3-540-44480-7_21",
    "Eilers03": "P. H. C. Eilers, A perfect smoother, Analytical Chemistry 75 (2003) 3631–3636. doi:10.1021/ac034173t",
    "Geman85": "S. Geman and D. E. McClure, Bayesian image analysis: an application to single photon emission "
    "tomography, Proceedings of the American Statistical Association, Statistical Computing Section, 1985, 12–18",
    "Meurant92": "G. Meurant, A review on the inverse of symmetric tridiagonal and block tridiagonal matrices, "
    "SIAM Journal on Matrix Analysis and Applications 13 (1992) 707–728. doi:10.1137/0613045",
    "Leardini05": "A. Leardini, L. Chiari, U. Della Croce, A. Cappozzo, Human movement analysis using "
    "stereophotogrammetry, part 3: soft tissue artifact, Gait & Posture 21 (2005) 212–225. "
    "doi:10.1016/j.gaitpost.2004.05.002",
    "Housner63": "G. W. Housner, The behavior of inverted pendulum structures during earthquakes, Bulletin of the "
    "Seismological Society of America 53 (1963) 403–417",
    "Habibi97": "A. Habibi, Modèles physiques pour la visualisation d'objets très déformables, relations "
    "mouvement-forme-image, thesis, Institut National Polytechnique de Grenoble 1997. HAL tel-01201022",
    "Cadoz93": "C. Cadoz, A. Luciani, J.-L. Florens, CORDIS-ANIMA: a modeling and simulation system for sound and "
    "image synthesis: the general formalism, Computer Music Journal 17 (1993) 19–29. doi:10.2307/3680567",
    "Luciani95": "A. Luciani, A. Habibi, E. Manzotti, A multi-scale physical model of granular materials, Graphics "
    "Interface 1995, 136–146.",
    "Vapillon95": "A. Luciani, A. Habibi, A. Vapillon, Y. Duroc, A physical model of turbulent fluids, Eurographics "
    "workshop on animation and simulation, Maastricht 1995, 16–29.",
    "Nouiri96": "J. Nouiri, C. Cadoz, A. Luciani, The physical modelling of complex physical structures: the "
    "mechanical clockwork, Computer Animation 1996.",
    "Cundall79": "P. A. Cundall, O. D. L. Strack, A discrete numerical model for granular assemblies, Géotechnique 29 "
    "(1979) 47–65. doi:10.1680/geot.1979.29.1.47",
    "Luding08": "S. Luding, Cohesive, frictional powders: contact models for tension, Granular Matter 10 (2008) "
    "235–246. doi:10.1007/s10035-008-0099-x",
    "Jop06": "P. Jop, Y. Forterre, O. Pouliquen, A constitutive law for dense granular flows, Nature 441 (2006) "
    "727–730. doi:10.1038/nature04801",
    "Hill50": "R. Hill, The Mathematical Theory of Plasticity, Oxford University Press 1950.",
    "Iwan66": "W. D. Iwan, A distributed-element model for hysteresis and its steady-state dynamic response, J. "
    "Applied Mechanics 33 (1966) 893–900. doi:10.1115/1.3625199",
    "Verlet67": "L. Verlet, Computer experiments on classical fluids I, Physical Review 159 (1967) 98–103. "
    "doi:10.1103/PhysRev.159.98",
    "Tarjan72": "R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Computing 1 (1972) 146–160. "
    "doi:10.1137/0201010",
    "Jury64": "E. I. Jury, Theory and Application of the z-Transform Method, Wiley 1964.",
    "Baerentzen05": "J. A. Bærentzen, H. Aanæs, Signed distance computation using the angle weighted pseudonormal, "
    "IEEE Trans. Vis. Comput. Graph. 11 (2005) 243–253. doi:10.1109/TVCG.2005.49",
    "Gilbert88": "E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance between "
    "complex objects in three-dimensional space, IEEE J. Robot. Autom. 4 (1988) 193–203. doi:10.1109/56.2083",
    "Bergen01": "G. van den Bergen, Proximity queries and penetration depth computation on 3D game objects, Game "
    "Developers Conference 2001.",
    "Snethen08": "G. Snethen, XenoCollide: complex collision made simple, Game Programming Gems 7, Charles River Media "
    "2008, 165–178.",
    "Gottschalk96": "S. Gottschalk, M. C. Lin, D. Manocha, OBBTree: a hierarchical structure for rapid interference "
    "detection, SIGGRAPH 1996, 171–180. doi:10.1145/237170.237244",
    "Sutherland74": "I. E. Sutherland, G. W. Hodgman, Reentrant polygon clipping, Commun. ACM 17 (1974) 32–42. "
    "doi:10.1145/360767.360802",
    "Ericson05": "C. Ericson, Real-Time Collision Detection, Morgan Kaufmann 2005.",
    "OHern03": "C. S. O'Hern, L. E. Silbert, A. J. Liu, S. R. Nagel, Jamming at zero temperature and zero applied "
    "stress: the epitome of disorder, Physical Review E 68 (2003) 011306. doi:10.1103/PhysRevE.68.011306",
    "Ruelle69": "D. Ruelle, Statistical Mechanics: Rigorous Results, Benjamin 1969, chapter 3 (stability).",
    "Chandrasekhar61": "S. Chandrasekhar, Hydrodynamic and Hydromagnetic Stability, Oxford 1961, chapter XI.",
    "Scholz15": "A. Scholz, M. Sherman, I. Stavness, S. Delp, A. Kecskeméthy, A fast multi-obstacle muscle wrapping "
    "method using natural geodesic variations, Multibody Syst. Dyn. 36 (2016) 195–219. doi:10.1007/s11044-015-9451-1",
    "DeGroote16": "F. De Groote, A. L. Kinney, A. V. Rao, B. J. Fregly, Evaluation of direct collocation optimal "
    "control problem formulations for solving the muscle redundancy problem, Ann. Biomed. Eng. 44 (2016) 2922–2936. "
    "doi:10.1007/s10439-016-1591-9",
    "Thelen03": "D. G. Thelen, Adjustment of muscle mechanics model parameters to simulate dynamic contractions in "
    "older adults, J. Biomech. Eng. 125 (2003) 70–77. doi:10.1115/1.1531112",
    "Millard13": "M. Millard, T. Uchida, A. Seth, S. L. Delp, Flexing computational muscle: modeling and simulation of "
    "musculotendon dynamics, J. Biomech. Eng. 135 (2013) 021005. doi:10.1115/1.4023390",
    "Crowninshield81": "R. D. Crowninshield, R. A. Brand, A physiologically based criterion of muscle force prediction "
    "in locomotion, J. Biomech. 14 (1981) 793–801. doi:10.1016/0021-9290(81)90035-X",
    "Siciliano91": "B. Siciliano, J.-J. E. Slotine, A general framework for managing multiple tasks in highly "
    "redundant robotic systems, Proc. 5th Int. Conf. on Advanced Robotics (1991) 1211–1216",
    "Hof05": "A. L. Hof, M. G. J. Gazendam, W. E. Sinke, The condition for dynamic stability, J. Biomech. 38 (2005) "
    "1–8. doi:10.1016/j.jbiomech.2004.03.025",
    "Horak86": "F. B. Horak, L. M. Nashner, Central programming of postural movements: adaptation to altered "
    "support-surface configurations, J. Neurophysiol. 55 (1986) 1369–1381. doi:10.1152/jn.1986.55.6.1369",
    "Herzog16": "A. Herzog, N. Rotella, S. Mason, F. Grimminger, S. Schaal, L. Righetti, Momentum control with "
    "hierarchical inverse dynamics on a torque-controlled humanoid, Auton. Robots 40 (2016) 473–491. "
    "doi:10.1007/s10514-015-9476-6",
    "Mehrotra92": "S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optimization 2 "
    "(1992) 575–601. doi:10.1137/0802028",
    "Sherman13": "M. A. Sherman, A. Seth, S. L. Delp, What is a moment arm? Calculating muscle effectiveness in "
    "biomechanical models using generalized coordinates, ASME IDETC 2013. doi:10.1115/DETC2013-13633",
    "Blankevoort91": "L. Blankevoort, J. H. Kuiper, R. Huiskes, H. J. Grootenboer, Articular contact in a "
    "three-dimensional model of the knee, J. Biomechanics 24 (1991) 1019–1031. doi:10.1016/0021-9290(91)90019-J",
    "Berger97": "R. A. Berger, The ligaments of the wrist: a current overview of anatomy with considerations of their "
    "potential functions, Hand Clinics 13 (1997) 63–82",
    "Berger99": "R. A. Berger, T. Imeada, L. Berglund, K.-N. An, Constraint and material properties of the subregions "
    "of the scapholunate interosseous ligament, J. Hand Surgery 24A (1999) 953–962",
    "Nagao05": "S. Nagao, R. M. Patterson, W. L. Buford Jr, C. R. Andersen, M. A. Shah, S. F. Viegas, "
    "Three-dimensional description of ligamentous attachments around the lunate, J. Hand Surgery 30A (2005) 685–692",
    "Viegas99": "S. F. Viegas, S. Yamaguchi, N. L. Boyd, R. M. Patterson, The dorsal ligaments of the wrist: anatomy, "
    "mechanical properties, and function, J. Hand Surgery 24A (1999) 456–468",
    "Kauer79": "J. M. G. Kauer, The collateral ligament function in the wrist joint, Acta Morphologica "
    "Neerlando-Scandinavica 17 (1979) 252–253",
    "Leissa73": "A. W. Leissa, The free vibration of rectangular plates, J. Sound and Vibration 31 (1973) 257–293. "
    "doi:10.1016/S0022-460X(73)80371-2",
    "Schelleng73": "J. C. Schelleng, The bowed string and the player, J. Acoustical Society of America 53 (1973) "
    "26–41. doi:10.1121/1.1913322",
    "MoreSorensen83": "J. J. Moré, D. C. Sorensen, Computing a trust region step, SIAM J. Scientific and Statistical "
    "Computing 4 (1983) 553–572. doi:10.1137/0904038",
    "Fischli09": "S. Fischli, R. W. Sellens, M. Beek, D. R. Pichora, Simulation of extension, radial and ulnar "
    "deviation of the wrist with a rigid body spring model, J. Biomechanics 42 (2009) 1363–1366",
}


def cite(key: str) -> str:
    """Return the full reference of a key."""
    if not isinstance(key, str) or key not in REFERENCES:
        remedy = closest(key, REFERENCES) if isinstance(key, str) else None
        raise InputError(
            "no such reference",
            got=key if isinstance(key, str) else repr(key),
            allowed=", ".join(REFERENCES),
            remedy=remedy,
        )
    return REFERENCES[key]
