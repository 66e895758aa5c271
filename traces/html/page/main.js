// Puts the page together.
function drawSummary(card) {
  const tiles = [
    [report.time_us.toFixed(2) + ' µs', `core time, ${whole(report.cycles)} cycles at ${report.frequency_mhz} MHz`],
    [report.task_time_us.toFixed(2) + ' µs', 'task time, with the launch'],
    [report.tflops.toFixed(report.tflops < 10 ? 2 : 1) + ' TFLOPS', `${percent(report.peak_share)} of the peak of ${report.peak_tflops.toFixed(0)}`],
    [percent(report.roofline.share), `of the roofline, bound by ${report.roofline.bound}`],
    [rate(report.hbm.gb_per_s * 1e9), `HBM, ${bytes(report.hbm.bytes)} moved`],
    [rate(report.l2.gb_per_s * 1e9), `L2, ${percent(report.l2.hit_rate)} hits`],
    [String(report.cores.length), `cores ran ${report.block_dim} blocks`],
    [report.check, 'result against the reference']];
  const bound = report.scalar_bound;
  if (bound) {
    const lines = bound.lines.map(line => `${fileName(line.code)} (${percent(line.share)})`).join(', ');
    tiles.push([percent(bound.share), `scalar bound: work of the scalar units of ${bound.type} cores` +
      (lines ? `, most at ${lines}` : '')]);
  }
  card.append(element('div', {class: 'tiles'}, ...tiles.map(([value, words]) =>
    element('div', {class: 'tile'}, element('b', {}, value), element('span', {}, words)))));
}

function runPage() {
  document.getElementById('title').textContent = data.title;
  document.getElementById('subtitle').textContent = [`${report.soc} (${report.product})`, ...report.set,
    `L2 ${report.l2_start}`, `kernel ${report.kernel}`].join(' · ');
  drawSummary(section('summary', 'Summary', ''));
  drawRoofline(section('roofline', 'Roofline', 'What the SoC allows, and what the kernel reached.', true),
    data.peaks, rooflinePoints(report, report.kernel));
  drawStalls(section('stalls', 'Where the cycles went', 'Every cycle of a pipe is in one class; a bar is the launch, over all cores. At the right, busy.', true));
  const timeline = new TimelineView(section('timeline', 'Timeline',
    'Wheel zooms, dragging moves, double click shows all.' +
    (data.timeline.merged ? ' There are more instructions than a page can hold: runs of short ones are drawn as one.' : '')));
  drawMemory(section('memory', 'Memory paths', 'Bytes that went each way, and what that is over the launch.', true), data.peaks);
  drawCores(section('cores', 'Cores', 'How busy each pipe of each core was; a click shows its timeline.', true),
    name => { timeline.choose(name); document.getElementById('timeline').scrollIntoView({behavior: 'smooth'}); });
  drawSources(section('sources', 'Hot source lines', 'Cycles over all cores in which a line\'s instructions worked or stalled. A click shows the line in its file.'));
}

data.comparison ? comparisonPage() : runPage();
document.documentElement.dataset.ready = 'true';
