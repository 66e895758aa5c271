// Roofline: compute ceilings, the slopes of HBM and L2, and where the kernels are.
const shortFlops = value => scaled(value, '');

function rooflinePoints(run, name) {
  const cost = run.cost;
  const work = cost.cube_flops_16bit + cost.cube_flops_8bit + cost.cube_flops_32bit || cost.vector_flops;
  const points = [];
  const add = (moved, memory) => {
    if (work > 0 && moved > 0 && run.time_us > 0) {
      points.push({x: work / moved, y: work / (run.time_us * 1e-6), memory, moved, name});
    }
  };
  add(run.hbm.bytes, 'HBM');
  add(run.l2.bytes, 'L2');
  return points;
}

function drawRoofline(card, peaks, points) {
  const W = 620, H = 340, left = 56, right = 16, top = 14, bottom = 40;
  const ceilings = [['cube 8 bit', peaks.cube_8bit], ['cube 16 bit', peaks.cube_16bit],
    ['cube 32 bit', peaks.cube_32bit], ['vector', peaks.vector]].filter(c => c[1] > 0);
  const slopes = [['L2', peaks.l2, 'wait_cross_core'], ['HBM', peaks.hbm, 'memory']];
  const best = Math.max(...ceilings.map(c => c[1]));
  const xs = [...points.map(p => p.x), 0.25, best / peaks.hbm * 4];
  const ys = [...points.map(p => p.y), best, peaks.vector];
  const span = (values, margin) => [Math.log10(Math.min(...values)) - margin,
    Math.log10(Math.max(...values)) + margin];
  const [x0, x1] = span(xs, 0.15), [y0, y1] = span(ys, 0.35);
  const px = x => left + (Math.log10(x) - x0) / (x1 - x0) * (W - left - right);
  const py = y => H - bottom - (Math.log10(y) - y0) / (y1 - y0) * (H - top - bottom);
  const svg = element('svg', {viewBox: `0 0 ${W} ${H}`, width: '100%', role: 'img'});
  for (let e = Math.ceil(x0); e <= x1; ++e) {
    const x = px(10 ** e);
    svg.append(element('line', {class: 'grid', x1: x, x2: x, y1: top, y2: H - bottom}),
      element('text', {class: 'soft', x, y: H - bottom + 16, 'text-anchor': 'middle'}, String(+(10 ** e).toPrecision(1))));
  }
  for (let e = Math.ceil(y0); e <= y1; ++e) {
    const y = py(10 ** e);
    svg.append(element('line', {class: 'grid', x1: left, x2: W - right, y1: y, y2: y}),
      element('text', {class: 'soft', x: left - 6, y: y + 4, 'text-anchor': 'end'}, shortFlops(10 ** e)));
  }
  for (const [name, peak] of ceilings) {
    const start = Math.max(peak / peaks.l2, 10 ** x0);
    svg.append(withTip(element('line', {x1: px(start), x2: W - right, y1: py(peak), y2: py(peak),
      stroke: `var(--${name === 'vector' ? 'V' : 'M'})`, 'stroke-width': 2}), `${name}: ${flops(peak)}`),
      element('text', {x: W - right - 4, y: py(peak) - 5, 'text-anchor': 'end'}, `${name} ${flops(peak)}`));
  }
  for (const [name, peak, color] of slopes) {
    const from = Math.max(10 ** x0, 10 ** y0 / peak), to = best / peak;
    svg.append(withTip(element('line', {x1: px(from), y1: py(from * peak), x2: px(to), y2: py(best),
      stroke: `var(--${color})`, 'stroke-width': 2}), `${name}: ${rate(peak)}`));
    const at = Math.sqrt(from * to), slope = Math.atan2(py(best) - py(from * peak), px(to) - px(from));
    svg.append(element('text', {'text-anchor': 'middle',
      transform: `translate(${px(at)} ${py(at * peak) - 6}) rotate(${slope * 180 / Math.PI})`}, `${name} ${rate(peak)}`));
  }
  points.forEach(p => {
    const color = p.memory === 'HBM' ? 'memory' : 'wait_cross_core';
    svg.append(withTip(element('circle', {cx: px(p.x), cy: py(p.y), r: 6, fill: `var(--${color})`,
      stroke: 'var(--card)', 'stroke-width': 2}),
      `${p.name}\n${flops(p.y)}\n${p.x.toFixed(2)} FLOP for each byte from ${p.memory} (${bytes(p.moved)})`));
    if (points.length <= 2) {
      svg.append(element('text', {class: 'over', x: px(p.x), y: py(p.y) + 20, 'text-anchor': 'middle',
        'font-weight': 650}, flops(p.y)));
    } else if (p.memory === 'HBM') {
      svg.append(element('text', {class: 'over', x: px(p.x) + 9, y: py(p.y) + 4}, p.name.split('.')[0]));
    }
  });
  svg.append(element('text', {class: 'soft', x: (left + W - right) / 2, y: H - 6, 'text-anchor': 'middle'},
    'FLOP a byte'));
  svg.append(element('text', {class: 'soft', x: 12, y: top + 2}, 'FLOP/s'));
  card.append(svg, legend([['memory', 'by bytes of HBM'], ['wait_cross_core', 'by bytes of L2']]));
}
