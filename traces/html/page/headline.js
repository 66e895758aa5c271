// What bounds the launch and what to change, and the figures of the launch.
const unbroken = text => text.replaceAll(' %', '\u00a0%');

function drawHeadline(card) {
  const {text, change} = data.headline;
  card.append(element('p', {class: 'bound', id: 'bound'}, unbroken(text)));
  if (change) card.append(element('p', {class: 'change', id: 'change'}, element('b', {}, 'What to change '), unbroken(change)));
  const overhead = report.launch_overhead_us;
  if (overhead > 0.4 * report.task_time_us) {
    card.append(element('p', {class: 'change'}, element('b', {}, 'And '),
      `${percent(overhead / report.task_time_us)} of the task time is the overhead of the launch: put more work into one launch.`));
  }
  card.append(element('div', {class: 'tiles'}, ...tiles().map(([value, words]) =>
    element('div', {class: 'tile'}, element('b', {}, value), element('span', {}, words)))));
}

function tiles() {
  const list = [
    [time(report.time_us), `core time: ${whole(report.cycles)} cycles at ${report.frequency_mhz} MHz`],
    [time(report.task_time_us), `task time, with ${time(report.launch_overhead_us)} of overhead`]];
  if (report.roofline) {
    const roof = {cube: 'the cubes', vector: 'the vector units', memory: 'HBM'}[report.roofline.bound];
    list.push([percent(report.peak_share), `of the peak: ${report.tflops.toFixed(report.tflops < 10 ? 2 : 1)} of ${report.peak_tflops.toFixed(1)} TFLOPS`],
      [percent(report.roofline.share), `of what the SoC allows: ${roof} alone would need ${time(report.roofline.ideal_us)}` +
        (roof === 'HBM' ? ' for the least bytes that the work can move' : '')]);
  }
  list.push([rate(report.hbm.gb_per_s * 1e9), `HBM: ${bytes(report.hbm.bytes)}, ${percent(report.hbm.gb_per_s * 1e9 / data.peaks.hbm)} of its peak`],
    [rate(report.l2.gb_per_s * 1e9), `L2: ${bytes(report.l2.bytes)}, ${percent(report.l2.hit_rate)} of the lines hit`],
    [String(report.cores.length), `cores ran ${whole(report.block_dim)} blocks`]);
  if (report.check) list.push([report.check, 'result against the reference']);
  return list;
}
