// Puts the page together.
function runPage() {
  const model = new Model(data.timeline), view = new View(model.cycles);
  document.getElementById('title').textContent = data.title;
  document.getElementById('subtitle').textContent = [`${report.soc}${report.product ? ` (${report.product})` : ''}`, ...(report.set ?? []),
    report.l2_start ? `L2 ${report.l2_start}` : '', `kernel ${report.kernel}`].filter(Boolean).join(' · ');
  drawHeadline(section('summary', 'What bounds the launch'));
  drawPath(section('path', 'Critical path',
    'The chain of causes from the end of the launch back to its start. A shorter step makes the launch shorter, until another chain is longer.'), model);
  if (model.cores.length) drawTime(section('timeline', 'Timeline'), model, view);
  drawCycles(section('cycles', 'Where the cycles went', 'Every cycle of a pipe is in one class. A bar is the launch, over all cores of a type.'));
  const ceilings = section('roofline', 'Ceilings');
  if (report.cost) drawRoofline(ceilings, report, data.peaks);
  else drawRoofline(ceilings, {...report, cost: {cube_flops_16bit: 0, cube_flops_8bit: 0, cube_flops_32bit: 0, vector_flops: 0}}, data.peaks);
  drawMemory(section('memory', 'Memory'), model);
  drawSources(section('sources', 'Source lines', 'By share of the critical path, or by the cycles of all cores in which a line\'s instructions worked or waited.'));
}

/** The classes that some pipe has cycles of, or the path steps. */
function classesSeen() {
  const seen = new Set(data.path.causes.map(cause => cause.class)).add('busy');
  for (const type of ['AIC', 'AIV']) {
    for (const pipe of Object.values(report.totals[type].pipes)) {
      for (const [name, cycles] of Object.entries(pipe.stall_cycles)) if (cycles > 0) seen.add(name);
    }
  }
  return seen;
}

function drawTime(card, model, view) {
  const overview = new Overview(model, view, core => { timeline.choose(core); say(core.name); });
  const timeline = new Timeline(model, view, core => overview.mark(core));
  const search = new Search(model, timeline), bandwidth = bandwidthChart(model, view);
  const {shortest, grain} = model.timeline;
  card.append(classLegend(classesSeen()), element('p', {class: 'note'},
    'A lane shows, in every pixel, the share of the time that each class has. The bar across a lane is the critical path.' +
    (grain ? ` The page holds shares of ${whole(grain)} cycles.` : '') +
    (shortest ? ` Instructions of less than ${whole(shortest)} cycles are not drawn one by one.` : '')));
  card.append(block('All cores', overview.node), block('One core', search.node, timeline.node), block('Bandwidth', bandwidth.node));
  window.davsim = {model, view, timeline, overview};
  timeline.choose(model.cores[model.path.count ? model.path.cores[model.path.count - 1] : 0]);
  bandwidth.draw();
}

data.comparison ? comparisonPage() : runPage();
document.documentElement.dataset.ready = 'true';
