// The three.js objects of one run: bodies, joints, springs, rods, trails, arrows. Boxes, cylinders and spheres of all
// bodies are three instanced meshes, so that a thousand bodies cost three draw calls.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, CylinderGeometry, DoubleSide, DynamicDrawUsage, Group,
  InstancedMesh, Line, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, Quaternion,
  SphereGeometry, TorusGeometry, TubeGeometry, Vector3,
} from "three";
import {Arrows} from "./arrows.js";
import {colour, variable} from "./colours.js";
import {behindEdges, edgesOf, InstancedEdges, linesBetween, points, recolourEdges} from "./edges.js";
import {Rod} from "./rods.js";
import {Solid} from "./solids.js";

const poseMatrix = (pose, size = [1, 1, 1]) => new Matrix4().compose(
  new Vector3(pose[0], pose[1], pose[2]), new Quaternion(pose[4], pose[5], pose[6], pose[3]), new Vector3(...size));

const alongZ = (geometry) => geometry.rotateX(Math.PI / 2); // three.js has cylinders along y

/** Of many bodies, each is small and has fewer corners. */
const primitive = (type, count) => {
  const sides = count > 400 ? 6 : count > 100 ? 10 : 24;
  if (type === "box") return new BoxGeometry(1, 1, 1);
  return type === "cylinder" ? alongZ(new CylinderGeometry(.5, .5, 1, sides)) : new SphereGeometry(.5, sides, Math.round(sides * .6));
};

/** Parts of a joint's picture in its frame on the first body, in units of the joint's size; `on: 1`: on the second. */
const glyphs = new Map(Object.entries({
  revolute: [{type: "cylinder", size: [.75, .75, 1.9]}],
  cylindrical: [{type: "cylinder", size: [.35, .35, 9]}],
  screw: [{type: "cylinder", size: [.6, .6, 3]}, {type: "cylinder", size: [.95, .95, .4]}],
  spherical: [{type: "sphere", size: [1.45, 1.45, 1.45]}],
  universal: [{type: "cylinder", size: [.34, .34, 2]}, {type: "cylinder", size: [.34, .34, 2], on: 1}, {type: "sphere", size: [.6, .6, .6]}],
  prismatic: [{type: "box", size: [.3, .3, 9]}],
  planar: [{type: "box", size: [2.4, 2.4, .16]}],
  fixed: [{type: "box", size: [.9, .9, .9]}],
}));
const otherJoint = [{type: "sphere", size: [.8, .8, .8]}];
const withoutPicture = new Set(["drive", "gear", "rack-and-pinion", "distance"]);

/** A spring's wire along z from 0 to 1 with a radius of 1/2, round when it is stretched to `length`. */
function coil(length) {
  const turns = 8, points = [new Vector3(0, 0, 0), new Vector3(0, 0, .06)];
  for (let k = 0; k <= turns * 12; k++) {
    const angle = k / 12 * 2 * Math.PI;
    points.push(new Vector3(.5 * Math.cos(angle), .5 * Math.sin(angle), .1 + .8 * k / (turns * 12)));
  }
  points.push(new Vector3(0, 0, .94), new Vector3(0, 0, 1));
  for (const point of points) point.z *= length;
  return new TubeGeometry(new CatmullRomCurve3(points), 200, .06, 6).scale(1, 1, 1 / length);
}

const sheer = {transparent: true, opacity: .22, depthWrite: false};

