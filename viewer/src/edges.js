// Sharp edges, drawn as lines: without them, a box of one colour is hard to read.
import {BufferAttribute, BufferGeometry, EdgesGeometry, LineBasicMaterial, LineSegments} from "three";
import {variable} from "./colours.js";

const crease = 40; // degrees; what is round has smaller steps

export const edgeMaterial = new LineBasicMaterial({transparent: true, opacity: .55});
export const recolourEdges = () => edgeMaterial.color.set(variable("--edge"));

/** Surfaces stand back a little, so that lines on them are seen. */
export const behindEdges = {polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1};

export const edgesOf = (geometry) => new EdgesGeometry(geometry, crease);

/** Edges given as pairs of points. */
export function linesBetween(position, pairs) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", position);
  geometry.setIndex(pairs);
  return geometry;
}

export const points = (numbers) => new BufferAttribute(new Float32Array(numbers), 3);

/** The edges of an InstancedMesh, which move with it. */
export class InstancedEdges extends LineSegments {
  constructor(geometry, mesh) {
    super(geometry, edgeMaterial);
    Object.assign(this, {isInstancedMesh: true, instanceMatrix: mesh.instanceMatrix, instanceColor: null, morphTexture: null, frustumCulled: false});
    this.mesh = mesh;
  }

  get count() { return this.mesh.count; }
}
