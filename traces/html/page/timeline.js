// The pipes of one core over time. A lane shows the share of each class; where there is room, the
// instructions are named, and those that overlap are drawn below one another.
const LANE = 22, ROW = 6, MOST_ROWS = 8, GAP = 9, TOP = 30;
const MOST_DRAWN = 1500, MOST_FLAGS = 300;

class Timeline {
  constructor(model, view, onChoose) {
    Object.assign(this, {model, view, onChoose, flags: false, selected: null, marks: []});
    this.canvas = element('canvas', {tabindex: 0, role: 'img', id: 'lanes'});
    this.range = element('span', {class: 'range', id: 'view'});
    this.select = element('select', {id: 'core', onchange: () => this.choose(model.cores[this.select.selectedIndex])},
      ...model.cores.map(core => element('option', {value: core.name}, core.name)));
    this.flagBox = element('input', {type: 'checkbox', id: 'flags', onchange: () => { this.flags = this.flagBox.checked; this.draw(); }});
    const button = (words, label, act) => element('button', {type: 'button', 'aria-label': label, title: label, onclick: act}, words);
    this.controls = element('div', {class: 'controls'},
      element('label', {for: 'core'}, 'Core '), this.select,
      button('+', 'zoom in', () => view.zoom(0.5)), button('−', 'zoom out', () => view.zoom(2)),
      button('◀', 'earlier', () => view.move(-0.5)), button('▶', 'later', () => view.move(0.5)),
      button('all', 'show the whole launch', () => view.all()),
      element('label', {}, this.flagBox, ' flags'), this.range);
    this.detail = element('p', {class: 'detail', id: 'detail'},
      'Wheel zooms, dragging moves, a click chooses an instruction. Keys: arrows, +, −, Home; n and p go from instruction to instruction, f shows flags.');
    this.node = element('div', {}, this.controls, this.canvas, this.detail);
    this.listen();
    view.onChange(() => this.draw());
    redraws.push(() => this.draw());
  }

  choose(core) {
    this.core = core;
    this.select.selectedIndex = core.index;
    this.selected = null;
    let y = TOP;
    this.lanes = this.model.pipesOf(core).map(pipe => {
      const events = this.model.events(core, pipe), rows = events.rows > 1 ? Math.min(events.rows, MOST_ROWS) : 0;
      const lane = {pipe, events, track: this.model.track(core, pipe), y, rows, height: LANE + rows * ROW};
      y += lane.height + GAP;
      return lane;
    });
    this.lane = this.lanes[0];
    this.height = y + 14;
    this.onChoose(core);
    this.draw();
  }

  get left() { return 62; }
  /** Even, so that columns may be two pixels wide. */
  get width() { return Math.max(2 * Math.floor((this.canvas.clientWidth - this.left - 4) / 2), 10); }
  get scale() { return this.width / (this.view.to - this.view.from); }
  x(cycle) { return this.left + (cycle - this.view.from) * this.scale; }

  draw() {
    if (!this.core) return;
    const {view, width} = this, g = this.g = prepared(this.canvas, this.height);
    this.colors = classColors();
    this.ink = style('ink');
    this.soft = style('soft');
    this.card = style('card');
    this.flight = style('flight');
    this.onColors = CLASSES.map(name => style(name + '-ink'));
    g.font = CANVAS_FONT;
    this.drawPathLane(g);
    for (const lane of this.lanes) this.drawLane(g, lane);
    if (this.flags) this.drawFlags(g);
    this.drawSelected(g);
    drawTimeAxis(g, this.left, width, this.height - 22, view.from, view.to, this.soft);
    const total = microsOf(view.last);
    this.range.textContent = `${time(microsOf(view.from))} to ${time(microsOf(view.to))} of ${time(total)} ` +
      `(${whole(view.to - view.from)} of ${whole(view.last)} cycles)`;
    this.range.dataset.from = view.from;
    this.range.dataset.to = view.to;
    this.canvas.setAttribute('aria-label', this.words());
  }

  words() {
    const {view, core} = this;
    const busy = this.lanes.map(lane => {
      const shares = sharesOf(lane.track, view.from, view.to, 1);
      return `${lane.pipe} works ${percent(shares[BUSY])}`;
    });
    return `${core.name}, ${time(microsOf(view.from))} to ${time(microsOf(view.to))}: ${busy.join(', ')}`;
  }