export class RunModel {
  /** `ghost`: one of several runs, in one colour of its own. */
  constructor(run, ghost) {
    this.run = run;
    this.ghost = ghost;
    this.group = new Group();
    this.matrices = [...run.bodies, ...run.carriers].map(() => new Matrix4()); // carriers: nodes of rods that hold joints
    this.looks = run.bodies.map(() => "shown"); // or "sheer" or "hidden"
    this.material = new MeshLambertMaterial({transparent: ghost > 0, opacity: ghost > 0 ? .5 : 1, ...behindEdges});
    this.sheerMaterial = new MeshLambertMaterial(sheer);
    this.groundMaterial = new MeshLambertMaterial({transparent: true, opacity: .4, depthWrite: false, side: DoubleSide, ...behindEdges});
    this.jointMaterial = new MeshLambertMaterial({transparent: ghost > 0, opacity: ghost > 0 ? .5 : 1});
    this.joints = new Group();
    this.frames = new Group();
    this.trails = new Group();
    this.group.add(this.joints, this.frames, this.trails);
    this.instances = []; // {mesh, items: [{body, local}], shown: those of the items that are drawn}
    this.size = run.size;
    this.addBodies();
    this.addJoints();
    this.addSprings();
    this.addRods();
    this.look = {field: "displacement", magnification: 1, range: [0, 0]};
    this.solids = run.solids.map((solid) => new Solid(run, solid));
    for (const solid of this.solids) this.group.add(solid.group);
    this.addFrames();
    this.arrows = new Arrows(this);
    this.group.add(this.arrows.group);
    this.frames.visible = this.trails.visible = false;
    this.position = new Float32Array(3 * run.bodies.length);
    this.orientation = new Float32Array(4 * run.bodies.length);
    this.nextPosition = new Float32Array(this.position.length);
    this.nextOrientation = new Float32Array(this.orientation.length);
    this.applyLooks();
  }

