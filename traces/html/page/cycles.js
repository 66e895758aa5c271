// What the cycles of each pipe went to, over all cores of a type.
function drawCycles(card) {
  const seen = new Set(), rows = [];
  for (const type of ['AIC', 'AIV']) {
    const {cores, pipes} = report.totals[type];
    for (const [name, pipe] of Object.entries(pipes)) {
      const all = report.cycles * cores, classes = {busy: pipe.busy_cycles, ...pipe.stall_cycles};
      const parts = CORE_ORDER.map(key => ({name: key, share: (classes[key] || 0) / all}))
        .filter(part => part.share > 0);
      if (parts.every(part => part.name === 'done')) continue;
      parts.forEach(part => seen.add(part.name));
      const worst = parts.filter(part => !['busy', 'done'].includes(part.name)).sort((a, b) => b.share - a.share)[0];
      rows.push(element('tr', {}, element('th', {scope: 'row', title: PIPE_WORDS[name]}, `${type} ${name}`),
        element('td', {class: 'wide'}, classBar(parts.map(part => ({...part,
          tip: `${type} ${name} ${CLASS_WORDS[part.name]}\n${(100 * part.share).toFixed(2)} % of the time of ${cores} cores`})))),
        cell(percent(pipe.busy_cycles / all), 'n'), cell(percent(pipe.in_flight_cycles / all), 'n'),
        cell(worst ? `${CLASS_WORDS[worst.name]} ${percent(worst.share)}` : ''), cell(whole(pipe.instructions), 'n')));
    }
  }
  card.append(classLegend(seen), element('div', {class: 'scroll'}, tableOf('Where the cycles went',
    [['pipe'], ['share of the launch'], ['works', true], ['in flight', true], ['otherwise mostly'], ['instructions', true]], rows)));
}
