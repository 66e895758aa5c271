// The roofline: ceilings of the SoC and of its cores' ports, and where runs are below them.

/** FLOP/s ceilings, highest first. Work of vector units alone has none of the cubes'. */
function computeCeilings(peaks, costs) {
  const cubes = costs.some(cost => cubeFlops(cost) > 0);
  const of = key => costs.some(cost => cost[key] > 0);
  return [['cube 8 bit', peaks.cube_8bit, of('cube_flops_8bit')], ['cube 16 bit', peaks.cube_16bit, of('cube_flops_16bit')],
    ['cube 32 bit', peaks.cube_32bit, of('cube_flops_32bit')],
    ['vector', peaks.vector, !cubes]]
    .filter(([name, peak]) => peak > 0 && (cubes || name === 'vector')).map(([name, peak, used]) => ({name, peak, used}));
}
const cubeFlops = cost => cost.cube_flops_16bit + cost.cube_flops_8bit + cost.cube_flops_32bit;

/** What moved through each memory and port of a run: [{name, moved, peak}]. */
function memoryCeilings(run, peaks) {
  const list = [{name: 'HBM', moved: run.hbm.bytes, peak: peaks.hbm}, {name: 'L2', moved: run.l2.bytes, peak: peaks.l2}];
  for (const [path, peak] of Object.entries(peaks.ports ?? {})) {
    if (run.bytes?.[path] > 0) list.push({name: 'ports ' + path.replace('->', ' → '), moved: run.bytes[path], peak, port: true});
  }
  return list.filter(entry => entry.moved > 0);
}

/** How long each ceiling alone would need, longest first: [{name, us}]. */
function ceilingTimes(run, peaks) {
  const {cost} = run, list = [];
  const add = (name, work, peak) => { if (work > 0 && peak > 0) list.push({name, us: 1e6 * work / peak}); };
  const cube = 1e6 * (cost.cube_flops_16bit / peaks.cube_16bit + cost.cube_flops_8bit / peaks.cube_8bit +
    cost.cube_flops_32bit / peaks.cube_32bit);
  if (cube > 0) list.push({name: 'cubes', us: cube});
  add('vector units', cost.vector_flops, peaks.vector);
  memoryCeilings(run, peaks).forEach(({name, moved, peak}) => add(name, moved, peak));
  return list.sort((a, b) => b.us - a.us);
}

const SHAPES = {HBM: 'circle', L2: 'square', port: 'diamond'};
const SIGNS = {circle: '●', square: '■', diamond: '◆'};
function marker(shape, x, y, label) {
  const paths = {circle: `M${x - 6} ${y}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0Z`, square: `M${x - 5} ${y - 5}h10v10h-10Z`,
    diamond: `M${x} ${y - 7}l7 7l-7 7l-7 -7Z`};
  return withTip(element('path', {class: 'point', role: 'img', d: paths[shape]}), label);
}

