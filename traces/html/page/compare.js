// Runs side by side.
function drawComparison(card) {
  const {columns: runs, rows} = data.comparison;
  const wide = runs.length > 6;
  const head = element('tr', {}, element('th', {scope: 'col'}, ''), ...runs.map((run, i) => element('th', {scope: 'col', class: 'n'},
    element('b', {}, String(i + 1)), element('div', {}, run.soc), ...run.set.map(text => element('div', {class: 'soft'}, text)))));
  const table = element('table', {'aria-label': 'Runs side by side', class: wide ? 'runs many' : 'runs'}, element('thead', {}, head),
    element('tbody', {}, ...rows.map(([name, ...cells]) => element('tr', {}, element('th', {scope: 'row'}, name),
      ...cells.map(text => cell(text, 'n'))))));
  card.append(element('div', {class: 'scroll whole'}, table));
  for (const [i, run] of runs.entries()) {
    if (run.error) card.append(element('p', {class: 'note'}, `${i + 1}. ${run.soc}: ${run.error.message}`));
  }
}

function drawTimes(card, runs) {
  const most = Math.max(...runs.map(run => run.task_time_us));
  const rows = runs.map(run => element('tr', {}, element('th', {scope: 'row'}, run.name),
    element('td', {class: 'wide'}, withTip(element('div', {class: 'stack plain', role: 'img'},
      element('i', {style: `width:${100 * run.time_us / most}%`}),
      element('i', {class: 'lighter', style: `width:${100 * run.launch_overhead_us / most}%`})),
    `${run.name}\ncore time ${time(run.time_us)}, with the launch ${time(run.task_time_us)}`)),
    cell(time(run.time_us), 'n'), cell(time(run.task_time_us), 'n')));
  card.append(tableOf('Times', [['run'], ['core time, overhead of the launch'], ['core', true], ['task', true]], rows));
}

function comparisonPage() {
  const {columns: all} = data.comparison;
  document.getElementById('title').textContent = data.title;
  document.getElementById('subtitle').textContent = `${all.length} runs side by side`;
  const runs = all.map((column, i) => ({...column.result, peaks: column.peaks, number: i + 1,
    name: `${i + 1}. ${[column.soc, ...column.set].join(', ')}`})).filter((run, i) => all[i].result);
  const summary = section('summary', 'What the comparison says');
  summary.append(element('p', {class: 'bound', id: 'bound'}, comparisonSentence(runs)));
  drawComparison(section('comparison', 'Side by side'));
  if (!runs.length) return;
  const card = section('times', 'Time and roofline');
  const times = block('Time'), roof = element('div', {class: 'block', id: 'roofline'});
  drawTimes(times, runs);
  drawRooflines(roof, runs);
  card.append(columns(times, roof));
}

function comparisonSentence(runs) {
  if (runs.length < 2) return runs.length ? `Only ${runs[0].name} came through.` : 'No run came through.';
  const sorted = [...runs].sort((a, b) => a.time_us - b.time_us), fast = sorted[0], slow = sorted[sorted.length - 1];
  const ratio = slow.time_us / fast.time_us;
  if (ratio < 1.005) return `All runs take the same time, ${time(fast.time_us)}: what was changed does not bound them.`;
  const ties = sorted.filter(run => run !== fast && run.time_us === fast.time_us);
  const also = ties.length ? ` (as is ${ties.map(run => run.name).join('; ')})` : '';
  return `${fast.name} is fastest with ${time(fast.time_us)}${also}, ${ratio.toFixed(2)} times as fast as ${slow.name}.`;
}
