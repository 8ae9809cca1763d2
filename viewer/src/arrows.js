// Arrows of forces (one head) and torques (two heads): reactions of joints on their second body, what springs, loads and
// other forces do to the last body they act on, and what contacts do to their second surface, where they touch.
import {ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3} from "three";
import {variable} from "./colours.js";

const up = (geometry) => geometry.rotateX(Math.PI / 2); // three.js has cylinders along y
const shaft = up(new CylinderGeometry(.5, .5, 1, 10)).translate(0, 0, .5); // from 0 to 1
const head = up(new ConeGeometry(.5, 1, 14)).translate(0, 0, -.5); // from -1 to 0

/** What there is: kind, data set, whose it is, and the data set of its place where that is not fixed to a body. */
const sources = [
  {kind: "force", path: "joints/reaction_force", of: "joints"}, {kind: "torque", path: "joints/reaction_torque", of: "joints"},
  {kind: "force", path: "forces/force", of: "forces"}, {kind: "torque", path: "forces/torque", of: "forces"},
  {kind: "force", path: "contacts/force", of: "contacts", places: "contacts/place"},
];
const owners = (run, of) => run[of] ?? (run.labels[of] ?? []).map(() => ({bodies: [-1, -1]}));
const rows = (set) => ({set, row: new Float32Array(set.width), next: new Float32Array(set.width)});
const between = ({row, next}, k, part) => [0, 1, 2].map((axis) => row[3 * k + axis] + part * (next[3 * k + axis] - row[3 * k + axis]));

/** The number of 1, 2 or 5 times a power of ten that is nearest to x. */
function round(x) {
  const power = 10 ** Math.floor(Math.log10(x)), off = (step) => Math.abs(Math.log(step / x));
  return [1, 2, 5, 10].map((k) => k * power).reduce((best, step) => off(step) < off(best) ? step : best);
}

const z = new Vector3(0, 0, 1);

export class Arrows {
  constructor(model) {
    const {run} = model;
    Object.assign(this, {model, group: new Group(), shown: {force: false, torque: false}, length: 1, width: 1});
    this.sources = sources.filter(({path, of}) => run.sets[path] && owners(run, of).length)
      .map((source) => ({...source, ...rows(run.sets[source.path]), owners: owners(run, source.of),
        at: source.places && rows(run.sets[source.places])}));
    this.parts = {};
    for (const kind of ["force", "torque"]) {
      const most = this.sources.filter((source) => source.kind === kind).reduce((sum, {owners: {length}}) => sum + length, 0);
      const material = new MeshBasicMaterial({depthTest: false, transparent: true}); // seen through bodies
      const meshes = [shaft, head, ...(kind === "torque" ? [head] : [])].map((geometry) => new InstancedMesh(geometry, material, Math.max(most, 1)));
      for (const mesh of meshes) {
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        Object.assign(mesh, {frustumCulled: false, renderOrder: 3, count: 0});
      }
      this.parts[kind] = {meshes, material, largest: 0, perLength: 0};
      this.group.add(...meshes);
    }
  }

  has(kind) { return this.sources.some((source) => source.kind === kind); }

  /** The data sets needed to show them. */
  get sets() { return this.sources.filter(({kind}) => this.shown[kind]).flatMap(({set, at}) => at ? [set, at.set] : [set]); }

  recolour() {
    for (const kind of ["force", "torque"]) this.parts[kind].material.color.set(variable(`--${kind}`));
  }

  /** Reads how large they are: what nine of ten outputs do not exceed, as one blow should not make all others small. */
  async measure() {
    for (const kind of ["force", "torque"]) {
      if (!this.shown[kind]) continue;
      const most = [];
      for (const source of this.sources.filter((one) => one.kind === kind)) {
        await source.set.loadAll();
        for (let row = 0; row < source.set.total && source.set.row(row, source.row); row++)
          for (let k = 0; k < source.row.length; k += 3) most[row] = Math.max(most[row] ?? 0, Math.hypot(source.row[k], source.row[k + 1], source.row[k + 2]) || 0);
      }
      this.parts[kind].largest = most.sort((a, b) => a - b)[Math.floor(.9 * (most.length - 1))] || most.at(-1) || 0;
    }
  }

  /** So that the largest are as long as `reach`, times what the user wants; a grid square is then a round number. */
  scale(reach, step) {
    Object.assign(this, {width: .045 * reach, step});
    for (const part of Object.values(this.parts)) part.perLength = part.largest > 0 ? round(part.largest / (reach * this.length) * step) / step : 0;
  }

  load(row, next) {
    const isThere = ({set, row: now, next: then}) => set.row(row, now) && set.row(next, then);
    return this.sources.every((source) => !this.shown[source.kind] || isThere(source) && (!source.at || isThere(source.at)));
  }

  update(part) {
    const {model} = this, at = new Vector3(), value = new Vector3(), turn = new Quaternion(), matrix = new Matrix4();
    for (const [kind, {meshes, perLength}] of Object.entries(this.parts)) {
      let count = 0;
      for (const source of this.shown[kind] && perLength > 0 ? this.sources.filter((one) => one.kind === kind) : [])
        source.owners.forEach(({bodies, frames}, k) => {
          const v = between(source, k, part);
          value.set(...v);
          if (source.of === "joints") value.applyQuaternion(turn.set(frames[0][4], frames[0][5], frames[0][6], frames[0][3]));
          if (source.of === "joints" && bodies[0] >= 0) value.transformDirection(model.matrices[bodies[0]]).multiplyScalar(Math.hypot(...v));
          at.set(...source.at ? between(source.at, k, part) : frames[1].slice(0, 3));
          if (bodies[1] >= 0) at.applyMatrix4(model.matrices[bodies[1]]);
          const length = value.length() / perLength;
          if (!(length > 1e-3 * this.step) || !model.isSeen(bodies)) return;
          this.put(meshes, count++, at, turn.setFromUnitVectors(z, value.normalize()), length, matrix);
        });
      for (const mesh of meshes) mesh.count = count, mesh.instanceMatrix.needsUpdate = true;
    }
  }

  put([body, tip, second], number, at, turn, length, matrix) {
    const width = this.width * Math.min(1, length / (6 * this.width)), point = 3.2 * width;
    const along = new Vector3(0, 0, 1).applyQuaternion(turn);
    body.setMatrixAt(number, matrix.compose(at, turn, new Vector3(.35 * width, .35 * width, length - point)));
    const end = at.clone().addScaledVector(along, length);
    tip.setMatrixAt(number, matrix.compose(end, turn, new Vector3(1.3 * width, 1.3 * width, point)));
    second?.setMatrixAt(number, matrix.compose(end.addScaledVector(along, -.6 * point), turn, new Vector3(1.3 * width, 1.3 * width, point)));
  }
}