/** Logarithmic axes: x FLOP for each byte, y FLOP/s. */
class RooflineChart {
  constructor(xs, ys) {
    Object.assign(this, {W: 640, H: 380, left: 66, right: 14, top: 22, bottom: 46, taken: [], slopes: []});
    const span = (values, low, high) => [Math.log10(Math.min(...values)) - low, Math.log10(Math.max(...values)) + high];
    [this.x0, this.x1] = span(xs, 0.2, 0.2);
    [this.y0, this.y1] = span(ys, 0.7, 0.2);
    this.svg = element('svg', {viewBox: `0 0 ${this.W} ${this.H}`, width: '100%', role: 'img'});
    this.grid();
  }
  px(x) { return this.left + (Math.log10(x) - this.x0) / (this.x1 - this.x0) * (this.W - this.left - this.right); }
  py(y) { return this.H - this.bottom - (Math.log10(y) - this.y0) / (this.y1 - this.y0) * (this.H - this.top - this.bottom); }
  grid() {
    const {svg, W, H, left, right, top, bottom} = this;
    for (let e = Math.ceil(this.x0); e <= this.x1; ++e) {
      const x = this.px(10 ** e);
      svg.append(element('line', {class: 'grid', x1: x, x2: x, y1: top, y2: H - bottom}),
        element('text', {class: 'soft', x, y: H - bottom + 16, 'text-anchor': 'middle'}, String(+(10 ** e).toPrecision(1))));
    }
    const decades = this.y1 - this.y0, digits = decades > 3 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 5];
    for (let e = Math.floor(this.y0); e <= this.y1; ++e) {
      for (const digit of digits) {
        const value = digit * 10 ** e;
        if (Math.log10(value) < this.y0 || Math.log10(value) > this.y1) continue;
        const y = this.py(value);
        svg.append(element('line', {class: 'grid', x1: left, x2: W - right, y1: y, y2: y}),
          element('text', {class: 'soft', x: left - 6, y: y + 4, 'text-anchor': 'end'}, scaled(value, '').trim()));
      }
    }
    svg.append(element('text', {class: 'soft', x: (left + W - right) / 2, y: H - 8, 'text-anchor': 'middle'}, 'FLOP for each byte moved'),
      element('text', {class: 'soft', x: 4, y: 12}, 'FLOP/s'));
  }
  /** A label that does not lie on another one: it moves down until there is room. */
  label(words, x, y, anchor = 'start', step = 13) {
    const width = words.length * 6.4 + 4;
    const left = anchor === 'end' ? x - width : anchor === 'middle' ? x - width / 2 : x;
    const start = Math.min(Math.max(left, this.left + 2), this.W - width);
    const clear = at => !this.taken.some(([a, b, c, d]) => start < b && start + width > a && at - 11 < d && at + 3 > c);
    for (let tries = 0; tries < 24 && !clear(y); ++tries) y += step;
    this.taken.push([start, start + width, y - 11, y + 3]);
    this.svg.append(element('text', {class: 'over', x: start, y}, words));
  }
  avoid(x, y) {
    this.taken.push([x - 8, x + 8, y - 8, y + 8]);
  }
  flat(name, peak, from, className, words = `${name} ${flops(peak)}`) {
    this.svg.append(withTip(element('line', {role: 'img', class: 'roof ' + className, x1: this.px(from), x2: this.W - this.right,
      y1: this.py(peak), y2: this.py(peak)}), `${name}: ${flops(peak)}`));
    this.label(words, this.W - this.right - 2, this.py(peak) - 5, 'end', -13);
  }
  slope(name, peak, top, className) {
    const from = Math.max(10 ** this.x0, 10 ** this.y0 / peak), to = Math.min(top / peak, 10 ** this.x1);
    if (to <= from) return;
    const [x1, y1, x2, y2] = [this.px(from), this.py(from * peak), this.px(to), this.py(to * peak)];
    this.svg.append(withTip(element('line', {role: 'img', class: 'roof ' + className, x1, y1, x2, y2}), `${name}: ${rate(peak)}`));
    this.slopes.push({words: `${name} ${rate(peak)}`, x1, y1, x2, y2, height: y1 + (x1 - this.left) / (x2 - x1) * (y1 - y2)});
  }
  /** Labels along the slopes, left of them. Those of lines that are near each other stand on the first of these, in their order. */
  labelSlopes() {
    const groups = [];
    for (const line of this.slopes.sort((a, b) => a.height - b.height)) {
      const near = groups[groups.length - 1]?.lines;
      if (near && line.height - near[near.length - 1].height < 17 * Math.hypot(1, (line.y1 - line.y2) / (line.x2 - line.x1))) near.push(line);
      else groups.push({lines: [line]});
    }
    for (const {lines} of groups) {
      const {x1, y1, x2, y2} = lines[0], x = (x1 + x2) / 2, y = (y1 + y2) / 2;
      const angle = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
      lines.forEach(({words}, i) => this.svg.append(element('text', {class: 'over', x, y: y - 6 - 13 * (lines.length - 1 - i),
        'text-anchor': 'middle', transform: `rotate(${angle} ${x} ${y})`}, words)));
    }
  }
}

function drawRoofline(card, run, peaks) {
  const {cost} = run, work = cubeFlops(cost) || cost.vector_flops, speed = work / (run.time_us * 1e-6);
  const memories = memoryCeilings(run, peaks), times = ceilingTimes(run, peaks);
  const bars = times.map(({name, us}) => element('tr', {}, element('th', {scope: 'row'}, name),
    element('td', {class: 'bar'}, plainBar(us / run.time_us)), cell(time(us), 'n'), cell(percent(us / run.time_us), 'n')));
  const table = block('How long each ceiling alone would need', tableOf('Time that each ceiling alone would need',
    [['ceiling'], ['of the launch'], ['time', true], ['', true]], bars),
    element('p', {class: 'note'}, `The launch took ${time(run.time_us)}. Memories and ports count the bytes that moved. What is near 100 % is a limit; if nothing is, the launch waits ` +
      'for its own order of work: see the critical path.'));
  if (!(work > 0) || !memories.length) {
    card.append(table);
    return;
  }
  const ceilings = computeCeilings(peaks, [cost]), best = Math.max(...ceilings.map(c => c.peak));
  const chart = new RooflineChart([...memories.map(m => work / m.moved), best / peaks.hbm * 3, best / Math.max(...memories.map(m => m.peak)) / 30],
    [speed, best]);
  const fastest = Math.max(...memories.map(m => m.peak));
  memories.forEach(m => chart.avoid(chart.px(work / m.moved), chart.py(speed)));
  ceilings.sort((a, b) => b.peak - a.peak).forEach(c => chart.flat(c.name, c.peak, Math.max(c.peak / fastest, 10 ** chart.x0), c.used ? 'used' : ''));
  const ports = memories.filter(m => m.port).sort((a, b) => b.moved / b.peak - a.moved / a.peak).slice(0, 2);
  const shown = [...memories.filter(m => !m.port), ...ports].sort((a, b) => b.peak - a.peak);
  shown.forEach(m => chart.slope(m.name, m.peak, best, m.port ? 'port' : 'used'));
  chart.labelSlopes();
  shown.forEach(m => chart.svg.append(marker(SHAPES[m.port ? 'port' : m.name], chart.px(work / m.moved), chart.py(speed),
    `${run.name ?? run.kernel}: ${flops(speed)}\n${(work / m.moved).toFixed(2)} FLOP for each byte of ${m.name} (${bytes(m.moved)})`)));
  chart.label(flops(speed), Math.max(...shown.map(m => chart.px(work / m.moved))), chart.py(speed) - 14, 'middle', -13);
  chart.svg.setAttribute('aria-label', `Roofline: the launch computes ${flops(speed)}. ` + shown.map(m => `${m.name} ${rate(m.peak)}`).join(', '));
  const marks = shown.map(m => element('tr', {}, element('th', {scope: 'row'}, `${SIGNS[SHAPES[m.port ? 'port' : m.name]]} ${m.name}`),
    cell(bytes(m.moved), 'n'), cell(String(+(work / m.moved).toPrecision(3)), 'n'), cell(rate(m.moved / (run.time_us * 1e-6)), 'n'), cell(rate(m.peak), 'n')));
  table.append(element('h3', {}, 'What the marks stand for'), tableOf('Bytes that each mark of the roofline counts',
    [['mark'], ['moved', true], ['FLOP a byte', true], ['reached', true], ['peak', true]], marks));
  card.append(columns(block('', chart.svg), table));
}

