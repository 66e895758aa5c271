// Hot source lines beside the code.
function sumLines() {
  const lines = new Map();
  for (const row of report.lines || []) {
    if (!row.code) continue;
    if (!lines.has(row.code)) lines.set(row.code, {code: row.code, busy: 0, stall: 0, times: 0, pipes: new Map()});
    const line = lines.get(row.code);
    const busy = row.class === 'busy';
    if (busy) line.busy += row.cycles, line.times += row.times;
    else line.stall += row.cycles;
    const key = `${row.type} ${row.pipe}: ${CLASS_WORDS[row.class] || row.class}`;
    line.pipes.set(key, (line.pipes.get(key) || 0) + row.cycles);
  }
  return [...lines.values()].sort((a, b) => b.busy + b.stall - a.busy - a.stall);
}

function drawSources(card) {
  const lines = sumLines();
  if (!lines.length) {
    card.append(element('p', {class: 'note'}, 'No instruction of the launch says where it comes from.'));
    return;
  }
  const most = lines[0].busy + lines[0].stall;
  const split = element('div', {class: 'split'}), table = element('table'), code = element('pre', {id: 'source'});
  const codeScroll = element('div', {class: 'scroll'}, code);
  table.append(element('tr', {}, ...[['line'], ['busy, still'], ['executed', 'n'], ['busy', 'n'], ['still', 'n']]
    .map(([words, cls]) => element('th', {class: cls || ''}, words))));
  const select = (line, row) => {
    table.querySelectorAll('.chosen').forEach(other => other.classList.remove('chosen'));
    row.classList.add('chosen');
    showSource(code, codeScroll, line.code, lines);
  };
  let hottest;
  lines.slice(0, 60).forEach((line, i) => {
    const text = sourceLine(line.code);
    const bar = element('div', {class: 'stack', style: 'display:flex;width:90px;height:10px'},
      element('i', {style: `width:${90 * line.busy / most}px;background:var(--busy)`}),
      element('i', {style: `width:${90 * line.stall / most}px;background:var(--wait_flag)`}));
    const row = element('tr', {class: 'pick'},
      element('td', {class: 'code'}, fileName(line.code), text ? element('div', {style: 'color:var(--soft)'}, text.trim()) : undefined),
      element('td', {}, bar), element('td', {class: 'n'}, whole(line.times)),
      element('td', {class: 'n'}, whole(line.busy)), element('td', {class: 'n'}, whole(line.stall)));
    row.addEventListener('click', () => select(line, row));
    withTip(row, [...line.pipes].sort((a, b) => b[1] - a[1]).slice(0, 8)
      .map(([words, cycles]) => `${words}: ${whole(cycles)} cycles`).join('\n'));
    table.append(row);
    if (i === 0) hottest = () => select(line, row);
  });
  split.append(element('div', {class: 'scroll'}, table), codeScroll);
  card.append(split);
  hottest();  // it scrolls, so it has to be on the page
}

function sourceLine(code) {
  const colon = code.lastIndexOf(':');
  const text = data.sources[code.slice(0, colon)];
  return text ? text[+code.slice(colon + 1) - 1] : undefined;
}

function showSource(code, scroll, place, lines) {
  const colon = place.lastIndexOf(':'), file = place.slice(0, colon), chosen = +place.slice(colon + 1);
  const text = data.sources[file];
  code.replaceChildren();
  if (!text) {
    code.append(`${place}\n\nThe file could not be read when the report was written.`);
    return;
  }
  const heat = new Map(lines.filter(l => l.code.slice(0, l.code.lastIndexOf(':')) === file)
    .map(l => [+l.code.slice(l.code.lastIndexOf(':') + 1), l.busy + l.stall]));
  const most = Math.max(...heat.values());
  let target;
  text.forEach((line, i) => {
    const cycles = heat.get(i + 1) || 0;
    const row = element('div', {class: i + 1 === chosen ? 'row hot' : 'row'},
      element('span', {class: 'num'}, String(i + 1)),
      element('span', {class: 'heat'}, element('i', {style: `width:${84 * cycles / most}px`}),
        element('span', {}, cycles ? whole(cycles) : '')),
      element('span', {class: 'text'}, line));
    if (i + 1 === chosen) target = row;
    code.append(row);
  });
  if (target) scroll.scrollTop = target.offsetTop - code.offsetTop - 140;
}
