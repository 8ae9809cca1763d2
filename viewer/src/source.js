// Where the numbers come from. A data set comes in pieces of rows, each asked for once and kept: from the server
// (data/RUN/SET/PIECE) or, in an exported page, from script elements of the same names. RUN, SET and PIECE are numbers,
// whatever the run calls its data sets. Both hold little-endian floats, doubles for times.

const here = () => document.getElementById("runs");

const period = 2; // s, of a mode as it is shown

export const isExported = () => here() !== null;

/** The server's answer. It is busy when it could not read the file of a run that is just writing: then ask again. */
async function ask(name) {
  const busy = 503;
  for (let tries = 1; ; tries++) {
    const answer = await fetch(name);
    if (answer.ok) return answer;
    if (answer.status !== busy || tries === 10) throw new Error(`${name}: the server says ${answer.status}`);
    await new Promise((next) => setTimeout(next, 200));
  }
}

export async function loadRuns() {
  if (isExported()) return JSON.parse(here().textContent);
  return (await ask("runs.json")).json();
}

function decode(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes.buffer;
}

async function bytesOf(name) {
  if (isExported()) {
    const element = document.getElementById("data/" + name);
    if (!element) throw new Error(`the page has no ${name}`);
    return decode(element.textContent);
  }
  return (await ask("data/" + name)).arrayBuffer();
}

/** The rows of one data set of one run. */
class DataSet {
  constructor(run, {number, width, rows, total, double}) {
    Object.assign(this, {run, number, width, rowsPerPiece: rows, total, isDouble: double});
    this.pieces = []; // of numbers
    this.largest = 0; // size of any number that was loaded
    this.vibration = []; // rows and the parts of them, minus row 0, that are added to row 0: a mode is shown
    this.waiting = new Map();
  }

  get pieceCount() {
    return Math.ceil(this.total / this.rowsPerPiece);
  }

  rowsIn(piece) {
    return Math.min(this.rowsPerPiece, this.total - piece * this.rowsPerPiece);
  }

  has(row) {
    const piece = this.pieces[Math.floor(row / this.rowsPerPiece)];
    return piece !== undefined && piece.length >= (row % this.rowsPerPiece + 1) * this.width;
  }

  /** The piece, once it is there. One that has grown since (a run that goes on) is asked for again. */
  load(piece) {
    const have = this.pieces[piece];
    if (have && have.length >= this.rowsIn(piece) * this.width) return Promise.resolve(have);
    if (!this.waiting.has(piece)) {
      const job = bytesOf(`${this.run}/${this.number}/${piece}`)
        .then((buffer) => this.keep(piece, this.isDouble ? new Float64Array(buffer) : new Float32Array(buffer)))
        .finally(() => this.waiting.delete(piece));
      this.waiting.set(piece, job);
    }
    return this.waiting.get(piece);
  }

  keep(piece, numbers) {
    for (const x of numbers) if (Math.abs(x) > this.largest && Number.isFinite(x)) this.largest = Math.abs(x);
    return this.pieces[piece] = numbers;
  }

  async loadAll() {
    for (let piece = 0; piece < this.pieceCount; piece++) await this.load(piece);
  }

  /** Writes the numbers of a row into `out`; false when its piece is not there yet. */
  row(row, out, first = 0, count = this.width) {
    if (!this.has(row)) return false;
    if (this.vibration.length) return this.vibrating(out, first, count);
    const piece = this.pieces[Math.floor(row / this.rowsPerPiece)];
    const at = (row % this.rowsPerPiece) * this.width + first;
    for (let k = 0; k < count; k++) out[k] = piece[at + k];
    return true;
  }

  /** As it is at rest, where a mode is shown. */
  get firstRow() { return this.pieces[0].subarray(0, this.width); }

  vibrating(out, first, count) {
    if (!this.vibration.every(([row]) => this.has(row))) return false;
    const place = (row) => [this.pieces[Math.floor(row / this.rowsPerPiece)], (row % this.rowsPerPiece) * this.width + first];
    const [rest, at] = place(0);
    for (let k = 0; k < count; k++) out[k] = rest[at + k];
    for (const [row, part] of this.vibration) {
      const [piece, from] = place(row);
      for (let k = 0; k < count; k++) out[k] += part * (piece[from + k] - rest[at + k]);
    }
    return true;
  }