/** The roofs of several runs; runs with the same ceilings share theirs. */
function drawRooflines(card, runs) {
  const work = run => cubeFlops(run.cost) || run.cost.vector_flops;
  const able = runs.filter(run => work(run) > 0 && run.hbm.bytes > 0 && run.time_us > 0);
  if (!able.length) {
    card.append(element('p', {class: 'note'}, 'No run has operations and bytes to compare.'));
    return;
  }
  const tops = new Map(), slopes = new Map();
  const add = (map, key, number) => map.set(key, [...(map.get(key) ?? []), number]);
  const topOf = run => Math.max(...computeCeilings(run.peaks, [run.cost]).filter(c => c.used).map(c => c.peak));
  for (const run of able) {
    add(tops, topOf(run), run.number);
    add(slopes, run.peaks.hbm, run.number);
  }
  const best = Math.max(...tops.keys()), steep = Math.max(...slopes.keys()), flat = Math.min(...slopes.keys());
  const points = able.map(run => ({x: work(run) / run.hbm.bytes, y: work(run) / (run.time_us * 1e-6), run}));
  const chart = new RooflineChart([...points.map(p => p.x), best / flat * 3, best / steep / 30], [...points.map(p => p.y), best]);
  const styles = ['dash0', 'dash1', 'dash2', 'dash3'];
  [...tops].sort((a, b) => b[0] - a[0]).forEach(([top, numbers], i) =>
    chart.flat(`column ${numbers.join(', ')}`, top, top / steep, styles[i % 4], `${numbers.join(', ')}: ${flops(top)}`));
  [...slopes].sort((a, b) => b[0] - a[0]).forEach(([hbm, numbers], i) => {
    const top = Math.max(...able.filter(run => numbers.includes(run.number)).map(topOf));
    chart.slope(`${numbers.join(', ')}:`, hbm, top, styles[i % 4]);
  });
  for (const {x, y, run} of points) {
    chart.svg.append(marker('circle', chart.px(x), chart.py(y), `${run.name}\n${flops(y)}\n${x.toFixed(2)} FLOP for each byte of HBM`));
  }
  chart.labelSlopes();
  labelPoints(chart, points);
  chart.svg.setAttribute('aria-label', 'Rooflines: ' + points.map(p => `${p.run.name} ${flops(p.y)}`).join(', '));
  card.append(chart.svg, element('p', {class: 'note'}, 'Numbers are those of the columns. A roof is the peak of the arithmetic that the work uses, and the slope of HBM; columns with the same ceilings share it.'));
}

/** The numbers of the columns beside their points. A label that had to make room for another has a line to its point. */
function labelPoints(chart, points) {
  const places = new Map();  // points at one place share a label
  for (const {x, y, run} of points) {
    const at = [chart.px(x), chart.py(y)], key = at.map(n => Math.round(n / 4)).join();
    places.set(key, {at, numbers: [...(places.get(key)?.numbers ?? []), run.number]});
  }
  let low = -Infinity;
  for (const {at: [x, y], numbers} of [...places.values()].sort((a, b) => a.at[1] - b.at[1])) {
    low = Math.max(y, low + 15);
    const moved = low > y + 1;
    if (moved) chart.svg.append(element('line', {class: 'lead', x1: x + 6, y1: y, x2: x + 24, y2: low}));
    chart.svg.append(element('text', {class: 'over', x: x + (moved ? 27 : 11), y: low + 4}, numbers.join(', ')));
  }
}
