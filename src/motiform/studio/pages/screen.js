"use strict";
const $ = id => document.getElementById(id);
const state = {about: null, head: null, heights: null, points: null, pixels: null, orders: {}, frames: 0, dragged: null};
window.motiformScreen = state; // what is shown now, for whoever looks at the page from outside

// ---- talk: one message at a time, each answered by the picture of now -------------------------------------------
const order = given => Object.assign(state.orders, given);
let socket, wanted = new URLSearchParams(location.search).get("scene"), asked = false;

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/screen`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => { asked = false; ask(wanted ? {about: true, scene: wanted} : {about: true}); wanted = null; };
  socket.onmessage = event => { asked = false; take(event.data); };
  socket.onclose = () => { say("The studio has ended."); setTimeout(connect, 2000); };
}

function ask(extra) {
  if (asked || socket.readyState !== WebSocket.OPEN) return;
  asked = true;
  const message = Object.assign(state.orders, extra);
  state.orders = message.press && message.lift ? {lift: true} : {}; // a stroke is there for a message at least
  if (message.press) delete message.lift;
  socket.send(JSON.stringify(message));
}

function take(data) {
  if (typeof data === "string") {
    const said = JSON.parse(data);
    if (said.error) { say(said.error); state.refused = said.error; } else learn(said);
    next();
    return;
  }
  const length = new DataView(data).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  let at = 4 + length;
  const pins = head.rows * head.columns;
  state.heights = new Float32Array(data, at, pins); at += 4 * pins;
  state.points = new Float32Array(data, at, 3 * head.points); at += 12 * head.points;
  state.pixels = new Uint8Array(data, at, 3 * pins);
  state.head = head;
  state.frames++;
  if (!state.about || head.version !== state.about.version) { ask({about: true}); return; }
  if (!state.refused) say(head.message || (head.softened < 1 ?
    `Engravers of the scene are softened to ${Math.round(100 * head.softened)} %: more would diverge with this law.` : ""));
  draw();
  next();
}

function next() { setTimeout(() => requestAnimationFrame(() => ask({})), 20); }
function say(text) { if ($("message").textContent !== text) $("message").textContent = text; }

function learn(about) {
  state.about = about;
  fill($("scene"), Object.keys(about.scenes), name => about.scenes[name], about.scene);
  fill($("operator"), about.operators, name => name, about.operator);
  $("presets").replaceChildren(...about.presets.map(name => {
    const button = document.createElement("button");
    button.textContent = name; button.dataset.law = name;
    button.onclick = () => { state.refused = null; order({law: name}); };
    return button;
  }));
  $("scale").value = about.scale;
}

function fill(select, values, label, chosen) {
  select.replaceChildren(...values.map(value => new Option(label(value), value, false, value === chosen)));
}

// ---- one projection for motion and form: x to the right, rows of the grid into the picture, heights up ----------
function view() {
  const {rows, columns} = state.head, tilt = state.about.upright ? 0.86 : 0.55;
  const width = 640, margin = 14, unit = (width - 2 * margin) / Math.max(columns - 1, 1);
  const lift = unit / (state.about.spacing * state.head.every) * Math.sqrt(1 - tilt * tilt) * Number($("scale").value);
  const high = Math.min(0.25 * width, 12 * unit + 40);
  const height = Math.round(tilt * unit * (rows - 1) + 2 * margin + high);
  return {width, height, margin, unit, tilt, lift, x: c => margin + c * unit,
    y: (r, h) => margin + high + r * unit * tilt - h * lift, top: margin + high};
}

function canvas(id, width, height) {
  const found = $(id);
  if (found.width !== width || found.height !== height) { found.width = width; found.height = height; }
  return found.getContext("2d");
}

function draw() {
  const seen = view();
  drawMotion(seen); drawForm(seen); drawImage(); drawPlane();
  const {head} = state, [ks, zs, kv, zv] = head.law;
  $("time").textContent = `${head.time.toFixed(1)} s`;
  $("run").textContent = head.running ? "Hold" : "Go on";
  $("law").textContent = `law = { stiffness = ${ks}, damping = ${zs}, neighbour_stiffness = ${kv}, neighbour_damping = ${zv} }`;
  $("regimes").textContent = `Lowest mode: ${head.regimes[0]}; highest: ${head.regimes[1]}.`;
}

function drawMotion(seen) {
  const paint = canvas("motion", seen.width, seen.height), {head, points, about} = state;
  paint.fillStyle = "#eef2f5"; paint.fillRect(0, 0, seen.width, seen.height);
  paint.strokeStyle = "#c8d1da"; paint.lineWidth = 1; paint.beginPath();
  for (let k = 0; k <= 8; k++) {
    const c = (head.columns - 1) * k / 8, r = (head.rows - 1) * k / 8;
    paint.moveTo(seen.x(c), seen.y(0, 0)); paint.lineTo(seen.x(c), seen.y(head.rows - 1, 0));
    paint.moveTo(seen.x(0), seen.y(r, 0)); paint.lineTo(seen.x(head.columns - 1), seen.y(r, 0));
  }
  paint.stroke();
  const order = Array.from({length: head.points}, (_, k) => k).sort((a, b) => points[3 * a + 1] - points[3 * b + 1]);
  const lift = seen.lift / Number($("scale").value); // places of matter are as they are
  for (const k of order) {
    const r = Math.max(1.5, (about.points.radius[k] || 0) * seen.unit / head.every);
    const x = seen.x(points[3 * k]), y = seen.top + points[3 * k + 1] * seen.unit * seen.tilt - points[3 * k + 2] * lift;
    if (y < -r || y > seen.height + r) continue;
    const [red, green, blue] = about.points.color[k] || [60, 80, 100];
    paint.fillStyle = `rgb(${red},${green},${blue})`;
    paint.beginPath(); paint.arc(x, y, r, 0, 7); paint.fill();
    if (r > 3) { paint.strokeStyle = "#0003"; paint.stroke(); }
  }
  if (!head.points) {
    paint.fillStyle = "#6b7884"; paint.font = "14px system-ui";
    paint.fillText("no matter: the pointer alone engraves", seen.margin, 24);
  }
  if (state.stroke) {
    paint.strokeStyle = "#D55E00"; paint.lineWidth = 2; paint.beginPath();
    paint.ellipse(seen.x(state.stroke[0] / head.every), seen.y(state.stroke[1] / head.every, 0),
      $("reach").value * seen.unit / head.every, $("reach").value * seen.unit * seen.tilt / head.every, 0, 0, 7);
    paint.stroke();
  }
}

// Columns of pixels from the front to the back: what is behind shows only above what is before it.
function drawForm(seen) {
  const paint = canvas("form", seen.width, seen.height), {rows, columns, every} = state.head, h = state.heights;
  const [red, green, blue] = state.about.color, slope = Number($("scale").value) / (2 * state.about.spacing * every);
  const picture = paint.createImageData(seen.width, seen.height), out = new Uint32Array(picture.data.buffer);
  out.fill(0xfff5f2ee);
  for (let px = Math.ceil(seen.x(0)); px <= seen.x(columns - 1); px++) {
    const c = (px - seen.margin) / seen.unit, c0 = Math.min(Math.floor(c), columns - 2), part = c - c0;
    const left = Math.max(c0 - 1, 0), right = Math.min(c0 + 2, columns - 1);
    let edge = seen.height, below = null;
    for (let r = rows - 1; r >= 0; r--) {
      const row = r * columns, up = Math.max(r - 1, 0) * columns, down = Math.min(r + 1, rows - 1) * columns;
      const height = h[row + c0] * (1 - part) + h[row + c0 + 1] * part;
      const y = Math.max(Math.ceil(seen.y(r, height)), 0);
      if (below === null) edge = Math.min(Math.ceil(seen.y(r, height) + 10), seen.height); // the rim of the block
      if (y < edge) {
        const dx = slope * ((h[row + right] - h[row + c0]) * part + (h[row + c0 + 1] - h[row + left]) * (1 - part));
        const dy = slope * (h[down + c0] - h[up + c0]);
        const shine = (0.42 * dx + 0.5 * dy + 0.76) / Math.sqrt(1 + dx * dx + dy * dy);
        const light = below === null ? 0.55 : 0.28 + 0.8 * Math.max(shine, 0);
        const color = 0xff000000 | Math.min(255, blue * light) << 16 | Math.min(255, green * light) << 8
          | Math.min(255, red * light);
        for (let py = y; py < edge; py++) out[py * seen.width + px] = color;
        edge = y;
      }
      below = height;
    }
  }
  paint.putImageData(picture, 0, 0);
}

function drawImage() {
  const {rows, columns} = state.head, paint = canvas("image", columns, rows), p = state.pixels;
  const picture = paint.createImageData(columns, rows);
  for (let k = 0; k < rows * columns; k++) {
    picture.data[4 * k] = p[3 * k]; picture.data[4 * k + 1] = p[3 * k + 1]; picture.data[4 * k + 2] = p[3 * k + 2];
    picture.data[4 * k + 3] = 255;
  }
  paint.putImageData(picture, 0, 0);
}

// ---- the plane (K, Z) -------------------------------------------------------------------------------------------
const PLANE = {width: 560, height: 300, left: 34, bottom: 34, unit: 124};
const onPlane = ([K, Z]) => [PLANE.left + K * PLANE.unit, PLANE.height - PLANE.bottom - Z * PLANE.unit];
const inTriangle = ([K, Z]) => {
  K = Math.min(Math.max(K, 0), 4); Z = Math.max(Z, 0);
  return K + 2 * Z <= 4 ? [K, Z] : [K, Math.max(0, (4 - K) / 2)];
};

function drawPlane() {
  const paint = canvas("plane", PLANE.width, PLANE.height), path = points => {
    paint.beginPath();
    points.forEach((point, k) => k ? paint.lineTo(...onPlane(point)) : paint.moveTo(...onPlane(point)));
  };
  paint.clearRect(0, 0, PLANE.width, PLANE.height);
  paint.font = "13px system-ui";
  path([[0, 0], [4, 0], [0, 2]]); paint.closePath(); paint.fillStyle = "#e3ecf5"; paint.fill();
  path([...state.about.curve, [1, 0], [0, 0]]); paint.fillStyle = "#f6ead7"; paint.fill();
  path([...state.about.curve, [0, 1]]); paint.closePath(); paint.fillStyle = "#dcefe3"; paint.fill();
  path(state.about.curve); paint.strokeStyle = "#7d8a97"; paint.lineWidth = 1; paint.stroke();
  path([[0, 0], [4, 0], [0, 2]]); paint.closePath(); paint.strokeStyle = "#2c5f8a"; paint.stroke();
  paint.fillStyle = "#6b7884";
  paint.fillText("overdamped", ...onPlane([0.06, 0.83])); paint.fillText("oscillating", ...onPlane([0.45, 0.3]));
  paint.fillText("K + 2Z = 4", ...onPlane([2.5, 0.85])); paint.fillText("K = k Te²/m", ...onPlane([3.25, -0.2]));
  paint.fillText("Z = z Te/m", ...onPlane([-0.22, 2.06]));
  for (const [name, point] of Object.entries(state.about.cardinal)) {
    const [x, y] = onPlane(point);
    paint.beginPath(); paint.arc(x, y, 3, 0, 7); paint.fillStyle = "#42526b"; paint.fill();
    paint.fillText(name, x + 6, y - 6);
  }
  const [low, high] = shownSegment();
  path([low, high]); paint.strokeStyle = "#D55E00"; paint.lineWidth = 5; paint.stroke();
  for (const [end, fill, radius] of [[high, "#1d2733", 9], [low, "#ffffff", 5]]) {
    paint.beginPath(); paint.arc(...onPlane(end), radius, 0, 7);
    paint.fillStyle = fill; paint.fill(); paint.strokeStyle = "#D55E00"; paint.lineWidth = 2.5; paint.stroke();
  }
}

const shownSegment = () => state.dragged ? state.dragged.segment : state.head.segment;

function ofPlane(event) {
  const box = $("plane").getBoundingClientRect(), k = PLANE.width / box.width;
  return [((event.clientX - box.left) * k - PLANE.left) / PLANE.unit,
    (PLANE.height - PLANE.bottom - (event.clientY - box.top) * k) / PLANE.unit];
}

$("plane").onpointerdown = event => {
  const at = ofPlane(event), segment = state.head.segment.map(end => end.slice());
  const far = segment.map(end => Math.hypot(end[0] - at[0], end[1] - at[1]));
  const near = Math.min(...far) < 0.12;
  const one = far[0] < far[1] || (near && far[0] === far[1] && !event.shiftKey) ? 0 : 1;
  state.dragged = {segment, from: at, start: segment.map(end => end.slice()), ends: near ? [one] : [0, 1]};
  state.refused = null;
  $("plane").setPointerCapture(event.pointerId);
};
$("plane").onpointermove = event => {
  const drag = state.dragged;
  if (!drag) return;
  const at = ofPlane(event);
  for (const k of drag.ends) {
    drag.segment[k] = inTriangle([0, 1].map(n => drag.start[k][n] + at[n] - drag.from[n]));
  }
  order({segment: drag.segment});
};
$("plane").onpointerup = () => { state.dragged = null; };

// ---- engraving --------------------------------------------------------------------------------------------------
function pinUnder(id, event) {
  const box = $(id).getBoundingClientRect(), {rows, columns, every} = state.head;
  const x = (event.clientX - box.left) / box.width, y = (event.clientY - box.top) / box.height;
  if (id === "image") return [(x * columns - 0.5) * every, (y * rows - 0.5) * every];
  const seen = view();
  return [(x * seen.width - seen.margin) / seen.unit * every, (y * seen.height - seen.top) / (seen.unit * seen.tilt) * every];
}

for (const id of ["motion", "form", "image"]) {
  const press = event => {
    if (!state.head) return;
    state.stroke = pinUnder(id, event);
    order({press: [...(state.orders.press || []), state.stroke], below: event.shiftKey || event.buttons === 2});
  };
  $(id).oncontextmenu = event => event.preventDefault();
  $(id).onpointerdown = event => { state.refused = null; $(id).setPointerCapture(event.pointerId); press(event); };
  $(id).onpointermove = event => { if (state.stroke) press(event); };
  $(id).onpointerup = $(id).onpointercancel = () => { state.stroke = null; order({lift: true}); };
}

// ---- buttons ----------------------------------------------------------------------------------------------------
$("scene").onchange = () => { state.refused = null; order({scene: $("scene").value}); };
$("operator").onchange = () => order({operator: $("operator").value});
$("reach").oninput = () => order({reach: Number($("reach").value)});
$("level").onclick = () => order({level: true});
$("save").onclick = () => { state.refused = null; order({save: true}); };
$("begin").onclick = () => { state.refused = null; order({begin: true, run: true}); };
$("run").onclick = () => order({run: !state.head.running});
connect();