  /** The whole critical path, and where it is when it is on other cores. */
  drawPathLane(g) {
    const {path, cores} = this.model, {view, width} = this;
    g.fillStyle = this.soft;
    g.textBaseline = 'middle';
    g.fillText('path', 2, 12);
    const step = this.columnWidth(firstAbove(path.ends, view.to) - firstAbove(path.ends, view.from));
    paintShares(g, sharesOf(path, view.from, view.to, width / step), this.left, 4, width / step, 16, this.colors, step);
    g.strokeStyle = this.ink;
    eachStretch(path, view.from, view.to, (begin, end, i) => {
      const x = Math.max(this.x(begin), this.left), w = Math.min(this.x(end), this.left + width) - x;
      if (w > 46) this.label(g, `${PIPE_NAMES[path.pipes[i]]} ${cores[path.cores[i]].name}`, x, w, 12, path.classes[i]);
    });
  }

  /** Where several states share a pixel, columns of two pixels take half the time and lose nothing to see. */
  columnWidth(states) {
    return states > 2 * this.width ? 2 : 1;
  }

  /** Text on the colour of a class, as much as there is room for. */
  label(g, words, x, width, y, klass) {
    if (g.measureText(words).width > width - 6) words = words.split(' ')[0];
    if (g.measureText(words).width > width - 6) return;
    g.fillStyle = this.onColors[klass];
    g.fillText(words, x + 3, y);
  }

  drawLane(g, lane) {
    const {view, width} = this;
    g.textBaseline = 'middle';
    g.fillStyle = this.ink;
    g.font = lane === this.lane ? 'bold ' + CANVAS_FONT : CANVAS_FONT;
    g.fillText(lane.pipe, 2, lane.y + LANE / 2);
    g.font = CANVAS_FONT;
    const {ends} = lane.track, step = this.columnWidth(firstAbove(ends, view.to) - firstAbove(ends, view.from));
    const shares = sharesOf(lane.track, view.from, view.to, width / step);
    paintShares(g, shares, this.left, lane.y, width / step, LANE, this.colors, step);
    const [first, last] = inView(lane.events, view.from, view.to);
    if (last - first <= MOST_DRAWN) this.drawInstructions(g, lane, first, last);
    else if (lane.rows) this.drawFlight(g, lane);
    this.drawPathOn(g, lane);
    this.drawMarks(g, lane);
  }

  /** What is in flight, on average, where single instructions would be too narrow. */
  drawFlight(g, lane) {
    const flight = inFlight(lane.events, this.view.from, this.view.to, this.width / 2);
    const height = lane.rows * ROW - 2;
    g.fillStyle = this.flight;
    flight.forEach((count, column) => {
      const h = Math.min(count / lane.rows, 1) * height;
      if (h > 0) g.fillRect(this.left + 2 * column, lane.y + LANE + 2 + height - h, 2, h);
    });
  }

  drawInstructions(g, lane, first, last) {
    const {events} = lane, right = this.left + this.width;
    for (let i = first; i < last; ++i) {
      if (events.kinds[i] === SET || events.ends[i] < this.view.from) continue;
      const x = Math.max(this.x(events.starts[i]), this.left), w = Math.min(this.x(events.ends[i]), right) - x;
      if (lane.rows && events.kinds[i] === WORK) {
        g.fillStyle = this.flight;
        g.fillRect(x, lane.y + LANE + 2 + Math.min(events.row[i], lane.rows - 1) * ROW, Math.max(w - 0.5, 0.5), ROW - 2);
      }
      if (w < 4) continue;
      g.fillStyle = this.card;
      if (this.x(events.starts[i]) >= this.left) g.fillRect(x, lane.y, 0.7, LANE);
      if (w < 30 || this.overlaps(events, i)) continue;
      const at = Math.min(firstAbove(lane.track.ends, events.starts[i]), lane.track.classes.length - 1);
      this.label(g, this.model.texts[events.names[i]], x, w, lane.y + LANE / 2 - 1, lane.track.classes[at]);
    }
  }
  overlaps(events, i) {
    return (i + 1 < events.count && events.starts[i + 1] < events.ends[i]) || (i > 0 && events.ends[i - 1] > events.starts[i]);
  }

  /** A bar at the foot of the lane where the critical path is on it. */
  drawPathOn(g, lane) {
    const {path} = this.model, pipe = PIPE_NAMES.indexOf(lane.pipe), {view} = this;
    const step = this.columnWidth(firstAbove(path.ends, view.to) - firstAbove(path.ends, view.from));
    const count = this.width / step, cover = new Float32Array(count), perColumn = (view.to - view.from) / count;
    for (let i = firstAbove(path.ends, view.from); i < path.count; ++i) {
      const begin = i ? path.ends[i - 1] : 0;
      if (begin > view.to) break;
      if (path.cores[i] !== this.core.index || path.pipes[i] !== pipe) continue;
      spread(begin, path.ends[i], view.from, perColumn, count, (c, share) => { cover[c] += share; });
    }
    g.fillStyle = this.ink;
    paintCover(g, cover, this.left, lane.y + LANE - 3, 3, step);
  }

