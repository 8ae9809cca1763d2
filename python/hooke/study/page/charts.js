// ---- charts: each draws itself on a canvas, again whenever something changes

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A canvas as sharp as the screen, cleared, with the page's font. */
function pen(canvas) {
  const scale = window.devicePixelRatio || 1, {clientWidth: width, clientHeight: height} = canvas;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.font = `11px ${css("--font")}`;
  return {context, width, height};
}

function write(context, text, x, y, align = "center", colour = "--soft") {
  context.fillStyle = css(colour);
  context.textAlign = align;
  context.fillText(text, x, y);
}

/** As much of a text as fits. */
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  while (text && context.measureText(text + "…").width > width) text = text.slice(0, -1);
  return text + "…";
}

/** With some room at both ends, so that dots lie inside of the frame. */
const roomy = (axis) => ({...axis, low: axis.low - .03 * (axis.high - axis.low), high: axis.high + .03 * (axis.high - axis.low)});

/** Axes of a plot in two directions; gives the functions from values to places and the frame. */
function frame(drawing, x, y) {
  const {context, width, height} = drawing, left = 58, right = width - 12, top = 12, bottom = height - 36;
  const X = (value) => left + (value - x.low) / (x.high - x.low) * (right - left);
  const Y = (value) => bottom - (value - y.low) / (y.high - y.low) * (bottom - top);
  context.strokeStyle = css("--line");
  context.strokeRect(left, top, right - left, bottom - top);
  for (const value of x.texts?.length ? x.texts.map((_, i) => i) : ticks(x.low, x.high, 5))
    write(context, x.texts?.[value] ?? shown(value), X(value), bottom + 14);
  for (const value of y.texts?.length ? y.texts.map((_, i) => i) : ticks(y.low, y.high, 5))
    write(context, fitted(context, y.texts?.[value] ?? shown(value), 40), left - 6, Y(value) + 4, "right");
  write(context, x.name, (left + right) / 2, height - 4, "center", "--ink");
  context.save();
  context.translate(11, (top + bottom) / 2);
  context.rotate(-Math.PI / 2);
  write(context, y.name, 0, 0, "center", "--ink");
  context.restore();
  return {X, Y, left, right, top, bottom};
}

function dot(context, x, y, colour, isChosen) {
  context.beginPath();
  context.arc(x, y, isChosen ? 6 : 3, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  if (!isChosen) return;
  context.strokeStyle = css("--ink");
  context.lineWidth = 2;
  context.stroke();
  context.lineWidth = 1;
}

function drawParallel(canvas, axes, state) {
  const drawing = pen(canvas), {context, width, height} = drawing, top = 30, bottom = height - 22;
  const X = (i) => 60 + i * (width - 120) / Math.max(axes.length - 1, 1);
  const Y = (axis, value) => bottom - (value - axis.low) / (axis.high - axis.low) * (bottom - top);
  const line = (run) => {
    context.beginPath();
    axes.forEach((axis, i) => Number.isFinite(axis.numbers[run]) && context.lineTo(X(i), Y(axis, axis.numbers[run])));
    context.stroke();
  };
  const alpha = Math.min(.8, Math.max(.04, 60 / Math.max(state.count, 1)));
  for (let run = 0; run < state.count; run++) {
    const isIn = state.isIn(run);
    context.strokeStyle = isIn ? state.colour(run, Math.min(1, 2 * alpha)) : `rgb(150 150 150 / ${alpha / 5})`;
    line(run);
  }
  if (state.chosen !== null) {
    context.strokeStyle = css("--accent");
    context.lineWidth = 2.5;
    line(state.chosen);
    context.lineWidth = 1;
  }
  axes.forEach((axis, i) => {
    context.strokeStyle = css("--soft");
    context.beginPath();
    context.moveTo(X(i), top);
    context.lineTo(X(i), bottom);
    context.stroke();
    const label = (value) => axis.texts.length ? axis.texts[Math.round(value)] : shown(value);
    write(context, fitted(context, axis.name, (width - 120) / Math.max(axes.length - 1, 1) - 8 || 100), X(i), 12, "center", axis.isOutput ? "--accent" : "--ink");
    write(context, label(axis.high), X(i), 25);
    write(context, label(axis.low), X(i), height - 8);
    const range = state.ranges[axis.name];
    if (!range) return;
    context.fillStyle = `color-mix(in srgb, ${css("--accent")} 35%, transparent)`;
    context.fillRect(X(i) - 7, Y(axis, range[1]), 14, Y(axis, range[0]) - Y(axis, range[1]));
  });
  return {X, top, bottom, value: (axis, y) => axis.low + (bottom - y) / (bottom - top) * (axis.high - axis.low)};
}

function drawScatter(canvas, x, y, state) {
  const drawing = pen(canvas), place = frame(drawing, roomy(x), roomy(y)), spots = [];
  for (let run = 0; run < state.count; run++) {
    const [px, py] = [place.X(x.numbers[run]), place.Y(y.numbers[run])];
    spots.push([px, py]);
    if (Number.isFinite(px + py) && run !== state.chosen)
      dot(drawing.context, px, py, state.isIn(run) ? state.colour(run, .8) : "rgb(150 150 150 / .15)", false);
  }
  if (state.chosen !== null && Number.isFinite(spots[state.chosen][0] + spots[state.chosen][1]))
    dot(drawing.context, ...spots[state.chosen], state.colour(state.chosen, 1), true);
  return spots;
}

/** The fitted surface over two variables, the others at their middles, and the runs as dots. */
function drawSurface(canvas, x, y, surface, state) {
  const drawing = pen(canvas), {context} = drawing, n = 48;
  const place = frame(drawing, x, y), spots = [];
  const cells = [];
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) cells.push(surface.at((i + .5) / n, (j + .5) / n));
  const low = cells.reduce((a, b) => Math.min(a, b)), high = cells.reduce((a, b) => Math.max(a, b));
  const [w, h] = [(place.right - place.left) / n, (place.bottom - place.top) / n];
  cells.forEach((value, k) => {
    context.fillStyle = ramp(high > low ? (value - low) / (high - low) : .5);
    context.fillRect(place.left + Math.floor(k / n) * w, place.bottom - (k % n + 1) * h, w + .6, h + .6);
  });
  for (let run = 0; run < state.count; run++) {
    const spot = [place.X(x.numbers[run]), place.Y(y.numbers[run])];
    spots.push(spot);
    if (state.count <= 2000 && Number.isFinite(spot[0] + spot[1])) dot(context, ...spot, "rgb(255 255 255 / .35)", run === state.chosen);
  }
  return {spots, low, high};
}

