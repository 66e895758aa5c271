// Bytes by path and by tensor.
const times = factor => (factor > 0 && factor < 0.01 ? '< 0.01' : factor.toFixed(2)) + ' ×';

function drawMemory(card, model) {
  const seconds = report.time_us * 1e-6, {peaks} = data;
  const paths = [['HBM → L2', report.hbm.read_bytes, peaks.hbm], ['L2 → HBM', report.hbm.write_bytes, peaks.hbm],
    ...Object.entries(report.bytes).map(([name, count]) => [name.replace('->', ' → '), count, peaks.ports?.[name]])]
    .filter(([, count]) => count > 0);
  const rows = paths.map(([name, count, peak]) => {
    const share = peak ? count / seconds / peak : undefined;
    return element('tr', {}, element('th', {scope: 'row'}, name), cell(bytes(count), 'n'), cell(rate(count / seconds), 'n'),
      element('td', {class: 'bar'}, share === undefined ? '' : plainBar(share)), cell(share === undefined ? '–' : percent(share), 'n'));
  });
  // As many tensors as there are paths beside them; the others at a click, and on paper.
  const {tensors} = model, shown = Math.max(4, paths.length);
  const most = Math.max(1, ...tensors.map(tensor => tensor.read + tensor.written));
  const tensorRows = tensors.map((tensor, index) => element('tr', index < shown ? {} : {class: 'more'},
    element('th', {scope: 'row'}, tensor.name),
    cell(tensor.bytes ? bytes(tensor.bytes) : '–', 'n'), cell(tensor.read ? bytes(tensor.read) : '–', 'n'),
    cell(tensor.written ? bytes(tensor.written) : '–', 'n'),
    cell(tensor.bytes ? times((tensor.read + tensor.written) / tensor.bytes) : '–', 'n'),
    element('td', {class: 'bar'}, plainBar((tensor.read + tensor.written) / most))));
  const table = tableOf('Bytes by tensor',
    [['tensor'], ['size', true], ['read', true], ['written', true], ['moved / size', true], ['']], tensorRows);
  table.classList.add('short');
  const all = element('button', {type: 'button', class: 'all', 'aria-expanded': 'false'}, `all ${tensors.length} tensors`);
  all.addEventListener('click', () => {
    const short = table.classList.toggle('short');
    all.setAttribute('aria-expanded', String(!short));
    all.textContent = short ? `all ${tensors.length} tensors` : `the first ${shown} tensors`;
  });
  card.append(columns(
    block('By path', element('div', {class: 'scroll'}, tableOf('Bytes by path',
      [['path'], ['bytes', true], ['rate', true], ['of the peak'], ['', true]], rows)),
      element('p', {class: 'note'}, 'The peak of a path is that of HBM, or of the ports of all cores together.')),
    block('By tensor', element('div', {class: 'scroll'}, table), tensors.length > shown ? all : undefined,
      element('p', {class: 'note'}, 'What moves and the Fixpipe moved between cores and memory. Above 1 × a tensor is moved more than once.'))));
}
