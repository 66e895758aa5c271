// The pipes of one core over time, on a canvas: wheel zooms at the pointer, dragging moves.
const ROW = 16, PIPE_GAP = 8, LABEL = 64, AXIS = 24;
const PIPE_ORDER = ['S', 'MTE2', 'MTE1', 'M', 'FIX', 'V', 'MTE3'];
const WORK = 0, SET = 1, WAIT = 2, BARRIER = 3;

/** Events of a pipe as objects, with rows so that those that overlap lie below one another. */
function unpack(flat) {
  const events = [], rows = [];
  let start = data.timeline.start;
  for (let i = 0; i < flat.length; i += 6) {
    start += flat[i];
    const event = {start, end: start + flat[i + 1], name: flat[i + 2], code: flat[i + 3], kind: flat[i + 4], count: flat[i + 5]};
    let row = rows.findIndex(end => end <= event.start);
    if (row < 0) row = rows.push(0) - 1;
    rows[row] = event.end;
    event.row = row;
    events.push(event);
  }
  return {events, rows: Math.max(rows.length, 1)};
}

class TimelineView {
  constructor(card) {
    const texts = data.timeline.texts;
    this.text = index => texts[index] || '';
    this.first = data.timeline.start;
    this.last = Math.max(data.timeline.end, this.first + 1);
    this.from = this.first;
    this.to = this.last;
    this.select = element('select', {title: 'core'}, ...data.timeline.cores.map(core =>
      element('option', {value: core.name}, core.name)));
    this.view = element('span', {class: 'view', id: 'view'});
    this.canvas = element('canvas');
    card.append(element('div', {class: 'controls'}, this.select,
      element('button', {type: 'button', onclick: () => this.zoom(0.5, 0.5)}, '+'),
      element('button', {type: 'button', onclick: () => this.zoom(2, 0.5)}, '−'),
      element('button', {type: 'button', id: 'all', onclick: () => this.show(this.first, this.last)}, 'all'),
      this.view), this.canvas,
      legend([...PIPE_ORDER.map(pipe => [pipe, pipe]), ['wait_flag', 'waits for a flag'], ['barrier', 'barrier']]));
    this.select.addEventListener('change', () => this.choose(this.select.value));
    this.listen();
    this.choose(this.select.value);
    redraws.push(() => this.draw());
  }

  choose(name) {
    const core = data.timeline.cores.find(c => c.name === name);
    if (!core) return;
    this.select.value = name;
    this.pipes = PIPE_ORDER.filter(pipe => core.pipes[pipe])
      .map(pipe => ({pipe, ...unpack(core.pipes[pipe])}));
    let y = AXIS;
    for (const pipe of this.pipes) {
      pipe.y = y;
      y += pipe.rows * ROW + PIPE_GAP;
    }
    this.height = y;
    this.draw();
  }

  show(from, to) {
    const span = Math.min(Math.max(to - from, 4), this.last - this.first);
    this.from = Math.min(Math.max(from, this.first), this.last - span);
    this.to = this.from + span;
    this.draw();
  }

