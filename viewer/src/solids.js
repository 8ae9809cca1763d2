// Deformable solids: a surface whose nodes move, coloured by displacement or by what the results hold at the nodes.
import {BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, LineSegments, Mesh, MeshLambertMaterial, Vector3} from "three";
import {behindEdges, edgeMaterial, linesBetween} from "./edges.js";

/** From low to high: dark blue, teal, green, yellow (after viridis by Smith and van der Walt). */
const stops = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"].map((text) => new Color(text));
const shade = new Color();

function colourAt(part) {
  const place = Math.min(Math.max(part, 0), 1) * (stops.length - 1), k = Math.min(Math.floor(place), stops.length - 2);
  return shade.copy(stops[k]).lerp(stops[k + 1], place - k);
}

export const gradient = `linear-gradient(90deg, ${stops.map((stop) => `#${stop.getHexString()}`).join(", ")})`;

export class Solid {
  constructor(run, {name, mesh, displacement, fields}) {
    this.number = run.bodies.indexOf(name);
    this.set = run.sets[displacement];
    this.fields = new Map(fields.map((field) => [field.name, {...field, set: run.sets[field.set]}]));
    this.rest = new Float32Array(mesh.points);
    const geometry = new BufferGeometry();
    for (const attribute of ["position", "color"])
      geometry.setAttribute(attribute, new BufferAttribute(new Float32Array(this.rest.length), 3).setUsage(DynamicDrawUsage));
    geometry.setIndex(mesh.triangles);
    this.mesh = new Mesh(geometry, new MeshLambertMaterial({vertexColors: true, side: DoubleSide, ...behindEdges}));
    const edges = new LineSegments(linesBetween(geometry.attributes.position, mesh.edges), edgeMaterial);
    this.mesh.frustumCulled = edges.frustumCulled = false;
    this.group = new Group();
    this.group.matrixAutoUpdate = false;
    this.group.add(this.mesh, edges);
    this.now = new Float32Array(this.rest.length);
    this.next = new Float32Array(this.rest.length);
    this.values = new Float32Array(this.rest.length / 3);
  }

  /** The data sets needed to show it. */
  sets(field) {
    return [this.set, this.fields.get(field)?.set].filter(Boolean);
  }

  load(row, next, field) {
    if (!this.set.row(row, this.now) || !this.set.row(next, this.next)) return false;
    const of = this.fields.get(field)?.set;
    if (!of) return true;
    if (!of.row(row, this.values)) return false;
    if (of.vibration.length) for (let n = 0; n < this.values.length; n++) this.values[n] = Math.abs(this.values[n]); // sizes have no sign
    return true;
  }

  /** How far nodes are displaced: within the frame of their body or, of a mode, from where they are at `rest`, the body's pose there. */
  measure(pose, rest) {
    const at = new Vector3(), from = new Vector3(), still = rest && this.set.firstRow;
    for (let n = 0; n < this.values.length; n++) {
      at.fromArray(this.now, 3 * n);
      if (rest) {
        const place = new Vector3().fromArray(this.rest, 3 * n);
        at.add(place).applyMatrix4(pose).sub(from.fromArray(still, 3 * n).add(place).applyMatrix4(rest));
      }
      this.values[n] = at.length();
    }
  }

  /** `look`: {field, magnification, range, paint, rest}; the range is that of all that was shown, so that colours keep. */
  update(part, pose, look) {
    const {position, color} = this.mesh.geometry.attributes, factor = look.magnification;
    for (let k = 0; k < this.now.length; k++) {
      this.now[k] += part * (this.next[k] - this.now[k]);
      position.array[k] = this.rest[k] + factor * this.now[k];
    }
    if (look.field === "displacement") this.measure(pose, look.rest);
    const isColoured = look.field === "displacement" || this.fields.has(look.field); // what a solid does not have does not colour it
    for (let n = 0; n < this.values.length; n++) {
      if (isColoured) look.range[0] = Math.min(look.range[0], this.values[n]), look.range[1] = Math.max(look.range[1], this.values[n]);
      const paint = isColoured ? colourAt((this.values[n] - look.range[0]) / (look.range[1] - look.range[0] || 1)) : shade.set(look.paint);
      paint.toArray(color.array, 3 * n);
    }
    if (this.number >= 0) this.group.matrix.copy(pose);
    this.mesh.geometry.computeVertexNormals();
    position.needsUpdate = color.needsUpdate = true;
  }
}
