// The memories and what went between them.
const MEMORY_BOXES = {  // x, y, width, height
  HBM: [26, 130, 74, 60], L2: [178, 130, 74, 60], L1: [334, 34, 70, 70], L0A: [506, 8, 62, 32],
  L0B: [506, 62, 62, 32], BT: [506, 112, 62, 24], FB: [506, 146, 62, 24], L0C: [628, 100, 62, 34],
  Cube: [628, 16, 62, 50], UB: [334, 236, 70, 60], Vector: [506, 236, 62, 60]};
const MEMORY_PATHS = [  // name, from, to, and a point in between
  ['GM->L1', [252, 144], [334, 70]], ['L1->GM', [350, 104], [252, 160]],
  ['GM->UB', [252, 178], [334, 254]], ['UB->GM', [334, 284], [228, 190], [228, 284]],
  ['L1->L0A', [404, 46], [506, 22]], ['L1->L0B', [404, 70], [506, 80]],
  ['L1->BT', [404, 86], [506, 124]], ['L1->FB', [404, 98], [506, 158]],
  ['L0C->GM', [659, 134], [244, 190], [659, 210]], ['L0C->L1', [628, 128], [380, 104], [380, 184]],
  ['GM->L0A', [215, 130], [506, 14], [215, 14]], ['GM->L0B', [215, 130], [537, 62], [215, 4]],
  ['UB->UB', [350, 296], [390, 296], [370, 322]]];

function memoryArrow(svg, name, value, time, from, to, via) {
  const width = value > 0 ? Math.min(1.5 + Math.log10(1 + value / 1e4), 7) : 1;
  const path = `M${from} ${via ? 'L' + via.join(' ') : ''} L${to}`;
  const color = value > 0 ? 'var(--accent)' : 'var(--line)';
  const label = `${name}\n${bytes(value)}, ${rate(value / time)} over the launch`;
  svg.append(element('path', {d: path, fill: 'none', stroke: color, 'stroke-width': width,
    'stroke-opacity': 0.75, 'marker-end': value > 0 ? 'url(#head)' : '', 'stroke-linejoin': 'round'}),
    withTip(element('path', {d: path, fill: 'none', stroke: 'transparent', 'stroke-width': 12}), label));
  if (!(value > 0)) return;
  const [a, b] = via ? [via, to] : [from, to];
  const x = (a[0] + b[0]) / 2, y = (a[1] + b[1]) / 2;
  svg.append(element('text', {class: 'over', x, y: y - 4, 'text-anchor': 'middle', 'font-weight': 600}, bytes(value)),
    element('text', {class: 'soft over', x, y: y + 9, 'text-anchor': 'middle'}, rate(value / time)));
}

function drawMemory(card, peaks) {
  const time = report.time_us * 1e-6;
  const svg = element('svg', {viewBox: '0 0 700 330', width: '100%'});
  svg.append(element('defs', {}, element('marker', {id: 'head', viewBox: '0 0 8 8', refX: 6, refY: 4,
    markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto'},
    element('path', {d: 'M0 0 L8 4 L0 8 Z', fill: 'var(--accent)'}))));
  const totals = report.bytes;
  for (const [name, from, to, via] of MEMORY_PATHS) {
    memoryArrow(svg, name, totals[name] || 0, time, from, to, via);
  }
  memoryArrow(svg, 'HBM->L2', report.hbm.read_bytes, time, [100, 146], [178, 146]);
  memoryArrow(svg, 'L2->HBM', report.hbm.write_bytes, time, [178, 178], [100, 178]);
  const notes = {
    HBM: `${percent(report.hbm.bytes / time / peaks.hbm)} of ${rate(peaks.hbm)}`,
    L2: `${percent(report.l2.hit_rate)} hits`,
    Cube: report.totals.cube_macs > 0 ? scaled(report.totals.cube_macs, 'MAC') : '',
    Vector: report.totals.vector_elements > 0 ? scaled(report.totals.vector_elements, 'lanes') : ''};
  const uses = {Cube: report.totals.cube_macs > 0, Vector: report.totals.vector_elements > 0};
  for (const [name, [x, y, width, height]] of Object.entries(MEMORY_BOXES)) {
    const used = uses[name] ?? (name === 'HBM' || name === 'L2' ||
      Object.keys(totals).some(path => path.split('->').includes(name)));
    svg.append(element('rect', {x, y, width, height, rx: 8, fill: 'var(--wash)',
      stroke: used ? 'var(--accent)' : 'var(--line)', 'stroke-opacity': 0.6}),
      element('text', {x: x + width / 2, y: y + height / 2 + 4, 'text-anchor': 'middle',
        'font-weight': 650, class: used ? '' : 'soft'}, name));
    if (notes[name]) {
      svg.append(element('text', {class: 'soft over', x: x + width / 2, y: y + height + 14,
        'text-anchor': 'middle'}, notes[name]));
    }
  }
  card.append(svg);
}
