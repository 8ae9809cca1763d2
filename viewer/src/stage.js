// The 3D view: camera, light, ground, and the models of the runs.
import {
  AmbientLight, BufferAttribute, BufferGeometry, Color, DirectionalLight, Group, HemisphereLight, LineBasicMaterial, LineSegments, Matrix4,
  PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import {OrbitControls} from "three/examples/jsm/controls/OrbitControls.js";
import {variable} from "./colours.js";
import {RunModel} from "./shapes.js";

/** 1, 2 or 5 times a power of ten, at least x. */
function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= x * .999);
}

function lines(points, colour) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  return new LineSegments(geometry, new LineBasicMaterial({color: colour, transparent: true, depthWrite: false}));
}

/** Whether there is no graphics card. */
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const name = gl ? String(gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** Where the browser has no WebGL nothing is drawn; plots and facts do not need it. */
const blank = {setSize() {}, setPixelRatio() {}, getPixelRatio: () => 1, render() {}};

function rendererOf(canvas, antialias) {
  try {
    return new WebGLRenderer({canvas, antialias}); // opaque: nothing below has to be painted again
  } catch {
    return blank;
  }
}

export class Stage {
  /** `insets`: tells the pixels at the top and at the bottom that controls cover. */
  constructor(canvas, runs, triad, insets) {
    this.canvas = canvas;
    this.runs = runs;
    this.triad = triad;
    this.insets = insets;
    this.isSlow = drawsInSoftware();
    this.detail = 1; // of the picture while it moves, less where that would stutter; a still one is always sharp
    this.interval = 20; // ms from picture to picture, on average
    this.lastMove = 0;
    this.renderer = rendererOf(canvas, !this.isSlow);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(32, 1, .01, 100);
    this.gravity = new Vector3(...runs[0].gravity);
    this.up = this.gravity.length() > 0 ? this.gravity.clone().negate().normalize() : new Vector3(0, 0, 1);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = .12;
    this.controls.addEventListener("change", () => {
      this.isDirty = true;
      this.lastMove = performance.now();
    });
    this.light = new DirectionalLight("#ffffff", 2.1);
    this.scene.add(new HemisphereLight("#ffffff", "#9aa4ae", 1.5), new AmbientLight("#ffffff", .35), this.light, this.light.target);
    this.models = runs.map((run, k) => new RunModel(run, runs.length > 1 ? k : -1));
    this.scene.add(...this.models.map((model) => model.group));
    this.ground = new Group();
    this.scene.add(this.ground);
    this.followed = null;
    this.isDirty = true;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.drawGround();
    this.resize();
    this.fit();
    this.recolour();
  }

  /** The box that holds all motion of all runs but that of bodies that flew away, which count where everything is meant.
   *  Where some are hidden: the boxes of the others. */
  boundsOf(isEverything) {
    const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
    const add = (from, to) => {
      low.min(new Vector3(...from));
      high.max(new Vector3(...to));
    };
    for (const {run: {bounds, boxes}, looks} of this.models) {
      const seen = boxes.filter((box, body) => box.low[0] !== null && looks[body] !== "hidden"), near = seen.filter(({away}) => !away);
      const isPart = looks.includes("hidden") && seen.length > 0;
      if (!isPart) add(...bounds);
      for (const box of isEverything || !near.length && isPart ? seen : isPart ? near : []) add(box.low, box.high);
    }
    return {low, high, centre: low.clone().add(high).multiplyScalar(.5), extent: high.clone().sub(low)};
  }

  get isBlank() { return this.renderer === blank; }

  get bounds() { return this.boundsOf(false); }

  drawGround() {
    this.ground.clear();
    const {low, high, centre, extent} = this.bounds, size = Math.max(extent.x, extent.y, extent.z, 1e-6);
    const step = roundUp(size / 12);
    const vertical = [0, 1, 2].reduce((best, k) => Math.abs(this.up.getComponent(k)) > Math.abs(this.up.getComponent(best)) ? k : best, 0);
    const [a, b] = [0, 1, 2].filter((k) => k !== vertical);
    const level = this.up.getComponent(vertical) > 0 ? low.getComponent(vertical) : high.getComponent(vertical);
    const half = Math.ceil(.85 * size / step), middle = [a, b].map((k) => Math.round(centre.getComponent(k) / step));
    const thin = [], thick = [];
    const point = (u, v) => {
      const p = [0, 0, 0];
      p[vertical] = level, p[a] = u * step, p[b] = v * step;
      return p;
    };
    for (let k = -half; k <= half; k++) {
      ((middle[0] + k) % 5 ? thin : thick).push(...point(middle[0] + k, middle[1] - half), ...point(middle[0] + k, middle[1] + half));
      ((middle[1] + k) % 5 ? thin : thick).push(...point(middle[0] - half, middle[1] + k), ...point(middle[0] + half, middle[1] + k));
    }
    this.gridLines = [lines(thin, variable("--grid")), lines(thick, variable("--grid-strong"))];
    this.gridLines[0].material.opacity = .55;
    const arm = Math.max(step, 2.5 * this.runs[0].joint_size);
    this.ground.add(...this.gridLines, lines([0, 0, 0, arm, 0, 0], "#d2453d"), lines([0, 0, 0, 0, arm, 0], "#3d9a50"), lines([0, 0, 0, 0, 0, arm], "#3f6fc8"));
    this.gridStep = step;
    this.isDirty = true;
  }

  /** Where to look from: across a plane mechanism, else from a corner. */
  defaultDirection() {
    const {extent} = this.bounds, sizes = extent.toArray();
    const thin = sizes.indexOf(Math.min(...sizes)), rest = sizes.filter((_, k) => k !== thin);
    const vertical = this.up.toArray().map(Math.abs);
    const isFlat = sizes[thin] < .4 * Math.min(...rest) && vertical[thin] < .9 || sizes[thin] < .05 * Math.max(...rest) && vertical[thin] < .9;
    const front = new Vector3();
    if (isFlat) front.setComponent(thin, thin === 1 ? -1 : 1);
    else front.setComponent(vertical[1] > .9 ? 2 : 1, vertical[1] > .9 ? 1 : -1);
    const side = new Vector3().crossVectors(this.up, front).normalize();
    front.crossVectors(side, this.up);
    const [azimuth, elevation] = isFlat ? [.3, .2] : [.62, .4];
    return front.multiplyScalar(Math.cos(azimuth)).addScaledVector(side, Math.sin(azimuth)).normalize()
      .multiplyScalar(Math.cos(elevation)).addScaledVector(this.up, Math.sin(elevation)).normalize();
  }

  /** Moves the camera so that all motion is in sight, from `direction` or as it looks at first. */
  fit(direction = this.defaultDirection(), isEverything = false) {
    const {low, high, centre} = this.boundsOf(isEverything);
    const look = new Matrix4().lookAt(direction, new Vector3(), this.up);
    const right = new Vector3(), above = new Vector3(), back = new Vector3();
    look.extractBasis(right, above, back);
    const tan = Math.tan(this.camera.fov / 2 * Math.PI / 180);
    const {top, bottom} = this.insets(), height = this.canvas.clientHeight || 1;
    const usable = Math.max(.3, (height - top - bottom) / height);
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(k & 1 ? low.x : high.x, k & 2 ? low.y : high.y, k & 4 ? low.z : high.z).sub(centre);
      const depth = corner.dot(back);
      distance = Math.max(distance, depth + Math.abs(corner.dot(above)) / (tan * usable),
                          depth + Math.abs(corner.dot(right)) / (tan * this.camera.aspect * .9));
    }
    distance = Math.max(distance, 1e-3) * 1.03;
    const radius = low.distanceTo(high) / 2;
    this.camera.near = Math.max(distance - 4 * radius, distance / 200);
    const all = this.boundsOf(true);
    this.camera.far = distance + 12 * radius + 2 * all.low.distanceTo(all.high) + 1e-3;
    const target = centre.clone().addScaledVector(above, (top - bottom) / height * distance * tan);
    this.camera.position.copy(target).addScaledVector(direction, distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.minDistance = distance / 60;
    this.controls.maxDistance = distance * 6;
    this.controls.update();
    this.isDirty = true;
  }

  /** Along an axis of the world, as on a drawing. */
  lookAlong(axis) {
    const direction = new Vector3();
    direction.setComponent(axis, axis === 1 ? -1 : 1);
    if (Math.abs(direction.dot(this.up)) > .99) { // from above: an orbit has no direction there, so not quite
      const side = Math.abs(this.up.x) > .9 ? new Vector3(0, 0, 1) : Math.abs(this.up.y) > .9 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
      direction.copy(this.up).addScaledVector(side, 1e-3).normalize();
    }
    this.fit(direction);
  }

  resize() {
    const {clientWidth: width, clientHeight: height} = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.isDirty = true;
  }

  recolour() {
    this.gridLines[0].material.color = new Color(variable("--grid"));
    this.gridLines[1].material.color = new Color(variable("--grid-strong"));
    this.scene.background = new Color(variable("--sky"));
    for (const model of this.models) model.recolour();
    this.isDirty = true;
  }

  /** False while numbers are still on their way; then everything stays where it was. */
  update(t) {
    let isThere = true;
    for (const model of this.models) {
      model.group.visible = model.run.isShown;
      if (model.run.isShown) isThere = model.update(Math.min(Math.max(t, model.run.begin), model.run.end)) && isThere;
    }
    if (isThere && this.followed !== null) {
      const move = this.models[0].centre(this.followed).sub(this.controls.target);
      this.controls.target.add(move);
      this.camera.position.add(move);
    }
    this.isDirty = true;
    return isThere;
  }

  /** Fewer pixels while it moves and pictures come late; smooth edges, without a graphics card by twice the pixels,
   *  once it stands still. */
  chooseDetail(isMoving, now) {
    const passed = now - this.lastDrawn;
    if (isMoving && passed < 300) this.interval += .15 * (passed - this.interval);
    if (isMoving && this.interval > 34 && this.detail > .45) this.detail *= .8, this.interval = 20;
    const ratio = isMoving ? this.detail * (this.isSlow ? 1 : Math.min(devicePixelRatio, 2)) : this.isSlow ? 2 : Math.min(devicePixelRatio, 2);
    if (Math.abs(this.renderer.getPixelRatio() - ratio) < .01) return;
    this.renderer.setPixelRatio(ratio);
    this.isDirty = true;
  }

  render(isPlaying = false) {
    this.controls.update();
    const now = performance.now();
    if (this.isDirty || !isPlaying) this.chooseDetail(isPlaying || now - this.lastMove < 250, now);
    if (!this.isDirty) return false;
    this.isDirty = false;
    this.lastDrawn = now;
    this.light.position.copy(this.camera.position).addScaledVector(this.up, this.camera.position.distanceTo(this.controls.target) * .8);
    this.light.target.position.copy(this.controls.target);
    this.renderer.render(this.scene, this.camera);
    this.triad.update(this.camera);
    return true;
  }

  /** The picture as it is now, on a canvas of its own. */
  picture() {
    this.isDirty = true;
    this.render();
    const copy = document.createElement("canvas");
    copy.width = this.canvas.width, copy.height = this.canvas.height;
    copy.getContext("2d").drawImage(this.canvas, 0, 0);
    return copy;
  }

  /** Pixels from the top left of the canvas. */
  project(point) {
    const p = point.clone().project(this.camera);
    const {clientWidth: width, clientHeight: height} = this.canvas;
    return {x: (p.x + 1) / 2 * width, y: (1 - p.y) / 2 * height};
  }

  /** The body of the first run that is drawn at a pixel, or -1. */
  pick(x, y) {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(2 * x / width - 1, 1 - 2 * y / height), this.camera);
    const [model] = this.models;
    const hit = ray.intersectObjects(model.targets, false)[0];
    return hit ? model.bodyAt(hit.object, hit.instanceId) : -1;
  }
}
