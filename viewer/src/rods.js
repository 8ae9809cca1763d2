// A rod through its nodes, smooth between them, with the outline of its section in the axes of the nodes; its points move
// with every frame.
import {
  BufferAttribute, BufferGeometry, CatmullRomCurve3, DynamicDrawUsage, Group, LineSegments, Mesh, MeshLambertMaterial, Quaternion, ShapeUtils,
  Vector2, Vector3,
} from "three";
import {behindEdges, edgeMaterial, linesBetween} from "./edges.js";

const between = 4; // rings from one node to the next
const crease = Math.cos(.6); // of the outline: less is a corner

/** Both ends of each side of an outline with the normals there, {x, y, nx, ny}; those of neighbours are one where the
 *  outline is round. Corners are the numbers of the first ends of sides that begin at one. */
function profileOf(outline, sign) {
  const count = outline.length;
  const normals = outline.map(([x, y], k) => {
    const [x1, y1] = outline[(k + 1) % count], length = Math.hypot(x1 - x, y1 - y) || 1;
    return [sign * (y1 - y) / length, -sign * (x1 - x) / length];
  });
  const points = [], corners = [];
  const normalAt = (k, side) => { // at point k, for one of the sides that meet there
    const [a, b] = [normals[(k + count - 1) % count], normals[k % count]];
    if (a[0] * b[0] + a[1] * b[1] < crease) return side;
    const length = Math.hypot(a[0] + b[0], a[1] + b[1]);
    return [(a[0] + b[0]) / length, (a[1] + b[1]) / length];
  };
  outline.forEach(([x, y], k) => {
    const [x1, y1] = outline[(k + 1) % count], first = normalAt(k, normals[k]), last = normalAt(k + 1, normals[k]);
    if (first === normals[k]) corners.push(points.length);
    points.push({x, y, nx: first[0], ny: first[1]}, {x: x1, y: y1, nx: last[0], ny: last[1]});
  });
  return {points, corners};
}

export class Rod {
  constructor({nodes, outline, hole}) {
    this.nodes = nodes;
    this.rings = (nodes - 1) * between + 1;
    this.profile = []; // of a ring: those of the outline, then those of the hole
    this.sides = [];
    this.cap = [...outline, ...hole];
    this.addSides(outline, 1);
    if (hole.length) this.addSides(hole, -1);
    this.connect(outline, hole);
    const position = new BufferAttribute(new Float32Array(3 * this.count), 3).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", position);
    geometry.setAttribute("normal", new BufferAttribute(new Float32Array(3 * this.count), 3).setUsage(DynamicDrawUsage));
    geometry.setIndex(this.index);
    this.mesh = new Mesh(geometry, new MeshLambertMaterial(behindEdges));
    this.edges = new LineSegments(linesBetween(position, this.lines), edgeMaterial);
    this.mesh.frustumCulled = this.edges.frustumCulled = false;
    this.group = new Group();
    this.group.add(this.mesh, this.edges);
    this.curve = new CatmullRomCurve3(Array.from({length: nodes}, () => new Vector3()), false, "centripetal");
    this.turns = Array.from({length: nodes}, () => new Quaternion());
  }

  get count() { return this.rings * this.profile.length + 2 * this.cap.length; }

  addSides(outline, sign) {
    const {points, corners} = profileOf(outline, sign), first = this.profile.length;
    this.sides.push({first, points: points.length, corners, sign});
    this.profile.push(...points);
  }

  /** Triangles and edges, by the numbers of the points: all rings, then both caps. */
  connect(outline, hole) {
    const around = this.profile.length, {rings} = this;
    this.index = [];
    this.lines = [];
    for (const {first, points, corners, sign} of this.sides) {
      for (let ring = 0; ring + 1 < rings; ring++)
        for (let k = first; k < first + points; k += 2) {
          const a = ring * around + k, b = a + 1, c = a + around, d = b + around;
          this.index.push(...(sign > 0 ? [a, b, c, b, d, c] : [a, c, b, b, c, d]));
        }
      for (let ring = 0; ring + 1 < rings; ring++) for (const k of corners) this.lines.push(ring * around + first + k, (ring + 1) * around + first + k);
      for (const ring of [0, rings - 1]) for (let k = first; k < first + points; k += 2) this.lines.push(ring * around + k, ring * around + k + 1);
    }
    const vectors = (shape) => shape.map(([x, y]) => new Vector2(x, y));
    const begin = rings * around, end = begin + this.cap.length;
    for (const [a, b, c] of ShapeUtils.triangulateShape(vectors(outline), hole.length ? [vectors(hole)] : []))
      this.index.push(begin + a, begin + c, begin + b, end + a, end + b, end + c);
  }

  /** Where ring number `ring` is: its place, and its axes x and y in `x` and `y`. */
  place(ring, p, x, y) {
    const node = Math.min(Math.floor(ring / between), this.nodes - 2);
    this.curve.getPoint(ring / (this.rings - 1), p);
    Rod.turn.copy(this.turns[node]).slerp(this.turns[node + 1], (ring - node * between) / between);
    x.set(1, 0, 0).applyQuaternion(Rod.turn);
    y.set(0, 1, 0).applyQuaternion(Rod.turn);
  }

  update(poses) {
    for (let n = 0; n < this.nodes; n++) {
      this.curve.points[n].fromArray(poses, 7 * n);
      this.turns[n].set(poses[7 * n + 4], poses[7 * n + 5], poses[7 * n + 6], poses[7 * n + 3]).normalize();
    }
    const {position, normal} = this.mesh.geometry.attributes, around = this.profile.length;
    const p = new Vector3(), x = new Vector3(), y = new Vector3();
    const put = (array, at, u, v, from) => {
      for (let k = 0; k < 3; k++) array[3 * at + k] = (from ? from.getComponent(k) : 0) + u * x.getComponent(k) + v * y.getComponent(k);
    };
    for (let ring = 0; ring < this.rings; ring++) {
      this.place(ring, p, x, y);
      for (let k = 0; k < around; k++) {
        const point = this.profile[k];
        put(position.array, ring * around + k, point.x, point.y, p);
        put(normal.array, ring * around + k, point.nx, point.ny);
      }
      if (ring > 0 && ring < this.rings - 1) continue;
      const first = this.rings * around + (ring ? this.cap.length : 0), z = new Vector3().crossVectors(x, y).multiplyScalar(ring ? 1 : -1);
      this.cap.forEach(([u, v], k) => {
        put(position.array, first + k, u, v, p);
        z.toArray(normal.array, 3 * (first + k));
      });
    }
    position.needsUpdate = normal.needsUpdate = true;
  }
}
Rod.turn = new Quaternion();
