// Runs side by side.
function drawComparison(card) {
  const comparison = data.comparison;
  const table = element('table');
  const heading = element('tr', {}, element('th'));
  comparison.columns.forEach((column, i) => heading.append(element('th', {class: 'n'},
    `${i + 1}. ${column.soc}`, element('div', {style: 'font-weight:400'}, column.set.join(', ')))));
  table.append(heading);
  for (const [name, ...cells] of comparison.rows) {
    table.append(element('tr', {}, element('td', {}, name),
      ...cells.map(cell => element('td', {class: 'n'}, cell))));
  }
  card.append(element('div', {class: 'scroll', style: 'max-height:none'}, table));
}

function drawTimes(card, runs) {
  const most = Math.max(...runs.map(run => run.result.task_time_us));
  const bars = element('div', {class: 'bars', style: 'grid-template-columns:minmax(120px,auto) 1fr 96px'});
  for (const {name, result} of runs) {
    const core = 100 * result.time_us / most, launch = 100 * (result.task_time_us - result.time_us) / most;
    bars.append(element('span', {}, name), withTip(element('div', {class: 'stack'},
      element('i', {style: `width:${core}%;background:var(--busy)`}),
      element('i', {style: `width:${launch}%;background:var(--launch)`})),
      `${name}\ncore time ${result.time_us.toFixed(3)} µs, with the launch ${result.task_time_us.toFixed(3)} µs`),
    element('span', {class: 'n'}, result.time_us.toFixed(2) + ' µs'));
  }
  card.append(bars, legend([['busy', 'core time'], ['launch', 'overhead of the launch']]));
}

function comparisonPage() {
  const {columns} = data.comparison;
  document.getElementById('title').textContent = data.title;
  document.getElementById('subtitle').textContent = `${columns.length} runs side by side`;
  drawComparison(section('comparison', 'Side by side', ''));
  const runs = columns.map((column, i) => ({...column, name: `${i + 1}. ${[column.soc, ...column.set].join(', ')}`}))
    .filter(column => column.result);
  if (!runs.length) return;
  drawTimes(section('times', 'Time', 'Core time from the launch to the end of the last core.', true), runs);
  drawRoofline(section('roofline', 'Roofline', `Ceilings of ${runs[0].name}; a number is a column's.`, true),
    data.peaks, runs.flatMap(run => rooflinePoints(run.result, run.name)));
}