  /** Triangles above what the search found. */
  drawMarks(g, lane) {
    const found = this.marks.find(mark => mark.core === this.core && mark.pipe === lane.pipe);
    if (!found) return;
    const {events} = lane;
    let drawn = -9;
    g.fillStyle = this.ink;
    for (const i of found.indices) {
      const x = (Math.max(this.x(events.starts[i]), this.left) + Math.min(this.x(events.ends[i]), this.left + this.width)) / 2;
      if (events.ends[i] < this.view.from || events.starts[i] > this.view.to || x < drawn + 3) continue;
      drawn = x;
      g.beginPath();
      g.moveTo(x - 4, lane.y - 7);
      g.lineTo(x + 4, lane.y - 7);
      g.lineTo(x, lane.y - 1);
      g.fill();
    }
  }

  laneOf(pipe) { return this.lanes.find(lane => lane.pipe === pipe); }

  drawFlags(g) {
    let drawn = 0;
    for (const lane of this.lanes) {
      const [first, last] = inView(lane.events, this.view.from, this.view.to);
      for (let i = first; i < last; ++i) {
        if (lane.events.kinds[i] !== WAIT || !lane.events.links[i] || lane.events.ends[i] < this.view.from) continue;
        if (++drawn > MOST_FLAGS) continue;
        this.drawFlow(g, lane.events.links[i], 0.6);
      }
    }
    if (drawn <= MOST_FLAGS) return;
    g.fillStyle = this.ink;
    g.fillText(`${MOST_FLAGS} of ${whole(drawn)} flags drawn: zoom in for the others`, this.left + 6, TOP - 4);
  }

  /** An arrow from the end of a set to the end of each wait of this core that it releases. */
  drawFlow(g, id, alpha) {
    const ends = this.model.flow(id), set = ends.find(end => end.kind === SET);
    if (!set) return;
    const setCycle = this.model.events(set.core, set.pipe).ends[set.index];
    g.save();
    g.beginPath();
    g.rect(this.left, 0, this.width, this.height);
    g.clip();
    g.globalAlpha = alpha;
    g.strokeStyle = g.fillStyle = this.ink;
    for (const wait of ends) {
      if (wait.kind !== WAIT || wait.core !== this.core) continue;
      const to = this.laneOf(wait.pipe), from = set.core === this.core ? this.laneOf(set.pipe) : null;
      const x0 = this.x(setCycle), x1 = this.x(to.events.ends[wait.index]);
      const y0 = from ? from.y + LANE / 2 : TOP - 10, y1 = to.y + (to.y > y0 ? 1 : LANE - 1);
      g.beginPath();
      g.moveTo(x0, y0);
      g.lineTo(x1, y1);
      g.stroke();
      g.beginPath();
      const way = y1 > y0 ? -5 : 5;
      g.moveTo(x1 - 3, y1 + way);
      g.lineTo(x1 + 3, y1 + way);
      g.lineTo(x1, y1);
      g.fill();
      if (!from) g.fillText(set.core.name, Math.max(x0 + 4, this.left + 2), y0);
    }
    g.restore();
  }

  drawSelected(g) {
    if (!this.selected) return;
    const {lane, index} = this.selected, {events} = lane;
    const x = this.x(events.starts[index]), w = Math.max(this.x(events.ends[index]) - x, 2);
    g.save();
    g.beginPath();
    g.rect(this.left, 0, this.width, this.height);
    g.clip();
    g.strokeStyle = this.ink;
    g.lineWidth = 2;
    g.strokeRect(x, lane.y - 1, w, lane.height + 2);
    g.restore();
    if (events.kinds[index] !== WORK && events.links[index]) this.drawFlow(g, events.links[index], 1);
  }

  pick(lane, index) {
    if (index < 0 || index >= lane.events.count) return;
    this.lane = lane;
    this.selected = {lane, index};
    const {starts, ends} = lane.events, {view} = this;
    const words = this.describe(lane, index);
    this.detail.textContent = words.join(' · ');
    say(words.join(', '));
    if (ends[index] < view.from || starts[index] > view.to) {
      const half = (view.to - view.from) / 2, middle = (starts[index] + ends[index]) / 2;
      view.show(middle - half, middle + half);
    } else {
      this.draw();
    }
  }
  /** Chooses an instruction and shows it with room at both sides. */
  goTo(core, pipe, index) {
    if (core !== this.core) this.choose(core);
    const lane = this.laneOf(pipe), {starts, ends} = lane.events;
    const span = Math.max((ends[index] - starts[index]) * 6, 60), middle = (starts[index] + ends[index]) / 2;
    if (this.view.to - this.view.from > span * 20) this.view.show(middle - span / 2, middle + span / 2);
    this.pick(lane, index);
  }

