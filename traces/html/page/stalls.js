// What the cycles of each pipe went to, and how busy each core was.
function pipeClasses(pipe) {
  return {busy: pipe.busy_cycles, ...pipe.stall_cycles};
}

function drawStalls(card) {
  const bars = element('div', {class: 'bars'});
  const seen = new Set();
  for (const type of ['AIC', 'AIV']) {
    const total = report.totals[type];
    for (const [name, pipe] of Object.entries(total.pipes)) {
      const all = report.cycles * total.cores;
      const stack = element('div', {class: 'stack'});
      const classes = pipeClasses(pipe);
      for (const key of CLASSES) {
        const share = (classes[key] || 0) / all;
        if (share <= 0) continue;
        seen.add(key);
        stack.append(withTip(element('i', {style: `width:${100 * share}%;background:var(--${key})`}),
          `${type} ${name}: ${CLASS_WORDS[key]}\n${(100 * share).toFixed(2)} % of ${whole(all)} cycles of ${total.cores} cores`));
      }
      bars.append(element('span', {}, `${type} ${name}`), stack,
        element('span', {class: 'n'}, percent(pipe.busy_cycles / all)));
    }
  }
  card.append(bars, legend(CLASSES.filter(c => seen.has(c)).map(c => [c, CLASS_WORDS[c]])));
}

function drawCores(card, choose) {
  for (const type of ['AIC', 'AIV']) {
    const cores = report.cores.filter(core => core.type === type);
    if (!cores.length) continue;
    const pipes = Object.keys(report.totals[type].pipes);
    const W = 620, left = 70, rowHeight = 18, width = (W - left) / cores.length;
    const svg = element('svg', {viewBox: `0 0 ${W} ${pipes.length * rowHeight + 20}`, width: '100%'});
    pipes.forEach((name, row) => {
      svg.append(element('text', {x: 0, y: row * rowHeight + 13}, `${type} ${name}`));
      cores.forEach((core, column) => {
        const pipe = core.pipes[name];
        const share = pipe ? pipe.busy_cycles / report.cycles : 0;
        const at = {x: left + column * width, y: row * rowHeight + 2, width: Math.max(width - 1, 0.5), height: rowHeight - 3};
        svg.append(element('rect', {...at, fill: 'var(--wash)'}));
        svg.append(withTip(element('rect', {...at, fill: `var(--${name})`, 'fill-opacity': Math.sqrt(share),
          style: 'cursor:pointer', onclick: () => choose(core.name)}),
          `${core.name} ${name}: ${(100 * share).toFixed(1)} % busy\n${whole(pipe ? pipe.instructions : 0)} instructions; click for its timeline`));
      });
    });
    svg.append(element('text', {class: 'soft', x: left, y: pipes.length * rowHeight + 15},
      `${cores.length} cores, ${cores[0].name} to ${cores[cores.length - 1].name}`));
    card.append(svg);
  }
}
