# Made by tools/describe_python from the descriptions of the settings.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy
from typing_extensions import Self

from ._settings import Named, Settings
from .functions import Code, compiled, with_derivatives

Vector = Sequence[float] | numpy.ndarray[Any, Any] | str
Matrix = float | Sequence[float] | Sequence[Sequence[float]] | numpy.ndarray[Any, Any]
Formulas = str | float | Callable[..., Any] | Code
Functions = str | float | Callable[..., Any] | Code | compiled | with_derivatives | Settings | Mapping[str, Any]

__all__ = [
    "AccelerationSignal",
    "Ancf",
    "AngleSignal",
    "AngularVelocity",
    "Auto",
    "Axes",
    "BodyDrive",
    "BodyFrame",
    "Bore",
    "Box",
    "BoxMesh",
    "Bushing",
    "Capsule",
    "Cholmod",
    "Circle",
    "CodeBlock",
    "Cone",
    "ConstantVelocity",
    "Contact",
    "ContactFriction",
    "Cosserat",
    "Coupling",
    "Cylinder",
    "Cylindrical",
    "DaeAlpha",
    "DaeAlphaCm",
    "DaeAlphaCs",
    "Dca",
    "DeadZone",
    "Delay",
    "Dense",
    "DisplacementSignal",
    "Distance",
    "DistanceSignal",
    "DistributedLoad",
    "DormandPrince",
    "Dynamics",
    "EnergyMomentum",
    "Event",
    "Expression",
    "Ffrf",
    "Fixed",
    "ForceDisplacement",
    "Formula",
    "Frame",
    "Friction",
    "Gear",
    "General",
    "GeneralizedAlpha",
    "Ground",
    "HalfSpace",
    "Harmonic",
    "HeightField",
    "Hht",
    "HollowSphere",
    "Hull",
    "Hysteresis",
    "IntegratorBlock",
    "InverseDynamics",
    "JointDrive",
    "JointForce",
    "Kinematics",
    "Klu",
    "Limit",
    "LinearlyImplicit",
    "Load",
    "Lock",
    "LookUp",
    "LookUp2d",
    "LowPass",
    "Material",
    "Merson",
    "Mesh",
    "MeshFile",
    "Modal",
    "Modes",
    "Motor",
    "Newmark",
    "NodesSurface",
    "Orthotropic",
    "Output",
    "Outputs",
    "ParallelAxes",
    "ParameterBlock",
    "PerpendicularAxes",
    "Pid",
    "Planar",
    "Point",
    "PointOnLine",
    "PointOnPlane",
    "Polynomial",
    "PositionSignal",
    "Prismatic",
    "RackAndPinion",
    "RateLimiter",
    "Rectangle",
    "Revolute",
    "Revolved",
    "Rigid",
    "RodSurface",
    "Rotate",
    "Run",
    "Sample",
    "Saturation",
    "Schur",
    "Screw",
    "SectionSignal",
    "SetAction",
    "SmoothStep",
    "Solid",
    "Sparse",
    "Sphere",
    "Spherical",
    "Spring",
    "StabilisedOde",
    "Start",
    "StateSpace",
    "Statics",
    "Stop",
    "StressSignal",
    "Subsystem",
    "Sum",
    "SurfaceLoad",
    "SwitchOff",
    "SwitchOn",
    "Table",
    "Tie",
    "TorsionSpring",
    "TransferFunction",
    "Trapezoidal",
    "Tube",
    "Umfpack",
    "Universal",
    "Unlock",
    "VelocitySignal",
]

