// The critical path by what it consists of and by source line.
function drawPath(card, model, timeline) {
  const {causes, lines, cores} = data.path;
  const parts = causes.map(cause => ({name: cause.class, share: cause.share, words: causeWords(cause), label: `${cause.type} ${cause.pipe}`}));
  card.append(classBar(parts.map(part => ({...part, tip: `${part.words}\n${percent(part.share)} of the launch`}))),
    classLegend(new Set(causes.map(cause => cause.class))));
  const causeRows = causes.filter(cause => cause.share >= 0.0005).slice(0, 10).map(cause => element('tr', {},
    element('td', {}, element('i', {class: 'key', style: `background:var(--${cause.class})`}), causeWords(cause)),
    cell(time(microsOf(cause.cycles)), 'n'), cell(percent(cause.share), 'n')));
  const lineRows = lines.filter(line => line.share >= 0.0005).slice(0, 12).map(line => {
    const text = line.code ? sourceLine(line.code) : undefined;
    const row = element('tr', line.code ? {class: 'pick', tabindex: 0, role: 'button'} : {},
      element('td', {class: 'code'}, line.code ? fileName(line.code) : 'no line', ' ',
        element('span', {class: 'soft'}, text ? text.trim() : line.instr ?? '')),
      element('td', {}, element('i', {class: 'key', style: `background:var(--${line.class})`}), causeWords(line)),
      cell(percent(line.share), 'n'));
    if (!line.code) return row;
    const show = () => chooseSource(line.code);
    row.addEventListener('click', show);
    row.addEventListener('keydown', event => { if (event.key === 'Enter' || event.key === ' ') event.preventDefault(), show(); });
    return row;
  });
  card.append(columns(
    block('By cause', tableOf('Critical path by cause', [['what'], ['time', true], ['share', true]], causeRows),
      element('p', {class: 'note'}, coresWords(cores))),
    block('By source line', tableOf('Critical path by source line', [['line'], ['what'], ['share', true]], lineRows))));
}

function coresWords(cores) {
  if (!cores.length) return '';
  if (cores.length === 1) return `All of it is on ${cores[0].name}.`;
  return `It runs over ${cores.length} cores, mostly ${cores[0].name} (${percent(cores[0].share)}).`;
}

function causeWords(entry) {
  if (entry.pipe === 'S' && entry.class === 'busy' && !entry.instr) return `${entry.type} S issues instructions`;
  if (entry.class === 'wait_cross_core') return `${entry.type} ${entry.pipe}: a flag is on its way`;
  return `${entry.type} ${entry.pipe} ${CLASS_WORDS[entry.class]}`;
}