  describe(lane, index) {
    const {events} = lane, cycles = events.ends[index] - events.starts[index], kind = events.kinds[index];
    const lines = [`${this.model.texts[events.names[index]]} on ${lane.pipe} of ${this.core.name}`,
      `at ${time(microsOf(events.starts[index]))} for ${time(microsOf(cycles))} (${whole(cycles)} cycles)`];
    const tensor = this.model.tensorOf(events, index);
    if (tensor) lines.push(`tensor ${tensor.name}`);
    if (kind === WAIT || kind === SET) {
      for (const end of this.model.flow(events.links[index])) {
        if (end.kind === kind) continue;
        lines.push(`${kind === WAIT ? 'set by' : 'releases'} ${end.pipe} of ${end.core.name} at ` +
          time(microsOf(this.model.events(end.core, end.pipe).ends[end.index])));
      }
    }
    const code = this.model.texts[events.lines[index]];
    if (code) lines.push(fileName(code) + (sourceLine(code) ? ': ' + sourceLine(code).trim() : ''));
    return lines;
  }

  hit(x, y) {
    const lane = this.lanes.find(l => y >= l.y && y < l.y + l.height);
    if (!lane || x < this.left) return null;
    const cycle = this.view.from + (x - this.left) / this.scale;
    const below = y - lane.y - LANE - 1;
    const row = lane.rows && below >= 0 ? Math.floor(below / ROW) : undefined;
    const at = Math.min(firstAbove(lane.track.ends, cycle), lane.track.classes.length - 1);
    return {lane, cycle, klass: CLASSES[lane.track.classes[at]], index: eventAt(lane.events, cycle, 1 / this.scale, row)};
  }

  hover(event) {
    const hit = this.hit(event.offsetX, event.offsetY);
    if (!hit) return hideTip();
    const lines = [`${hit.lane.pipe} ${CLASS_WORDS[hit.klass]}`];
    if (hit.index >= 0) lines.push(...this.describe(hit.lane, hit.index));
    else lines.push(`at ${time(microsOf(hit.cycle))} (cycle ${whole(hit.cycle)})`);
    showTip(event.clientX, event.clientY, lines.join('\n'));
  }

  listen() {
    const {canvas, view} = this;
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
        view.move((event.deltaX || event.deltaY) / this.width);
      } else {
        const place = (event.offsetX - this.left) / this.width;
        view.zoom(Math.exp(event.deltaY * 0.002), Math.min(Math.max(place, 0), 1));
      }
    }, {passive: false});
    canvas.addEventListener('pointerdown', event => {
      this.drag = {x: event.offsetX, from: view.from, to: view.to};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      if (!this.drag) return this.hover(event);
      if (Math.abs(event.offsetX - this.drag.x) > 3) this.drag.moved = true;
      const shift = (this.drag.x - event.offsetX) / this.width * (this.drag.to - this.drag.from);
      if (this.drag.moved) view.show(this.drag.from + shift, this.drag.to + shift);
    });
    canvas.addEventListener('pointerup', event => {
      const hit = this.drag && !this.drag.moved ? this.hit(event.offsetX, event.offsetY) : null;
      this.drag = null;
      if (hit && hit.index >= 0) this.pick(hit.lane, hit.index);
    });
    canvas.addEventListener('pointerleave', hideTip);
    canvas.addEventListener('dblclick', () => view.all());
    canvas.addEventListener('keydown', event => { if (this.key(event)) event.preventDefault(); });
  }

  key(event) {
    if (viewKey(this.view, event)) return true;
    const lanes = this.lanes, at = lanes.indexOf(this.lane);
    switch (event.key) {
      case 'ArrowDown': case 'ArrowUp':
        this.lane = lanes[(at + (event.key === 'ArrowDown' ? 1 : lanes.length - 1)) % lanes.length];
        say(`${this.lane.pipe}, ${PIPE_WORDS[this.lane.pipe]}, ${whole(this.lane.events.count)} instructions`);
        this.draw();
        return true;
      case 'n': case 'p': {
        const here = this.selected?.lane === this.lane ? this.selected.index
          : inView(this.lane.events, this.view.from, this.view.to)[0] - (event.key === 'n' ? 1 : 0);
        this.pick(this.lane, here + (event.key === 'n' ? 1 : -1));
        return true;
      }
      case 'f':
        this.flagBox.click();
        say(this.flags ? 'flags are shown' : 'flags are hidden');
        return true;
      default:
        return false;
    }
  }
}
