// All cores over the whole launch: a row a core. A click shows a core, dragging chooses a time.
const OVER_TOP = 5;

class Overview {
  constructor(model, view, choose) {
    Object.assign(this, {model, view, choose, pipe: 'any'});
    this.canvas = element('canvas', {tabindex: 0, role: 'img', id: 'overview'});
    this.window = element('div', {class: 'window', 'aria-hidden': 'true'});
    this.holder = element('div', {class: 'holder'}, this.canvas, this.window);
    const pipes = [...new Set(model.cores.flatMap(core => model.pipesOf(core)))];
    this.select = element('select', {id: 'overview-pipe', onchange: () => { this.pipe = this.select.value; this.draw(); }},
      element('option', {value: 'any'}, 'the core: any pipe but the scalar unit'),
      ...pipes.map(pipe => element('option', {value: pipe}, `${pipe}: ${PIPE_WORDS[pipe]}`)));
    this.node = element('div', {},
      element('div', {class: 'controls'}, element('label', {for: 'overview-pipe'}, 'Rows show '), this.select,
        element('span', {class: 'hint'}, 'The line is the critical path. Click: a core. Drag: a time.')),
      this.holder);
    this.listen();
    view.onChange(() => this.drawWindow());
    redraws.push(() => this.draw());
  }

  get left() { return this.canvas.clientWidth < 700 ? 104 : 118; }
  get right() { return 50; }
  get width() { return Math.max(Math.floor(this.canvas.clientWidth - this.left - this.right), 10); }
  rowHeight() {
    return Math.max(4, Math.min(14, Math.floor(420 / this.model.cores.length)));
  }
  trackOf(core) {
    if (this.pipe === 'any') return this.model.coreTrack(core);
    return core.pipes[this.pipe] ? this.model.track(core, this.pipe) : null;
  }
  mark(core) {
    this.chosen = core;
    this.draw();
  }

  draw() {
    const {model} = this, row = this.rowHeight(), height = OVER_TOP + model.cores.length * row + 24;
    const g = prepared(this.canvas, height), colors = classColors(), ink = style('ink'), soft = style('soft');
    const every = Math.max(1, Math.ceil(12 / row));
    g.font = CANVAS_FONT;
    g.textBaseline = 'middle';
    model.cores.forEach((core, i) => {
      const y = OVER_TOP + i * row, track = this.trackOf(core), chosen = core === this.chosen;
      if (track) {
        const shares = sharesOf(track, 0, model.cycles, this.width);
        paintShares(g, shares, this.left, y, this.width, row - 1, colors);
      }
      if (i % every && !chosen) return;
      g.fillStyle = chosen ? ink : soft;
      g.font = chosen ? 'bold ' + CANVAS_FONT : CANVAS_FONT;
      if (chosen || !this.nearChosen(i, every)) {
        g.fillText(core.name, 2, y + row / 2, this.left - 8);
        if (track) g.fillText(percent(this.busyOf(track)), this.left + this.width + 6, y + row / 2);
      }
    });
    g.font = CANVAS_FONT;
    this.drawPath(g, row, ink);
    drawTimeAxis(g, this.left, this.width, OVER_TOP + model.cores.length * row, 0, model.cycles, soft);
    g.fillStyle = soft;
    g.fillText('works', this.left + this.width + 6, OVER_TOP + model.cores.length * row + 14);
    this.canvas.setAttribute('aria-label', this.words());
    this.drawWindow();
  }

  nearChosen(i, every) {
    return this.chosen && every > 1 && Math.abs(this.chosen.index - i) < every;
  }
  busyOf(track) {
    let busy = 0;
    for (let i = 0, begin = 0; i < track.ends.length; begin = track.ends[i++]) {
      if (track.classes[i] === BUSY) busy += track.ends[i] - begin;
    }
    return busy / this.model.cycles;
  }
  words() {
    return `All ${this.model.cores.length} cores over the launch. Left and right arrows move the shown time, ` +
      'up and down choose a core.' + (this.chosen ? ` Chosen: ${this.chosen.name}.` : '');
  }

  /** In each column, the core that most of the path is on. */
  drawPath(g, row, ink) {
    const {path, cycles} = this.model, sums = new Map(), perColumn = cycles / this.width;
    const best = new Int32Array(this.width).fill(-1), most = new Float64Array(this.width);
    for (let i = 0, begin = 0; i < path.count; begin = path.ends[i++]) {
      const core = path.cores[i];
      spread(begin, path.ends[i], 0, perColumn, this.width, (column, share) => {
        const key = column * 65536 + core, sum = (sums.get(key) ?? 0) + share;
        sums.set(key, sum);
        if (sum > most[column]) most[column] = sum, best[column] = core;
      });
    }
    g.fillStyle = ink;
    for (let column = 0; column < this.width; ++column) {
      if (best[column] < 0) continue;
      const y = OVER_TOP + best[column] * row + row - 2.5;
      g.fillRect(this.left + column, y, 1, 2.5);
      const before = column ? best[column - 1] : best[column];
      if (before >= 0 && before !== best[column]) {
        const other = OVER_TOP + before * row + row - 2.5;
        g.globalAlpha = 0.55;
        g.fillRect(this.left + column, Math.min(y, other), 1, Math.abs(y - other));
        g.globalAlpha = 1;
      }
    }
  }

  drawWindow() {
    const {view} = this, all = view.to - view.from >= view.last * 0.999;
    this.window.hidden = all;
    const x = cycle => this.left + cycle / view.last * this.width;
    this.window.style.left = x(view.from) + 'px';
    this.window.style.width = Math.max(x(view.to) - x(view.from), 2) + 'px';
    this.window.style.top = OVER_TOP + 'px';
    this.window.style.height = this.model.cores.length * this.rowHeight() + 'px';
  }

  listen() {
    const cycleAt = event => Math.min(Math.max((event.offsetX - this.left) / this.width, 0), 1) * this.view.last;
    const coreAt = event => this.model.cores[Math.floor((event.offsetY - OVER_TOP) / this.rowHeight())];
    this.canvas.addEventListener('pointerdown', event => {
      this.drag = {cycle: cycleAt(event), x: event.offsetX, core: coreAt(event)};
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', event => {
      if (this.drag && Math.abs(event.offsetX - this.drag.x) > 4) {
        this.drag.moved = true;
        const [a, b] = [this.drag.cycle, cycleAt(event)];
        this.view.show(Math.min(a, b), Math.max(a, b));
        return;
      }
      const core = coreAt(event);
      if (!core) return hideTip();
      const track = this.trackOf(core), cycle = cycleAt(event);
      const klass = track ? CLASSES[track.classes[Math.min(firstAbove(track.ends, cycle), track.classes.length - 1)]] : 'done';
      showTip(event.clientX, event.clientY, `${core.name}\n${time(microsOf(cycle))}: ${CLASS_WORDS[klass]}` +
        (track ? `\nworks for ${percent(this.busyOf(track))} of the launch` : '') + '\nclick for its pipes');
    });
    this.canvas.addEventListener('pointerup', () => {
      if (this.drag && !this.drag.moved && this.drag.core) this.choose(this.drag.core);
      this.drag = null;
    });
    this.canvas.addEventListener('pointerleave', hideTip);
    this.canvas.addEventListener('keydown', event => {
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (step) {
        const {cores} = this.model, index = ((this.chosen?.index ?? -1) + step + cores.length) % cores.length;
        this.choose(cores[index]);
      } else if (!viewKey(this.view, event)) {
        return;
      }
      event.preventDefault();
    });
  }
}