  addInstances(geometry, material, items, parent, isSheer = false) {
    if (!items.length) return null;
    const mesh = new InstancedMesh(geometry, material, items.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    this.instances.push({mesh, items, isSheer, shown: items});
    parent.add(mesh);
    return mesh;
  }

  /** The number of a body, where it or a node of it holds something. */
  bodyOf(carrier) {
    const count = this.run.bodies.length;
    return carrier < count ? carrier : this.rods[this.run.carriers[carrier - count][0]].number;
  }

  lookOf(carrier) {
    return carrier < 0 ? "shown" : this.looks[this.bodyOf(carrier)] ?? "shown";
  }

  /** Whether what joins some bodies is drawn: when one of them is. */
  isSeen(bodies) {
    const moving = bodies.filter((body) => body >= 0);
    return !moving.length || moving.some((body) => this.lookOf(body) !== "hidden");
  }

  /** After a change of `looks`. */
  applyLooks() {
    const isDrawn = (item, isSheer) => item.isBody ? this.lookOf(item.body) === (isSheer ? "sheer" : "shown") : this.isSeen(item.joins);
    for (const entry of this.instances) {
      entry.shown = entry.items.filter((item) => isDrawn(item, entry.isSheer));
      entry.mesh.count = entry.shown.length;
    }
    for (const {group, mesh, number} of [...this.rods, ...this.solids]) {
      const look = this.looks[number] ?? "shown"; // a rod may belong to no body
      group.visible = look !== "hidden";
      Object.assign(mesh.material, look === "sheer" ? sheer : {transparent: false, opacity: 1, depthWrite: true});
    }
    for (const {mesh, ends} of this.springs) mesh.visible = this.isSeen(ends.map(({body}) => body));
    this.axes.forEach((lines, body) => lines.visible = this.lookOf(body) !== "hidden");
    this.trails.children.forEach((line, body) => line.visible = this.lookOf(body) !== "hidden");
    this.recolour();
  }

  addBodies() {
    const byGeometry = new Map();
    for (const shape of this.run.shapes) {
      const key = (shape.type === "mesh" ? `mesh ${shape.mesh}` : shape.type) + (shape.body < 0 ? " ground" : "");
      if (!byGeometry.has(key)) byGeometry.set(key, []);
      byGeometry.get(key).push({body: shape.body, local: poseMatrix(shape.pose, shape.size), colour: shape.colour, isBody: true});
    }
    for (const [key, items] of byGeometry) {
      const [type, number] = key.split(" "), isGround = key.endsWith(" ground");
      const source = type === "mesh" ? this.run.meshes[+number] : null;
      const geometry = source ? meshGeometry(source) : primitive(type, items.length);
      const edges = source ? linesBetween(points(source.points), source.edges) : items.length <= 400 && type !== "sphere" ? edgesOf(geometry) : null;
      if (isGround) { // what bodies touch, and nothing that could be pointed at
        const mesh = this.addInstances(geometry, this.groundMaterial, items, this.group);
        if (edges) this.group.add(new InstancedEdges(edges, mesh));
        continue;
      }
      for (const isSheer of [false, true]) {
        const mesh = this.addInstances(geometry, isSheer ? this.sheerMaterial : this.material, items, this.group, isSheer);
        if (edges) this.group.add(new InstancedEdges(edges, mesh));
      }
    }
  }

  addJoints() {
    const size = this.run.joint_size, byType = {box: [], cylinder: [], sphere: []}, ground = [];
    for (const joint of this.run.joints) {
      if (withoutPicture.has(joint.type)) continue;
      for (const part of glyphs.get(joint.type) ?? otherJoint) {
        const side = part.on ?? 0;
        byType[part.type].push({body: joint.bodies[side], joins: joint.bodies, local: poseMatrix(joint.frames[side], part.size.map((x) => x * size))});
      }
      if (joint.bodies[0] < 0) ground.push({body: -1, joins: joint.bodies, local: poseMatrix(joint.frames[0], [2.6 * size, 2.6 * size, 2.6 * size])});
    }
    for (const [type, items] of Object.entries(byType)) this.addInstances(primitive(type, items.length), this.jointMaterial, items, this.joints);
    this.addInstances(new TorusGeometry(.5, .045, 6, ground.length > 100 ? 12 : 32), this.jointMaterial, ground, this.joints); // a ring: on the ground
  }

  addSprings() {
    this.springs = [];
    const wires = {spring: coil, distance: () => alongZ(new CylinderGeometry(.1, .1, 1, 8)).translate(0, 0, .5)};
    const links = [...this.run.forces.filter((force) => force.type === "spring"), ...this.run.joints.filter((joint) => joint.type === "distance")];
    for (const link of links) {
      const [from, to] = link.frames.map((frame, k) => this.atStart(link.bodies[k], frame));
      const width = Math.min(Math.max(.1 * from.distanceTo(to), this.run.joint_size), 4 * this.run.joint_size);
      const mesh = new Mesh(wires[link.type](Math.max(from.distanceTo(to) / width, 1)), this.jointMaterial);
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      this.springs.push({mesh, width, ends: link.frames.map((frame, k) => ({body: link.bodies[k], point: new Vector3(...frame)}))});
      this.joints.add(mesh);
    }
  }

  /** A point of a body at the first output; where that is not loaded yet, as if the body were at the origin. */
  atStart(body, point) {
    const p = [0, 0, 0], q = [1, 0, 0, 0], {sets} = this.run;
    if (body >= 0 && body < this.run.bodies.length && sets["bodies/position"].row(0, p, 3 * body, 3)) sets["bodies/orientation"].row(0, q, 4 * body, 4);
    return new Vector3(...point).applyMatrix4(poseMatrix([...p, ...q]));
  }

  addRods() {
    this.rods = this.run.rods.map((rod, k) => {
      const drawn = new Rod(rod), body = this.run.bodies.indexOf(rod.name);
      drawn.set = this.run.sets[rod.set];
      drawn.row = new Float32Array(7 * rod.nodes);
      drawn.next = new Float32Array(7 * rod.nodes);
      drawn.number = body >= 0 ? body : this.run.bodies.length + k;
      this.group.add(drawn.group);
      return drawn;
    });
  }

  addFrames() {
    const length = 2.5 * this.run.joint_size;
    const points = [], colours = [], axes = ["#d2453d", "#3d9a50", "#3f6fc8"].map((text) => new Color(text));
    axes.forEach((axis, k) => {
      const tip = [0, 0, 0];
      tip[k] = length;
      points.push(0, 0, 0, ...tip);
      colours.push(...axis.toArray(), ...axis.toArray());
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    const material = new LineBasicMaterial({vertexColors: true, depthTest: false});
    this.axes = this.run.bodies.map(() => {
      const lines = new LineSegments(geometry, material);
      lines.matrixAutoUpdate = false;
      lines.frustumCulled = false;
      lines.renderOrder = 2;
      this.frames.add(lines);
      return lines;
    });
  }

  /** Paths of the mass centres, from what is loaded; called when trails are wanted. */
  async addTrails() {
    this.trails.clear();
    const set = this.run.sets["bodies/position"], turn = this.run.sets["bodies/orientation"];
    if (!set || this.run.bodies.length > 200) return;
    await Promise.all([set.loadAll(), turn.loadAll()]);
    const rows = this.run.times.length, p = new Float32Array(3), q = new Float32Array(4), point = new Vector3();
    this.run.bodies.forEach((_, body) => {
      const points = new Float32Array(3 * rows), centre = this.run.centres[body] ?? [0, 0, 0];
      for (let row = 0; row < rows; row++) {
        if (!set.row(row, p, 3 * body, 3) || !turn.row(row, q, 4 * body, 4)) break;
        point.set(...centre).applyQuaternion(new Quaternion(q[1], q[2], q[3], q[0]));
        points.set([p[0] + point.x, p[1] + point.y, p[2] + point.z], 3 * row);
      }
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(points, 3));
      const line = new Line(geometry, new LineBasicMaterial({color: this.bodyColour(body), transparent: true, opacity: .75}));
      line.frustumCulled = false;
      line.visible = this.lookOf(body) !== "hidden";
      this.trails.add(line);
    });
  }

  bodyColour(body) {
    if (body < 0) return variable("--ground");
    return this.ghost >= 0 ? colour(this.ghost) : colour(body);
  }

  recolour() {
    this.jointMaterial.color.set(variable("--joint"));
    recolourEdges();
    this.arrows.recolour();
    const shade = new Color();
    for (const {mesh, items, shown} of this.instances) {
      if (!items[0].isBody || !shown.length) continue;
      shown.forEach((item, k) => mesh.setColorAt(k, shade.set(this.ghost < 0 && item.colour || this.bodyColour(item.body))));
      mesh.instanceColor.needsUpdate = true;
    }
    for (const rod of this.rods) rod.mesh.material.color.set(this.bodyColour(rod.number));
    this.trails.children.forEach((line, body) => line.material.color.set(this.bodyColour(body)));
  }

  /** Everything where it is at time t; false while the numbers are still on their way. */
  update(t) {
    const {row, part} = this.run.locate(t), sets = this.run.sets;
    const next = part > 0 ? row + 1 : row;
    const p = sets["bodies/position"], q = sets["bodies/orientation"];
    if (p?.total && !(p.row(row, this.position) && q.row(row, this.orientation) && p.row(next, this.nextPosition) &&
                     q.row(next, this.nextOrientation))) return false;
    for (const rod of this.rods) if (!rod.set.row(row, rod.row) || !rod.set.row(next, rod.next)) return false;
    for (const solid of this.solids) if (!solid.load(row, next, this.look.field)) return false;
    if (!this.arrows.load(row, next)) return false;
    this.placeBodies(part);
    this.placeRods(part);
    for (const solid of this.solids)
      solid.update(part, this.matrices[solid.number], {...this.look, paint: this.bodyColour(solid.number), rest: this.run.isVibrating && solid.number >= 0 ? this.restOf(solid.number) : null});
    const placed = new Matrix4();
    for (const {mesh, shown} of this.instances) {
      const array = mesh.instanceMatrix.array;
      for (let k = 0; k < shown.length; k++) {
        const {body, local} = shown[k];
        if (body < 0) local.toArray(array, 16 * k);
        else placed.multiplyMatrices(this.matrices[body], local).toArray(array, 16 * k);
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.placeSprings();
    this.arrows.update(part);
    if (this.frames.visible) this.axes.forEach((lines, body) => lines.matrix.copy(this.matrices[body]));
    if (this.trails.visible) for (const line of this.trails.children) line.geometry.setDrawRange(0, row + 1);
    return true;
  }

  /** Where a body is at rest, while a mode is shown. */
  restOf(body) {
    const [position, orientation] = ["bodies/position", "bodies/orientation"].map((path) => this.run.sets[path].firstRow);
    return poseMatrix([...position.subarray(3 * body, 3 * body + 3), ...orientation.subarray(4 * body, 4 * body + 4)]);
  }

  placeBodies(part) {
    const {position: p, orientation: q, nextPosition: p1, nextOrientation: q1} = this;
    const at = new Vector3(), turn = new Quaternion(), one = new Vector3(1, 1, 1);
    for (let body = 0; body < this.run.bodies.length; body++) {
      const i = 3 * body, j = 4 * body;
      at.set(p[i] + part * (p1[i] - p[i]), p[i + 1] + part * (p1[i + 1] - p[i + 1]), p[i + 2] + part * (p1[i + 2] - p[i + 2]));
      turn.set(q[j + 1] + part * (q1[j + 1] - q[j + 1]), q[j + 2] + part * (q1[j + 2] - q[j + 2]),
               q[j + 3] + part * (q1[j + 3] - q[j + 3]), q[j] + part * (q1[j] - q[j])).normalize();
      this.matrices[body].compose(at, turn, one);
    }
  }

  placeRods(part) {
    for (const rod of this.rods) {
      for (let k = 0; k < rod.row.length; k++) rod.row[k] += part * (rod.next[k] - rod.row[k]);
      rod.update(rod.row);
    }
    this.run.carriers.forEach(([rod, node], k) => this.matrices[this.run.bodies.length + k].copy(poseMatrix(this.rods[rod].row.subarray(7 * node, 7 * node + 7))));
  }

  placeSprings() {
    const ends = [new Vector3(), new Vector3()], along = new Vector3(), turn = new Quaternion(), z = new Vector3(0, 0, 1);
    for (const {mesh, width, ends: fixed} of this.springs) {
      fixed.forEach(({body, point}, k) => {
        ends[k].copy(point);
        if (body >= 0) ends[k].applyMatrix4(this.matrices[body]);
      });
      const length = along.subVectors(ends[1], ends[0]).length() || 1e-9;
      mesh.matrix.compose(ends[0], turn.setFromUnitVectors(z, along.divideScalar(length)), new Vector3(width, width, length));
    }
  }

  /** The mass centre of a body in the world. */
  centre(body, out = new Vector3()) {
    return out.set(...(this.run.centres[body] ?? [0, 0, 0])).applyMatrix4(this.matrices[body]);
  }

  /** What can be pointed at: meshes of bodies that are drawn. */
  get targets() {
    const single = [...this.rods, ...this.solids].filter(({group, number}) => group.visible && number >= 0 && number < this.run.bodies.length);
    for (const {mesh} of single) mesh.geometry.boundingSphere = null; // it has moved
    const many = this.instances.filter(({items, shown}) => items[0].isBody && items[0].body >= 0 && shown.length);
    for (const {mesh} of many) mesh.boundingSphere = null;
    return [...many, ...single].map(({mesh}) => mesh);
  }

  /** The body that a mesh, or an instance of it, shows. */
  bodyAt(mesh, instance) {
    return this.instances.find((entry) => entry.mesh === mesh)?.shown[instance].body ?? [...this.rods, ...this.solids].find((one) => one.mesh === mesh).number;
  }

  dispose() {
    this.group.traverse((object) => object.geometry?.dispose());
  }
}

function meshGeometry({points, triangles}) {
  const indexed = new BufferGeometry();
  indexed.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  indexed.setIndex(triangles);
  const flat = indexed.toNonIndexed(); // edges of machine parts are sharp
  flat.computeVertexNormals();
  return flat;
}
