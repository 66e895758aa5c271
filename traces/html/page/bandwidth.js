// Bandwidth of L2 and HBM over the time that the other views show. uPlot draws it.
function bandwidthChart(model, view) {
  const holder = element('div', {class: 'bandwidth', id: 'bandwidth', role: 'img'});
  const {span, l2, hbm_read: read, hbm_written: written} = model.timeline.bandwidth;
  const seconds = span / (report.frequency_mhz * 1e6), rates = list => [...list, list[list.length - 1]].map(count => count / seconds);
  // The last bin ends with the launch.
  const times = [...l2.map((_, i) => microsOf(i * span)), microsOf(model.cycles)];
  const steps = uPlot.paths.stepped({align: 1});
  const moved = [l2, read, written].map(list => list.reduce((sum, count) => sum + count, 0));
  holder.setAttribute('aria-label', `Bandwidth over time. L2 moved ${bytes(moved[0])}, HBM read ${bytes(moved[1])} and wrote ${bytes(moved[2])}.`);
  let chart;
  function draw() {
    chart?.destroy();
    const ink = style('ink'), soft = style('soft'), line = style('line');
    const axis = {stroke: soft, grid: {stroke: line, width: 1}, ticks: {stroke: line}, font: CANVAS_FONT};
    chart = new uPlot({
      width: Math.max(holder.clientWidth, 200), height: 150, legend: {show: false},
      cursor: {drag: {x: false, y: false}},
      scales: {x: {time: false, range: () => [microsOf(view.from), microsOf(view.to)]},
        y: {range: (_, low, high) => [0, Math.max(high, 1) * 1.08]}},
      axes: [{...axis, values: (_, ticks) => ticks.map(tick => +tick.toFixed(3) + ' µs'), space: 90},
        {...axis, size: 86, values: (_, ticks) => ticks.map(rate), space: 34}],
      series: [{}, {label: 'L2', stroke: soft, width: 1.5, dash: [5, 3], points: {show: false}, paths: steps},
        {label: 'HBM read', stroke: ink, width: 1.5, points: {show: false}, paths: steps},
        {label: 'HBM written', stroke: ink, width: 1.5, dash: [1, 3], points: {show: false}, paths: steps}],
    }, [times, rates(l2), rates(read), rates(written)], holder);
  }
  view.onChange(() => chart?.setScale('x', {min: microsOf(view.from), max: microsOf(view.to)}));
  redraws.push(draw);
  const key = (words, dash) => element('span', {}, element('svg', {width: 28, height: 8, class: 'line-key', 'aria-hidden': 'true'},
    element('line', {x1: 0, x2: 26, y1: 4, y2: 4, 'stroke-dasharray': dash})), words);
  const legend = element('div', {class: 'legend'}, key('L2', '5 3'), key('HBM read', ''), key('HBM written', '1 3'));
  return {node: element('div', {}, holder, legend), draw};
}