  /** One column over all rows. */
  async column(column) {
    await this.loadAll();
    const values = new Float64Array(this.total);
    let at = 0;
    for (const piece of this.pieces)
      for (let k = column; k < piece.length && at < this.total; k += this.width) values[at++] = piece[k];
    return values.subarray(0, at);
  }
}

/** A run with its data sets and the quantities in them, by the names that users know. */
export class Run {
  constructor(number, facts) {
    this.number = number;
    this.isShown = true;
    this.mode = null; // the one that is shown
    Object.assign(this, facts);
    this.sets = {};
    for (const [path, about] of Object.entries(facts.sets)) this.sets[path] = new DataSet(number, about);
    this.quantities = listQuantities(facts);
    this.byName = new Map(this.quantities.map((quantity) => [quantity.name, quantity]));
  }

  async start() {
    this.times = await this.sets.time.column(0);
  }

  get begin() { return this.isVibrating ? 0 : this.times.length ? this.times[0] : 0; }
  get end() { return this.isVibrating ? period : this.times.length ? this.times[this.times.length - 1] : 0; }

  get hasShapes() { return this.modes.outputs?.some(([real]) => real >= 0) ?? false; }
  get isVibrating() { return this.mode !== null; }

  /** Rows that are needed to show time t. */
  rowsAt(t) {
    if (this.isVibrating) return [0, ...this.modes.outputs[this.mode].filter((row) => row >= 0)];
    const {row} = this.locate(t);
    return [row, Math.min(row + 1, this.times.length - 1)];
  }

  /** Re(shape exp(i phase)) of the mode that is shown, about the state of rest. */
  vibrate(t) {
    const [real, imaginary] = this.modes.outputs[this.mode], phase = 2 * Math.PI * t / period;
    const vibration = [[real, Math.cos(phase)], [imaginary, -Math.sin(phase)]].filter(([row]) => row >= 0);
    for (const set of Object.values(this.sets)) if (set.total === this.times.length) set.vibration = vibration;
  }

  /** The row at or before time t, and how far t is towards the next. */
  locate(t) {
    if (this.isVibrating) {
      this.vibrate(t);
      return {row: 0, part: 0};
    }
    const times = this.times;
    let low = 0, high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= t) low = middle; else high = middle - 1;
    }
    const span = low + 1 < times.length ? times[low + 1] - times[low] : 0;
    return {row: low, part: span > 0 ? Math.min(Math.max((t - times[low]) / span, 0), 1) : 0};
  }

  /** Times and values of a quantity. */
  async series(name) {
    const quantity = this.byName.get(name);
    if (!quantity) return null;
    const isStep = quantity.of === "step";
    const [t, y] = await Promise.all([this.sets[isStep ? "steps/time" : "time"].column(0),
                                      this.sets[quantity.set].column(quantity.column)]);
    const own = () => y.reduce((size, x) => Number.isFinite(x) ? Math.max(size, Math.abs(x)) : size, 0); // signals may be anything
    return {t, y, unit: quantity.unit, size: quantity.of === "signals" ? own() : this.sets[quantity.set].largest};
  }

  /** What the server tells about a run that goes on; true when there is more than before. */
  async grow(facts) {
    const grew = facts.sets.time.total > this.sets.time.total || facts.status !== this.status;
    Object.assign(this, {status: facts.status, message: facts.message, bounds: facts.bounds, boxes: facts.boxes, statistics: facts.statistics});
    for (const [path, about] of Object.entries(facts.sets)) if (this.sets[path]) this.sets[path].total = about.total;
    if (grew) await this.start();
    return grew;
  }
}

/** As ResultsReader::list_quantities does. */
function listQuantities({entries, labels}) {
  const list = [];
  for (const {path, of, quantity, components, unit, units, text, columns} of entries) {
    if (columns) {
      columns.forEach(([name, measured], column) => list.push({name, unit: measured, set: path, column, of, text}));
      continue;
    }
    const items = labels[of] ?? [""];
    let column = 0;
    items.forEach((label) => {
      const name = [label, quantity].filter(Boolean).join(".");
      const add = (full) => list.push({name: full, unit: unit || units[column], set: path, column: column++, of, text});
      if (!components) add(name);
      for (const component of components) add(`${name}.${component}`);
    });
  }
  return list;
}