class AccelerationSignal(Settings):
    acceleration: str
    relative_to: str
    axis: Any
    def __init__(
        self,
        acceleration: str = ...,
        *,
        relative_to: str = ...,
        axis: Literal['x', 'y', 'z'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Ancf(Settings):
    section: Any
    material: Any
    length: Any
    elements: int
    shear_factor: Any
    torsion_constant: Any
    damping: Any
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    between: Any
    velocity: Any
    angular_velocity: Any
    angular_velocity_world: Any
    hold: bool
    frames: Named
    geometry: Any
    def __init__(
        self,
        *,
        section: Circle | Tube | Rectangle | General | Mapping[str, Any] | str | float = ...,
        material: Material | Mapping[str, Any] | str | float | None = ...,
        length: float | None = ...,
        elements: int = ...,
        shear_factor: float | None = ...,
        torsion_constant: float | None = ...,
        damping: Matrix = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        between: Sequence[Vector] | None = ...,
        velocity: Vector | None = ...,
        angular_velocity: Vector | None = ...,
        angular_velocity_world: Vector | None = ...,
        hold: bool = ...,
        frames: Mapping[str, BodyFrame | Mapping[str, Any] | str | float] = ...,
        geometry: Sequence[Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float] | Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class AngleSignal(Settings):
    angle: str
    relative_to: str
    axis: Any
    rate: bool
    def __init__(
        self,
        angle: str = ...,
        *,
        relative_to: str = ...,
        axis: Literal['x', 'y', 'z'] = ...,
        rate: bool = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class AngularVelocity(Settings):
    angular_velocity: str
    relative_to: str
    axis: Any
    def __init__(
        self,
        angular_velocity: str = ...,
        *,
        relative_to: str = ...,
        axis: Literal['x', 'y', 'z'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Auto(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Axes(Settings):
    x: Any
    y: Any
    z: Any
    def __init__(
        self,
        *,
        x: Vector | None = ...,
        y: Vector | None = ...,
        z: Vector | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class BodyDrive(Settings):
    body: str
    coordinate: Any
    function: Any
    def __init__(
        self,
        body: str = ...,
        *,
        coordinate: Literal['x', 'y', 'z', 'angle_x', 'angle_y', 'angle_z'] = ...,
        function: Functions = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class BodyFrame(Settings):
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    arc: Any
    nodes: Any
    def __init__(
        self,
        *,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        arc: float | None = ...,
        nodes: str | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Bore(Settings):
    radius: float
    body: str
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        radius: float = ...,
        *,
        body: str = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Box(Settings):
    size: Any
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    colour: Any
    body: str
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        size: Vector = ...,
        *,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        colour: str | None = ...,
        body: str = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class BoxMesh(Settings):
    size: Any
    divisions: Any
    element: Any
    def __init__(
        self,
        *,
        size: Vector = ...,
        divisions: Sequence[int] = ...,
        element: Literal['hex8', 'hex20', 'tet4', 'tet10'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Bushing(Settings):
    bushing: Any
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    stiffness: Any
    damping: Any
    preload: Any
    def __init__(
        self,
        bushing: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        stiffness: Matrix = ...,
        damping: Matrix = ...,
        preload: Vector = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Capsule(Settings):
    radius: float
    length: float
    body: str
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        *,
        radius: float = ...,
        length: float = ...,
        body: str = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Cholmod(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Circle(Settings):
    radius: float
    def __init__(
        self,
        radius: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class CodeBlock(Settings):
    code: Any
    inputs: Any
    unit: str
    size: float
    def __init__(
        self,
        code: Functions = ...,
        *,
        inputs: Sequence[Formulas] | Formulas = ...,
        unit: str = ...,
        size: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Cone(Settings):
    bottom: float
    top: float
    length: float
    body: str
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        *,
        bottom: float = ...,
        top: float = ...,
        length: float = ...,
        body: str = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class ConstantVelocity(Settings):
    constant_velocity: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    axis2: Any
    def __init__(
        self,
        constant_velocity: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
        axis2: Vector | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Contact(Settings):
    between: Any
    among: Any
    exclude: Any
    neighbours: bool
    law: Any
    locate: bool
    stiffness: Any
    exponent: float
    restitution: float
    restitution_law: Any
    damping: Any
    rest_speed: float
    friction: Any
    def __init__(
        self,
        *,
        between: Sequence[Sequence[str] | str] | None = ...,
        among: Sequence[str] | str = ...,
        exclude: Sequence[Sequence[str] | str] | Sequence[str] | str = ...,
        neighbours: bool = ...,
        law: Literal['compliant', 'rigid'] = ...,
        locate: bool = ...,
        stiffness: float | None = ...,
        exponent: float = ...,
        restitution: float = ...,
        restitution_law: Literal['exact', 'hunt-crossley', 'lankarani-nikravesh'] = ...,
        damping: float | None = ...,
        rest_speed: float = ...,
        friction: ContactFriction | Mapping[str, Any] | str | float | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class ContactFriction(Settings):
    coefficient: float
    bristle: Any
    stick_speed: float
    settling: float
    rolling: float
    spinning: float
    def __init__(
        self,
        coefficient: float = ...,
        *,
        bristle: float | None = ...,
        stick_speed: float = ...,
        settling: float = ...,
        rolling: float = ...,
        spinning: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Cosserat(Settings):
    section: Any
    material: Any
    length: Any
    elements: int
    shear_factor: Any
    torsion_constant: Any
    damping: Any
    order: int
    curvature: Any
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    between: Any
    velocity: Any
    angular_velocity: Any
    angular_velocity_world: Any
    hold: bool
    frames: Named
    geometry: Any
    def __init__(
        self,
        *,
        section: Circle | Tube | Rectangle | General | Mapping[str, Any] | str | float = ...,
        material: Material | Mapping[str, Any] | str | float | None = ...,
        length: float | None = ...,
        elements: int = ...,
        shear_factor: float | None = ...,
        torsion_constant: float | None = ...,
        damping: Matrix = ...,
        order: int = ...,
        curvature: Vector = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        between: Sequence[Vector] | None = ...,
        velocity: Vector | None = ...,
        angular_velocity: Vector | None = ...,
        angular_velocity_world: Vector | None = ...,
        hold: bool = ...,
        frames: Mapping[str, BodyFrame | Mapping[str, Any] | str | float] = ...,
        geometry: Sequence[Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float] | Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Coupling(Settings):
    scheme: Any
    acceleration: Any
    response: Any
    relaxation: float
    tolerance: float
    iterations: int
    reuse: int
    interpolation: int
    force_displacement: Any
    def __init__(
        self,
        scheme: Literal['gauss-seidel', 'jacobi', 'multirate'] = ...,
        *,
        acceleration: Literal['none', 'aitken', 'iqn-ils'] = ...,
        response: Literal['inertia', 'step', 'whole'] = ...,
        relaxation: float = ...,
        tolerance: float = ...,
        iterations: int = ...,
        reuse: int = ...,
        interpolation: int = ...,
        force_displacement: ForceDisplacement | Mapping[str, Any] | str | float | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Cylinder(Settings):
    radius: float
    length: float
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    colour: Any
    body: str
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        *,
        radius: float = ...,
        length: float = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        colour: str | None = ...,
        body: str = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Cylindrical(Settings):
    cylindrical: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    def __init__(
        self,
        cylindrical: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class DaeAlpha(Settings):
    rho: float
    alpha: Any
    newmark: Any
    def __init__(
        self,
        rho: float = ...,
        *,
        alpha: float | None = ...,
        newmark: Vector | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class DaeAlphaCm(Settings):
    rho: float
    alpha: Any
    newmark: Any
    def __init__(
        self,
        rho: float = ...,
        *,
        alpha: float | None = ...,
        newmark: Vector | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class DaeAlphaCs(Settings):
    rho: float
    alpha: Any
    newmark: Any
    def __init__(
        self,
        rho: float = ...,
        *,
        alpha: float | None = ...,
        newmark: Vector | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Dca(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class DeadZone(Settings):
    dead_zone: Any
    limits: Any
    unit: str
    def __init__(
        self,
        dead_zone: Formulas = ...,
        *,
        limits: Vector = ...,
        unit: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Delay(Settings):
    delay: Any
    time: float
    start: float
    unit: str
    def __init__(
        self,
        delay: Formulas = ...,
        *,
        time: float = ...,
        start: float = ...,
        unit: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Dense(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class DisplacementSignal(Settings):
    displacement: str
    set: str
    at: Any
    relative_to: str
    def __init__(
        self,
        displacement: str = ...,
        *,
        set: str = ...,
        at: Vector | None = ...,
        relative_to: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Distance(Settings):
    distance: Any
    length: Any
    def __init__(
        self,
        distance: Sequence[str] = ...,
        *,
        length: float | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class DistanceSignal(Settings):
    distance: Any
    rate: bool
    def __init__(
        self,
        distance: Sequence[str] = ...,
        *,
        rate: bool = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class DistributedLoad(Settings):
    distributed_load: str
    force: Any
    torque: Any
    in_: Any
    def __init__(
        self,
        distributed_load: str = ...,
        *,
        force: Sequence[Functions] | None = ...,
        torque: Sequence[Functions] | None = ...,
        in_: Literal['world', 'body'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class DormandPrince(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Dynamics(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class EnergyMomentum(Settings):
    rho: float
    def __init__(
        self,
        rho: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Event(Settings):
    when: Any
    at: Any
    crosses: Any
    count: int
    repeats: bool
    do: Any
    def __init__(
        self,
        *,
        when: Formulas | None = ...,
        at: float | None = ...,
        crosses: Literal['rising', 'falling', 'both'] = ...,
        count: int = ...,
        repeats: bool = ...,
        do: Sequence[Stop | Output | Lock | Unlock | SwitchOff | SwitchOn | SetAction | Mapping[str, Any] | str | float] | Stop | Output | Lock | Unlock | SwitchOff | SwitchOn | SetAction | Mapping[str, Any] | str | float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Expression(Settings):
    formula: str
    def __init__(
        self,
        formula: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Ffrf(Settings):
    section: Any
    material: Any
    length: Any
    elements: int
    shear_factor: Any
    torsion_constant: Any
    damping: Any
    modes: int
    basis: Any
    reference: Any
    mass: Any
    damping_ratio: float
    stiffening: bool
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    between: Any
    velocity: Any
    angular_velocity: Any
    angular_velocity_world: Any
    hold: bool
    frames: Named
    geometry: Any
    def __init__(
        self,
        *,
        section: Circle | Tube | Rectangle | General | Mapping[str, Any] | str | float = ...,
        material: Material | Mapping[str, Any] | str | float | None = ...,
        length: float | None = ...,
        elements: int = ...,
        shear_factor: float | None = ...,
        torsion_constant: float | None = ...,
        damping: Matrix = ...,
        modes: int = ...,
        basis: Literal['free', 'clamped', 'craig-bampton'] = ...,
        reference: Literal['mean', 'start'] | None = ...,
        mass: Literal['exact', 'constant'] = ...,
        damping_ratio: float = ...,
        stiffening: bool = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        between: Sequence[Vector] | None = ...,
        velocity: Vector | None = ...,
        angular_velocity: Vector | None = ...,
        angular_velocity_world: Vector | None = ...,
        hold: bool = ...,
        frames: Mapping[str, BodyFrame | Mapping[str, Any] | str | float] = ...,
        geometry: Sequence[Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float] | Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Fixed(Settings):
    fixed: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    def __init__(
        self,
        fixed: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class ForceDisplacement(Settings):
    displaced: Any
    force_degree: int
    motion_degree: int
    forces: Any
    order: Any
    exchange: Any
    advised: Any
    corrections: int
    def __init__(
        self,
        displaced: Sequence[str] | str = ...,
        *,
        force_degree: int = ...,
        motion_degree: int = ...,
        forces: Literal['exact', 'small', 'approximate'] = ...,
        order: Literal['jacobi', 'gauss-seidel'] = ...,
        exchange: Literal['side-by-side', 'in-turn'] = ...,
        advised: float | None = ...,
        corrections: int = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Formula(Settings):
    formula: Any
    unit: str
    def __init__(
        self,
        formula: Formulas = ...,
        *,
        unit: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Frame(Settings):
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    def __init__(
        self,
        *,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Friction(Settings):
    viscous: float
    coulomb: float
    breakaway: Any
    stick_rate: Any
    stribeck_rate: Any
    def __init__(
        self,
        *,
        viscous: float = ...,
        coulomb: float = ...,
        breakaway: float | None = ...,
        stick_rate: float | None = ...,
        stribeck_rate: float | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Gear(Settings):
    gear: Any
    ratio: float
    def __init__(
        self,
        gear: Sequence[str] = ...,
        *,
        ratio: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class General(Settings):
    stiffness: Any
    mass: float
    inertia: Any
    centre: Any
    def __init__(
        self,
        *,
        stiffness: Matrix = ...,
        mass: float = ...,
        inertia: Matrix = ...,
        centre: Vector = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class GeneralizedAlpha(Settings):
    rho: float
    form: Any
    projection: Any
    tangent: Any
    def __init__(
        self,
        rho: float = ...,
        *,
        form: Literal['index3', 'stabilised'] = ...,
        projection: Literal['none', 'velocity', 'acceleration', 'kinematic'] = ...,
        tangent: Literal['exact', 'masses'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Ground(Settings):
    frames: Named
    def __init__(
        self,
        *,
        frames: Mapping[str, Frame | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class HalfSpace(Settings):
    normal: Any
    body: str
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        normal: Vector = ...,
        *,
        body: str = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Harmonic(Settings):
    amplitude: float
    omega: Any
    frequency: Any
    phase: float
    offset: float
    def __init__(
        self,
        *,
        amplitude: float = ...,
        omega: float | None = ...,
        frequency: float | None = ...,
        phase: float = ...,
        offset: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class HeightField(Settings):
    heights: Any
    spacing: Any
    body: str
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        *,
        heights: Sequence[Vector] | Vector = ...,
        spacing: Vector = ...,
        body: str = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Hht(Settings):
    alpha: float
    form: Any
    projection: Any
    tangent: Any
    def __init__(
        self,
        alpha: float = ...,
        *,
        form: Literal['index3', 'stabilised'] = ...,
        projection: Literal['none', 'velocity', 'acceleration', 'kinematic'] = ...,
        tangent: Literal['exact', 'masses'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class HollowSphere(Settings):
    radius: float
    body: str
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        radius: float = ...,
        *,
        body: str = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Hull(Settings):
    corners: Any
    mesh: Any
    body: str
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        corners: Sequence[Vector] | Vector = ...,
        *,
        mesh: Mesh | Mapping[str, Any] | str | float | None = ...,
        body: str = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Hysteresis(Settings):
    hysteresis: Any
    on: float
    off: float
    values: Any
    unit: str
    def __init__(
        self,
        hysteresis: Formulas = ...,
        *,
        on: float = ...,
        off: float = ...,
        values: Vector = ...,
        unit: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class IntegratorBlock(Settings):
    integrator: Any
    gain: float
    start: float
    limits: Any
    unit: str
    size: float
    def __init__(
        self,
        integrator: Formulas = ...,
        *,
        gain: float = ...,
        start: float = ...,
        limits: Vector | None = ...,
        unit: str = ...,
        size: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class InverseDynamics(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class JointDrive(Settings):
    joint: str
    function: Any
    every: float
    def __init__(
        self,
        joint: str = ...,
        *,
        function: Functions = ...,
        every: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class JointForce(Settings):
    joint_force: str
    stiffness: float
    damping: float
    preload: float
    free: Any
    elastic: Any
    viscous: Any
    active: Any
    law: Any
    def __init__(
        self,
        joint_force: str = ...,
        *,
        stiffness: float = ...,
        damping: float = ...,
        preload: float = ...,
        free: float | None = ...,
        elastic: Functions | None = ...,
        viscous: Functions | None = ...,
        active: Functions | None = ...,
        law: Functions | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Kinematics(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Klu(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Limit(Settings):
    joint: str
    low: Any
    high: Any
    stiffness: Any
    damping: float
    restitution: Any
    rest: float
    def __init__(
        self,
        *,
        joint: str = ...,
        low: float | None = ...,
        high: float | None = ...,
        stiffness: float | None = ...,
        damping: float = ...,
        restitution: float | None = ...,
        rest: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class LinearlyImplicit(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Load(Settings):
    load: str
    force: Any
    torque: Any
    at: Any
    in_: Any
    def __init__(
        self,
        load: str = ...,
        *,
        force: Sequence[Functions] | None = ...,
        torque: Sequence[Functions] | None = ...,
        at: Vector | None = ...,
        in_: Literal['world', 'body'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Lock(Settings):
    joint: str
    def __init__(
        self,
        joint: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class LookUp(Settings):
    look_up: Any
    function: Any
    unit: str
    def __init__(
        self,
        look_up: Formulas = ...,
        *,
        function: Functions = ...,
        unit: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class LookUp2d(Settings):
    look_up_2d: Any
    x: Any
    y: Any
    values: Any
    unit: str
    def __init__(
        self,
        look_up_2d: Sequence[Formulas] = ...,
        *,
        x: Vector = ...,
        y: Vector = ...,
        values: Sequence[Vector] | Vector = ...,
        unit: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class LowPass(Settings):
    low_pass: Any
    time: float
    start: float
    unit: str
    size: float
    def __init__(
        self,
        low_pass: Formulas = ...,
        *,
        time: float = ...,
        start: float = ...,
        unit: str = ...,
        size: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Material(Settings):
    young: float
    poisson: float
    density: float
    def __init__(
        self,
        *,
        young: float = ...,
        poisson: float = ...,
        density: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Merson(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Mesh(Settings):
    file: str
    scale: float
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    colour: Any
    body: str
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        file: str = ...,
        *,
        scale: float = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        colour: str | None = ...,
        body: str = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class MeshFile(Settings):
    path: str
    scale: Any
    def __init__(
        self,
        path: str = ...,
        *,
        scale: float | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Modal(Settings):
    file: str
    mass: Any
    stiffening: bool
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    between: Any
    velocity: Any
    angular_velocity: Any
    angular_velocity_world: Any
    hold: bool
    frames: Named
    geometry: Any
    def __init__(
        self,
        *,
        file: str = ...,
        mass: Literal['exact', 'constant'] = ...,
        stiffening: bool = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        between: Sequence[Vector] | None = ...,
        velocity: Vector | None = ...,
        angular_velocity: Vector | None = ...,
        angular_velocity_world: Vector | None = ...,
        hold: bool = ...,
        frames: Mapping[str, BodyFrame | Mapping[str, Any] | str | float] = ...,
        geometry: Sequence[Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float] | Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Modes(Settings):
    count: Any
    def __init__(
        self,
        count: int | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Motor(Settings):
    motor: str
    command: Any
    stall: Any
    no_load: Any
    curve: Any
    gear: float
    def __init__(
        self,
        motor: str = ...,
        *,
        command: Formulas = ...,
        stall: float | None = ...,
        no_load: float | None = ...,
        curve: Functions | None = ...,
        gear: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Newmark(Settings):
    beta: float
    gamma: float
    form: Any
    projection: Any
    tangent: Any
    def __init__(
        self,
        *,
        beta: float = ...,
        gamma: float = ...,
        form: Literal['index3', 'stabilised'] = ...,
        projection: Literal['none', 'velocity', 'acceleration', 'kinematic'] = ...,
        tangent: Literal['exact', 'masses'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class NodesSurface(Settings):
    set: str
    body: str
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        set: str = ...,
        *,
        body: str = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Orthotropic(Settings):
    young: Any
    poisson: Any
    shear: Any
    density: float
    x: Any
    y: Any
    def __init__(
        self,
        *,
        young: Vector = ...,
        poisson: Vector = ...,
        shear: Vector = ...,
        density: float = ...,
        x: Vector = ...,
        y: Vector = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Output(Settings):
    wanted: bool
    def __init__(
        self,
        wanted: bool = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Outputs(Settings):
    every: float
    reactions: Any
    def __init__(
        self,
        *,
        every: float = ...,
        reactions: Literal['first', 'second', 'world'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class ParallelAxes(Settings):
    parallel_axes: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    def __init__(
        self,
        parallel_axes: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class ParameterBlock(Settings):
    parameter: float
    unit: str
    def __init__(
        self,
        parameter: float = ...,
        *,
        unit: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class PerpendicularAxes(Settings):
    perpendicular_axes: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    axis2: Any
    def __init__(
        self,
        perpendicular_axes: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
        axis2: Vector | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Pid(Settings):
    pid: Any
    kp: float
    ki: float
    kd: float
    start: float
    filter: Any
    limits: Any
    tracking: Any
    every: Any
    unit: str
    size: float
    def __init__(
        self,
        pid: Formulas = ...,
        *,
        kp: float = ...,
        ki: float = ...,
        kd: float = ...,
        start: float = ...,
        filter: float | None = ...,
        limits: Vector | None = ...,
        tracking: float | None = ...,
        every: float | None = ...,
        unit: str = ...,
        size: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Planar(Settings):
    planar: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    def __init__(
        self,
        planar: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Point(Settings):
    mass: float
    at: Any
    def __init__(
        self,
        *,
        mass: float = ...,
        at: Vector = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class PointOnLine(Settings):
    point_on_line: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    def __init__(
        self,
        point_on_line: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class PointOnPlane(Settings):
    point_on_plane: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    def __init__(
        self,
        point_on_plane: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Polynomial(Settings):
    coefficients: Any
    def __init__(
        self,
        coefficients: Vector = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class PositionSignal(Settings):
    position: str
    relative_to: str
    axis: Any
    def __init__(
        self,
        position: str = ...,
        *,
        relative_to: str = ...,
        axis: Literal['x', 'y', 'z'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Prismatic(Settings):
    prismatic: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    def __init__(
        self,
        prismatic: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Problem(Settings):
    title: str
    gravity: Any
    ground: Ground
    bodies: Named
    joints: Named
    drives: Named
    forces: Named
    surfaces: Named
    contacts: Named
    plugin: Any
    signals: Named
    control: Named
    events: Named
    limits: Named
    run: Run
    outputs: Outputs
    subsystems: Named
    coupling: Coupling
    def __init__(
        self,
        *,
        title: str = ...,
        gravity: Vector = ...,
        ground: Ground | Mapping[str, Any] | str | float = ...,
        bodies: Mapping[str, Rigid | Cosserat | Ancf | Ffrf | Modal | Solid | Mapping[str, Any] | str | float] = ...,
        joints: Mapping[str, Fixed | Revolute | Prismatic | Cylindrical | Screw | Universal | ConstantVelocity | Spherical | Planar | PointOnLine | PointOnPlane | ParallelAxes | PerpendicularAxes | Distance | Gear | RackAndPinion | Tie | Mapping[str, Any] | str | float] = ...,
        drives: Mapping[str, JointDrive | BodyDrive | Mapping[str, Any] | str | float] = ...,
        forces: Mapping[str, Spring | TorsionSpring | JointForce | Bushing | Motor | Load | DistributedLoad | Mapping[str, Any] | str | float] = ...,
        surfaces: Mapping[str, Sphere | HalfSpace | Box | Capsule | Cylinder | Cone | Hull | Mesh | HeightField | HollowSphere | Bore | RodSurface | NodesSurface | Mapping[str, Any] | str | float] = ...,
        contacts: Mapping[str, Contact | Mapping[str, Any] | str | float] = ...,
        plugin: Sequence[str] | str = ...,
        signals: Mapping[str, Formula | PositionSignal | VelocitySignal | AngularVelocity | AngleSignal | DistanceSignal | AccelerationSignal | SectionSignal | StressSignal | DisplacementSignal | Mapping[str, Any] | str | float | Code] = ...,
        control: Mapping[str, IntegratorBlock | Pid | LowPass | TransferFunction | StateSpace | Saturation | DeadZone | RateLimiter | LookUp | LookUp2d | Sample | ParameterBlock | CodeBlock | Hysteresis | Delay | Mapping[str, Any] | str | float | Code] = ...,
        events: Mapping[str, Event | Mapping[str, Any] | str | float] = ...,
        limits: Mapping[str, Limit | Mapping[str, Any] | str | float] = ...,
        run: Run | Mapping[str, Any] | str | float = ...,
        outputs: Outputs | Mapping[str, Any] | str | float = ...,
        subsystems: Mapping[str, Subsystem | Mapping[str, Any] | str | float] = ...,
        coupling: Coupling | Mapping[str, Any] | str | float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class RackAndPinion(Settings):
    rack_and_pinion: Any
    ratio: float
    def __init__(
        self,
        rack_and_pinion: Sequence[str] = ...,
        *,
        ratio: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class RateLimiter(Settings):
    rate_limiter: Any
    rate: float
    falling: Any
    time: float
    start: float
    unit: str
    size: float
    def __init__(
        self,
        rate_limiter: Formulas = ...,
        *,
        rate: float = ...,
        falling: float | None = ...,
        time: float = ...,
        start: float = ...,
        unit: str = ...,
        size: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Rectangle(Settings):
    size: Any
    def __init__(
        self,
        size: Vector = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Revolute(Settings):
    revolute: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    def __init__(
        self,
        revolute: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Revolved(Settings):
    profile: Any
    across: int
    around: int
    along: int
    element: Any
    def __init__(
        self,
        *,
        profile: Sequence[Vector] | Vector = ...,
        across: int = ...,
        around: int = ...,
        along: int = ...,
        element: Literal['hex8', 'hex20', 'tet4', 'tet10'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Rigid(Settings):
    mass: Any
    inertia: Any
    centre: Any
    inertia_frame: Any
    shape: Any
    density: Any
    points: Any
    coordinates: Any
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    between: Any
    velocity: Any
    angular_velocity: Any
    angular_velocity_world: Any
    hold: bool
    frames: Named
    geometry: Any
    def __init__(
        self,
        *,
        mass: float | None = ...,
        inertia: Matrix = ...,
        centre: Vector = ...,
        inertia_frame: Frame | Mapping[str, Any] | str | float | None = ...,
        shape: Box | Cylinder | Sphere | Mapping[str, Any] | str | float | None = ...,
        density: float | None = ...,
        points: Sequence[Point | Mapping[str, Any] | str | float] | Point | Mapping[str, Any] | str | float = ...,
        coordinates: Literal['rotation', 'euler-parameters'] = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        between: Sequence[Vector] | None = ...,
        velocity: Vector | None = ...,
        angular_velocity: Vector | None = ...,
        angular_velocity_world: Vector | None = ...,
        hold: bool = ...,
        frames: Mapping[str, BodyFrame | Mapping[str, Any] | str | float] = ...,
        geometry: Sequence[Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float] | Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class RodSurface(Settings):
    radius: float
    spheres: Any
    body: str
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        *,
        radius: float = ...,
        spheres: int | None = ...,
        body: str = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Rotate(Settings):
    axis: Any
    angle: float
    def __init__(
        self,
        *,
        axis: Vector = ...,
        angle: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Run(Settings):
    analysis: Any
    integrator: Any
    solver: Any
    from_: str
    start: float
    end: float
    step: float
    tolerance: Any
    newton_tolerance: float
    newton_iterations: int
    regularisation: Any
    penalty: Any
    geometric_stiffness: bool
    realtime: Any
    threads: int
    checkpoint: float
    device: Any
    def __init__(
        self,
        *,
        analysis: Dynamics | Kinematics | InverseDynamics | Statics | Modes | Mapping[str, Any] | str | float = ...,
        integrator: GeneralizedAlpha | Hht | Newmark | Trapezoidal | DaeAlpha | DaeAlphaCs | DaeAlphaCm | EnergyMomentum | StabilisedOde | DormandPrince | Merson | LinearlyImplicit | Mapping[str, Any] | str | float = ...,
        solver: Auto | Dense | Sparse | Klu | Schur | Dca | Umfpack | Cholmod | Mapping[str, Any] | str | float = ...,
        from_: str = ...,
        start: float = ...,
        end: float = ...,
        step: float = ...,
        tolerance: float | None = ...,
        newton_tolerance: float = ...,
        newton_iterations: int = ...,
        regularisation: float | None = ...,
        penalty: float | None = ...,
        geometric_stiffness: bool = ...,
        realtime: int | None = ...,
        threads: int = ...,
        checkpoint: float = ...,
        device: Literal['cpu', 'gpu', 'auto'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Sample(Settings):
    sample: Any
    every: float
    offset: float
    start: float
    unit: str
    def __init__(
        self,
        sample: Formulas = ...,
        *,
        every: float = ...,
        offset: float = ...,
        start: float = ...,
        unit: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Saturation(Settings):
    saturation: Any
    limits: Any
    unit: str
    def __init__(
        self,
        saturation: Formulas = ...,
        *,
        limits: Vector = ...,
        unit: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Schur(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Screw(Settings):
    screw: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    pitch: float
    def __init__(
        self,
        screw: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
        pitch: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class SectionSignal(Settings):
    section: str
    at: float
    quantity: Any
    axis: Any
    def __init__(
        self,
        section: str = ...,
        *,
        at: float = ...,
        quantity: Literal['force', 'moment', 'strain', 'curvature'] = ...,
        axis: Literal['x', 'y', 'z'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class SetAction(Settings):
    set: str
    to: Any
    def __init__(
        self,
        set: str = ...,
        *,
        to: Formulas = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class SmoothStep(Settings):
    from_: Any
    to: Any
    def __init__(
        self,
        *,
        from_: Vector = ...,
        to: Vector = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Solid(Settings):
    mesh: Any
    material: Any
    orthotropic: Any
    materials: Named
    corotation: Any
    tangent: Any
    components: int
    cut: Any
    grading: float
    frame: Any
    force: Any
    mass: Any
    incompatible_modes: bool
    mass_damping: float
    stiffness_damping: float
    surface_loads: Any
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    between: Any
    velocity: Any
    angular_velocity: Any
    angular_velocity_world: Any
    hold: bool
    frames: Named
    geometry: Any
    def __init__(
        self,
        *,
        mesh: BoxMesh | Revolved | MeshFile | Mapping[str, Any] | str | float = ...,
        material: Material | Mapping[str, Any] | str | float | None = ...,
        orthotropic: Orthotropic | Mapping[str, Any] | str | float | None = ...,
        materials: Mapping[str, Material | Mapping[str, Any] | str | float] = ...,
        corotation: Literal['component', 'element'] = ...,
        tangent: Literal['exact', 'constant'] = ...,
        components: int = ...,
        cut: Literal['longest', 'x', 'y', 'z', 'metis'] = ...,
        grading: float = ...,
        frame: Literal['best-fit', 'three-nodes'] = ...,
        force: Literal['consistent', 'simplified'] = ...,
        mass: Literal['consistent', 'lumped'] = ...,
        incompatible_modes: bool = ...,
        mass_damping: float = ...,
        stiffness_damping: float = ...,
        surface_loads: Sequence[SurfaceLoad | Mapping[str, Any] | str | float] | SurfaceLoad | Mapping[str, Any] | str | float = ...,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        between: Sequence[Vector] | None = ...,
        velocity: Vector | None = ...,
        angular_velocity: Vector | None = ...,
        angular_velocity_world: Vector | None = ...,
        hold: bool = ...,
        frames: Mapping[str, BodyFrame | Mapping[str, Any] | str | float] = ...,
        geometry: Sequence[Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float] | Box | Cylinder | Sphere | Mesh | Mapping[str, Any] | str | float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Sparse(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Sphere(Settings):
    radius: float
    at: Any
    quaternion: Any
    rotate: Any
    matrix: Any
    axes: Any
    colour: Any
    body: str
    edge_radius: Any
    young: Any
    poisson: float
    def __init__(
        self,
        radius: float = ...,
        *,
        at: Vector | None = ...,
        quaternion: Vector | None = ...,
        rotate: Rotate | Mapping[str, Any] | str | float | None = ...,
        matrix: Sequence[Vector] | None = ...,
        axes: Axes | Mapping[str, Any] | str | float | None = ...,
        colour: str | None = ...,
        body: str = ...,
        edge_radius: float | None = ...,
        young: float | None = ...,
        poisson: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Spherical(Settings):
    spherical: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    def __init__(
        self,
        spherical: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Spring(Settings):
    spring: Any
    points: Any
    stiffness: float
    damping: float
    preload: float
    free: Any
    elastic: Any
    viscous: Any
    active: Any
    law: Any
    def __init__(
        self,
        spring: Sequence[str] = ...,
        *,
        points: Sequence[Vector | None] = ...,
        stiffness: float = ...,
        damping: float = ...,
        preload: float = ...,
        free: float | None = ...,
        elastic: Functions | None = ...,
        viscous: Functions | None = ...,
        active: Functions | None = ...,
        law: Functions | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class StabilisedOde(Settings):
    method: Any
    rho: float
    beta: Any
    def __init__(
        self,
        *,
        method: Literal['implicit', 'explicit', 'chebyshev'] = ...,
        rho: float = ...,
        beta: float | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Start(Settings):
    value: Any
    rate: Any
    def __init__(
        self,
        value: float | None = ...,
        *,
        rate: float | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class StateSpace(Settings):
    state_space: Any
    A: Any
    B: Any
    C: Any
    D: Any
    start: Any
    every: Any
    unit: str
    size: float
    def __init__(
        self,
        state_space: Sequence[Formulas] | Formulas = ...,
        *,
        A: Sequence[Vector] | Vector = ...,
        B: Sequence[Vector] | Vector = ...,
        C: Sequence[Vector] | Vector = ...,
        D: Sequence[Vector] | Vector = ...,
        start: Vector = ...,
        every: float | None = ...,
        unit: str = ...,
        size: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Statics(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Stop(Settings):
    message: str
    def __init__(
        self,
        message: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class StressSignal(Settings):
    stress: str
    set: str
    at: Any
    def __init__(
        self,
        stress: str = ...,
        *,
        set: str = ...,
        at: Vector | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Subsystem(Settings):
    bodies: Any
    steps: int
    step: Any
    integrator: Any
    tolerance: Any
    def __init__(
        self,
        bodies: Sequence[str] | str = ...,
        *,
        steps: int = ...,
        step: float | None = ...,
        integrator: GeneralizedAlpha | Hht | Newmark | Trapezoidal | DaeAlpha | DaeAlphaCs | DaeAlphaCm | EnergyMomentum | StabilisedOde | DormandPrince | Merson | LinearlyImplicit | Mapping[str, Any] | str | float | None = ...,
        tolerance: float | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Sum(Settings):
    terms: Any
    def __init__(
        self,
        terms: Sequence[Functions] | Functions = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class SurfaceLoad(Settings):
    nodes: str
    traction: Any
    pressure: float
    follower: bool
    def __init__(
        self,
        *,
        nodes: str = ...,
        traction: Vector = ...,
        pressure: float = ...,
        follower: bool = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class SwitchOff(Settings):
    items: Any
    def __init__(
        self,
        items: Sequence[str] | str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class SwitchOn(Settings):
    items: Any
    def __init__(
        self,
        items: Sequence[str] | str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Table(Settings):
    points: Any
    file: Any
    columns: Any
    slopes: Any
    beyond: Any
    def __init__(
        self,
        points: Sequence[Vector] | Vector = ...,
        *,
        file: str | None = ...,
        columns: Sequence[int | str] | None = ...,
        slopes: Vector | None = ...,
        beyond: Literal['tangent', 'hold', 'refuse', 'periodic'] | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Tie(Settings):
    tie: Any
    def __init__(
        self,
        tie: Sequence[str] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class TorsionSpring(Settings):
    torsion_spring: Any
    at: Any
    axis: Any
    stiffness: float
    damping: float
    preload: float
    free: Any
    elastic: Any
    viscous: Any
    active: Any
    law: Any
    def __init__(
        self,
        torsion_spring: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        stiffness: float = ...,
        damping: float = ...,
        preload: float = ...,
        free: float | None = ...,
        elastic: Functions | None = ...,
        viscous: Functions | None = ...,
        active: Functions | None = ...,
        law: Functions | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class TransferFunction(Settings):
    transfer_function: Any
    numerator: Any
    denominator: Any
    unit: str
    size: float
    def __init__(
        self,
        transfer_function: Formulas = ...,
        *,
        numerator: Vector = ...,
        denominator: Vector = ...,
        unit: str = ...,
        size: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Trapezoidal(Settings):
    form: Any
    projection: Any
    tangent: Any
    def __init__(
        self,
        *,
        form: Literal['index3', 'stabilised'] = ...,
        projection: Literal['none', 'velocity', 'acceleration', 'kinematic'] = ...,
        tangent: Literal['exact', 'masses'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Tube(Settings):
    outer: float
    inner: float
    def __init__(
        self,
        *,
        outer: float = ...,
        inner: float = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Umfpack(Settings):
    def __init__(
        self,
    ) -> None: ...
    def copy(self) -> Self: ...

class Universal(Settings):
    universal: Any
    at: Any
    axis: Any
    friction: Any
    start: Named
    axis2: Any
    def __init__(
        self,
        universal: Sequence[str] = ...,
        *,
        at: Vector | None = ...,
        axis: Vector | None = ...,
        friction: Friction | Mapping[str, Any] | str | float | None = ...,
        start: Mapping[str, Start | Mapping[str, Any] | str | float] = ...,
        axis2: Vector | None = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class Unlock(Settings):
    joint: str
    def __init__(
        self,
        joint: str = ...,
    ) -> None: ...
    def copy(self) -> Self: ...

class VelocitySignal(Settings):
    velocity: str
    relative_to: str
    axis: Any
    def __init__(
        self,
        velocity: str = ...,
        *,
        relative_to: str = ...,
        axis: Literal['x', 'y', 'z'] = ...,
    ) -> None: ...
    def copy(self) -> Self: ...