/** Bars from 0, one row for each name; `parts`: one or two of {value, interval}. */
function drawBars(canvas, rows, low, high) {
  const drawing = pen(canvas), {context, width, height} = drawing, left = Math.min(150, width / 3), right = width - 56, top = 8;
  const X = (value) => left + (Math.min(Math.max(value, low), high) - low) / (high - low) * (right - left);
  const step = Math.min(46, (height - top - 22) / rows.length), bottom = top + step * rows.length;
  for (const value of ticks(low, high, 5)) {
    context.strokeStyle = css("--line");
    context.beginPath();
    context.moveTo(X(value), top);
    context.lineTo(X(value), bottom);
    context.stroke();
    write(context, shown(value), X(value), bottom + 14);
  }
  rows.forEach(({name, parts}, i) => {
    write(context, fitted(context, name, left - 12), left - 8, top + step * (i + .5) + 4, "right", "--ink");
    parts.forEach(({value, interval}, k) => {
      const thick = step * .7 / parts.length, y = top + step * i + step * .15 + k * thick;
      context.fillStyle = css(k ? "--bar-soft" : "--bar");
      context.fillRect(Math.min(X(0), X(value)), y, Math.abs(X(value) - X(0)), thick - 1);
      write(context, value.toFixed(3).replace(/^-(0\.0*)$/, "$1"), X(interval ? Math.max(interval[1], value, 0) : Math.max(value, 0)) + 5, y + thick / 2 + 4, "left");
      if (!interval) return;
      context.strokeStyle = css("--ink");
      context.beginPath();
      context.moveTo(X(interval[0]), y + thick / 2);
      context.lineTo(X(interval[1]), y + thick / 2);
      context.stroke();
    });
  });
}

function drawConvergence(canvas, values, name) {
  const finite = values.filter(Number.isFinite);
  const y = {...numeric(finite), name}, x = {low: 0, high: Math.max(values.length - 1, 1), name: "runs"};
  const drawing = pen(canvas), place = frame(drawing, x, roomy(y)), {context} = drawing;
  context.strokeStyle = css("--accent");
  context.lineWidth = 2;
  context.beginPath();
  values.forEach((value, i) => Number.isFinite(value) && context.lineTo(place.X(i), place.Y(value)));
  context.stroke();
  context.lineWidth = 1;
}
