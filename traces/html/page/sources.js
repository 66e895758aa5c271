// Source lines beside the code: by their share of the critical path, and the cycles of all cores.
function sourceLine(code) {
  const colon = code.lastIndexOf(':');
  const text = data.sources?.[code.slice(0, colon)];
  return text ? text[+code.slice(colon + 1) - 1] : undefined;
}

/** Every line with its cycles: {code, path (share of the launch), busy, stall, times, pipes}. */
function sumLines() {
  const lines = new Map();
  const of = code => {
    if (!lines.has(code)) lines.set(code, {code, path: 0, busy: 0, stall: 0, times: 0, pipes: new Map()});
    return lines.get(code);
  };
  for (const row of report.lines || []) {
    if (!row.code) continue;
    const line = of(row.code);
    if (row.class === 'busy') line.busy += row.cycles, line.times += row.times;
    else line.stall += row.cycles;
    const key = `${row.type} ${row.pipe} ${CLASS_WORDS[row.class] || row.class}`;
    line.pipes.set(key, (line.pipes.get(key) || 0) + row.cycles);
  }
  for (const row of data.path.lines) if (row.code) of(row.code).path += row.share;
  return [...lines.values()];
}

let chooseSource = () => {};

const LINE_ORDERS = {path: ['critical path', line => line.path], busy: ['works', line => line.busy],
  stall: ['waits', line => line.stall], times: ['executed', line => line.times]};

function drawSources(card, timeline) {
  const lines = sumLines();
  if (!lines.length) {
    card.append(element('p', {class: 'note'}, 'No instruction of the launch says where it comes from.'));
    return;
  }
  const holder = element('div', {class: 'scroll', tabindex: 0, 'aria-label': 'lines'}), code = element('pre', {id: 'source'});
  const codeScroll = element('div', {class: 'scroll', tabindex: 0, 'aria-label': 'source'}, code);
  let order = 'path', chosen;
  const select = place => {
    chosen = place;
    holder.querySelectorAll('tr[data-code]').forEach(row => row.classList.toggle('chosen', row.dataset.code === place));
    showSource(code, codeScroll, place, lines);
  };
  const fill = () => {
    const value = LINE_ORDERS[order][1];
    const sorted = [...lines].sort((a, b) => value(b) - value(a) || b.path - a.path || b.busy - a.busy).slice(0, 60);
    const head = ([key, [words]]) => element('th', {scope: 'col', class: 'n', 'aria-sort': key === order ? 'descending' : 'none'},
      element('button', {type: 'button', class: 'sort', onclick: () => { order = key; fill(); }}, words + (key === order ? ' ▾' : '')));
    const rows = sorted.map(line => {
      const text = sourceLine(line.code);
      const row = element('tr', {class: 'pick', tabindex: 0, 'data-code': line.code},
        element('td', {class: 'code'}, fileName(line.code), text ? element('div', {class: 'soft'}, text.trim()) : undefined),
        cell(line.path ? percent(line.path) : '–', 'n'), cell(whole(line.busy), 'n'), cell(whole(line.stall), 'n'), cell(whole(line.times), 'n'));
      row.addEventListener('click', () => select(line.code));
      row.addEventListener('keydown', event => { if (event.key === 'Enter') select(line.code); });
      return withTip(row, [line.code, ...[...line.pipes].sort((a, b) => b[1] - a[1]).slice(0, 8)
        .map(([words, cycles]) => `${words}: ${whole(cycles)} cycles`)].join('\n'));
    });
    holder.replaceChildren(element('table', {'aria-label': 'Source lines'},
      element('thead', {}, element('tr', {}, element('th', {scope: 'col'}, 'line'), ...Object.entries(LINE_ORDERS).map(head))),
      element('tbody', {}, ...rows)));
    if (chosen) select(chosen);
    return sorted[0].code;
  };
  card.append(columns(holder, codeScroll));
  select(fill());
  chooseSource = place => {
    select(place);
    document.getElementById('sources').scrollIntoView({behavior: 'smooth'});
  };
}

function showSource(code, scroll, place, lines) {
  const colon = place.lastIndexOf(':'), file = place.slice(0, colon), chosen = +place.slice(colon + 1);
  const text = data.sources?.[file];
  code.replaceChildren();
  if (!text) {
    code.append(`${place}\n\nThe file could not be read when the report was written.`);
    return;
  }
  const here = new Map(lines.filter(line => line.code.slice(0, line.code.lastIndexOf(':')) === file)
    .map(line => [+line.code.slice(line.code.lastIndexOf(':') + 1), line]));
  let target;
  text.forEach((words, i) => {
    const line = here.get(i + 1);
    const row = element('div', {class: i + 1 === chosen ? 'row hot' : 'row'},
      element('span', {class: 'num'}, String(i + 1)),
      element('span', {class: 'share'}, line ? (line.path ? percent(line.path) : whole(line.busy + line.stall)) : ''),
      element('span', {class: 'text'}, words));
    if (line) row.title = `${percent(line.path)} of the critical path, ${whole(line.busy)} cycles of work, ${whole(line.stall)} of waiting`;
    if (i + 1 === chosen) target = row;
    code.append(row);
  });
  if (target) scroll.scrollTop = target.offsetTop - code.offsetTop - 140;
}