  /** `place`: the share of the width that stays where it is. */
  zoom(factor, place) {
    const at = this.from + (this.to - this.from) * place;
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  listen() {
    const canvas = this.canvas;
    const place = event => (event.offsetX - LABEL) / (canvas.clientWidth - LABEL);
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
        const shift = (event.deltaX || event.deltaY) / canvas.clientWidth * (this.to - this.from);
        this.show(this.from + shift, this.to + shift);
      } else {
        this.zoom(Math.exp(event.deltaY * 0.002), Math.min(Math.max(place(event), 0), 1));
      }
    }, {passive: false});
    canvas.addEventListener('pointerdown', event => {
      this.drag = {x: event.offsetX, from: this.from, to: this.to};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointerup', () => { this.drag = null; });
    canvas.addEventListener('pointermove', event => {
      if (this.drag) {
        const shift = (this.drag.x - event.offsetX) / (canvas.clientWidth - LABEL) * (this.drag.to - this.drag.from);
        this.show(this.drag.from + shift, this.drag.to + shift);
        return;
      }
      const hit = this.hit(event.offsetX, event.offsetY);
      hit ? showTip(event, this.describe(hit)) : hideTip();
    });
    canvas.addEventListener('pointerleave', hideTip);
    canvas.addEventListener('dblclick', () => this.show(this.first, this.last));
  }

  hit(x, y) {
    const cycle = this.from + (x - LABEL) / this.scale, slack = 2 / this.scale;
    for (const pipe of this.pipes) {
      const row = Math.floor((y - pipe.y) / ROW);
      if (row < 0 || row >= pipe.rows) continue;
      const event = pipe.events.find(e => e.row === row && e.start - slack <= cycle && cycle < e.end + slack);
      return event && {pipe: pipe.pipe, event};
    }
    return null;
  }

  describe({pipe, event}) {
    const name = event.count > 1 ? `${event.count} instructions, too short to tell apart` : this.text(event.name);
    const cycles = event.end - event.start;
    const lines = [`${name} on ${pipe}`,
      `cycles ${whole(event.start - this.first)} to ${whole(event.end - this.first)}: ${whole(cycles)} (${microseconds(cycles)})`];
    if (event.kind === WAIT) lines.push('waits for a flag');
    const code = this.text(event.code);
    if (code) {
      lines.push(fileName(code));
      const text = sourceLine(code);
      if (text) lines.push(text.trim());
    }
    return lines.join('\n');
  }

  color(pipe, kind) {
    return this.colors[kind === WAIT ? 'wait_flag' : kind === BARRIER ? 'barrier' : pipe];
  }

  draw() {
    const width = this.canvas.clientWidth, ratio = devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = this.height * ratio;
    this.canvas.style.height = this.height + 'px';
    this.scale = (width - LABEL) / (this.to - this.from);
    this.colors = Object.fromEntries([...PIPE_ORDER, 'wait_flag', 'barrier', 'ink', 'soft', 'line', 'wash']
      .map(name => [name, style(name)]));
    const g = this.canvas.getContext('2d');
    g.scale(ratio, ratio);
    g.font = '11px system-ui, sans-serif';
    this.axis(g, width);
    for (const pipe of this.pipes) this.drawPipe(g, pipe, width);
    this.view.textContent = `cycles ${whole(this.from - this.first)} to ${whole(this.to - this.first)} of ` +
      `${whole(this.last - this.first)} (${microseconds(this.to - this.from)} shown)`;
    this.view.dataset.from = this.from;
    this.view.dataset.to = this.to;
  }

  axis(g, width) {
    const about = (this.to - this.from) / Math.max((width - LABEL) / 110, 1);
    const ten = 10 ** Math.floor(Math.log10(about));
    const step = Math.max([1, 2, 5, 10].map(n => n * ten).find(s => s >= about), 1);
    const offset = this.first;
    for (let t = Math.ceil((this.from - offset) / step) * step; t <= this.to - offset; t += step) {
      const x = LABEL + (t + offset - this.from) * this.scale;
      g.fillStyle = this.colors.line;
      g.fillRect(x, AXIS - 6, 1, this.height - AXIS);
      g.fillStyle = this.colors.soft;
      g.fillText(whole(t), x + 3, 12);
    }
  }

  drawPipe(g, pipe, width) {
    g.fillStyle = this.colors.ink;
    g.fillText(pipe.pipe, 4, pipe.y + 12);
    g.save();
    g.beginPath();
    g.rect(LABEL, pipe.y, width - LABEL, pipe.rows * ROW);
    g.clip();
    const drawnUntil = new Float64Array(pipe.rows);
    for (const event of pipe.events) {
      if (event.end < this.from || event.start > this.to) continue;
      const x = LABEL + (event.start - this.from) * this.scale;
      const w = Math.max((event.end - event.start) * this.scale, 0.6);
      if (x + w < drawnUntil[event.row] + 0.3) continue;  // under a pixel that is drawn already
      drawnUntil[event.row] = x + w;
      g.fillStyle = this.color(pipe.pipe, event.kind);
      g.globalAlpha = event.kind === WAIT ? 0.4 : event.count > 1 ? 0.75 : 1;
      g.fillRect(x, pipe.y + event.row * ROW + 1, w > 3 ? w - 0.7 : w, ROW - 3);
      g.globalAlpha = 1;
      const name = event.count > 1 ? '' : this.text(event.name);
      if (w > 7 * name.length + 6 && name) {
        g.fillStyle = event.kind === WAIT ? this.colors.ink : '#fff';
        g.fillText(name, Math.max(x, LABEL) + 3, pipe.y + event.row * ROW + 11.5);
      }
    }
    g.restore();
  }
}
