// ---- numbers: scales, correlation, a quadratic fit

const isNumber = (value) => typeof value === "number";
const shown = (value) => value === null || value === undefined ? "-" : isNumber(value) ? String(Number(value.toPrecision(5))) : value;

/** A column as numbers: texts are numbered, what is missing is NaN. */
function numeric(values) {
  const texts = [...new Set(values.filter((value) => typeof value === "string"))];
  const numbers = values.map((value) => isNumber(value) ? value : typeof value === "string" ? texts.indexOf(value) : NaN);
  const finite = numbers.filter(Number.isFinite);
  let low = finite.length ? finite.reduce((a, b) => Math.min(a, b)) : 0, high = finite.length ? finite.reduce((a, b) => Math.max(a, b)) : 1;
  if (low === high) [low, high] = [low - .5 * (Math.abs(low) || 1), high + .5 * (Math.abs(high) || 1)];
  return {numbers, texts, low, high};
}

/** Round numbers between two limits, about so many. */
function ticks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((candidate) => candidate >= raw);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

/** A x = b for a small symmetric matrix, by elimination with pivots; null when it is singular. */
function solve(a, b) {
  const n = b.length, rows = a.map((row, i) => [...row, b[i]]);
  for (let k = 0; k < n; k++) {
    const pivot = rows.reduce((best, row, i) => i >= k && Math.abs(row[k]) > Math.abs(rows[best][k]) ? i : best, k);
    if (Math.abs(rows[pivot][k]) < 1e-10) return null;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = 0; i < n; i++) if (i !== k) {
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

/** 1, x_i, x_i x_j of scaled coordinates. */
function terms(x) {
  const made = [1, ...x];
  for (let i = 0; i < x.length; i++) for (let j = i; j < x.length; j++) made.push(x[i] * x[j]);
  return made;
}

/** The quadratic function of rows x (between -1 and 1) that is nearest to y; with what part of the variance it explains. */
function quadratic(points, y) {
  const rows = points.map(terms), n = rows[0]?.length ?? 0;
  if (rows.length < n || n > 120) return null;
  const normal = Array.from({length: n}, () => new Array(n).fill(0)), right = new Array(n).fill(0);
  rows.forEach((row, k) => row.forEach((value, i) => {
    right[i] += value * y[k];
    for (let j = 0; j < n; j++) normal[i][j] += value * row[j];
  }));
  const weights = solve(normal.map((row, i) => row.map((value, j) => value / rows.length + (i === j ? 1e-9 : 0))), right.map((value) => value / rows.length));
  if (!weights) return null;
  const value = (x) => terms(x).reduce((sum, term, i) => sum + term * weights[i], 0);
  const mean = y.reduce((a, b) => a + b, 0) / y.length;
  const left = points.reduce((sum, x, k) => sum + (y[k] - value(x)) ** 2, 0), all = y.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return {value, explained: all > 0 ? 1 - left / all : 1};
}

const ranks = (values) => {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]), made = new Array(values.length);
  order.forEach((place, rank) => { made[place] = rank; });
  return made;
};

/** Spearman's: of ranks, so that bent but rising dependences count. */
function correlation(a, b) {
  const [x, y] = [ranks(a), ranks(b)], middle = (a.length - 1) / 2;
  let xy = 0, xx = 0, yy = 0;
  x.forEach((rank, i) => { xy += (rank - middle) * (y[i] - middle), xx += (rank - middle) ** 2, yy += (y[i] - middle) ** 2; });
  return xx && yy ? xy / Math.sqrt(xx * yy) : 0;
}

/** Colours from dark to light that stay in order for people who see few colours. */
const stops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
function ramp(u, alpha = 1) {
  if (!Number.isFinite(u)) return `rgb(150 150 150 / ${alpha})`;
  const at = Math.min(Math.max(u, 0), 1) * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2);
  const mix = stops[k].map((value, i) => Math.round(value + (at - k) * (stops[k + 1][i] - value)));
  return `rgb(${mix.join(" ")} / ${alpha})`;
}
