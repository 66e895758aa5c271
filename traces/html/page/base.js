'use strict';
// What the sections share: data, elements, numbers, the tooltip.
const data = JSON.parse(document.getElementById('data').textContent);
const report = data.report;
const CLASSES = ['busy', 'memory', 'bank_conflict', 'wait_flag', 'wait_cross_core', 'unit_flag',
  'barrier', 'queue_full', 'instruction_fetch', 'queue_empty', 'launch', 'done'];
const CLASS_WORDS = {
  busy: 'busy', memory: 'waits for L2 or HBM', bank_conflict: 'UB bank conflicts',
  wait_flag: 'waits for a flag', wait_cross_core: 'waits for another core',
  unit_flag: 'waits for L0C', barrier: 'barrier', queue_full: 'queue is full',
  instruction_fetch: 'waits for its code',
  queue_empty: 'scalar unit is behind', launch: 'launch', done: 'done'};

function element(name, attributes = {}, ...children) {
  const svg = ['svg', 'g', 'rect', 'line', 'path', 'circle', 'text', 'polyline', 'marker', 'defs']
    .includes(name);
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter(c => c !== undefined && c !== null));
  return made;
}

/** A card of the page, with its heading; returns where its content goes. */
function section(id, title, note, half) {
  const card = element('section', {id, class: half ? 'half' : ''}, element('h2', {}, title));
  if (note) card.append(element('p', {class: 'note'}, note));
  document.getElementById('main').append(card);
  return card;
}

const style = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

function scaled(value, unit, step = 1000, names = ['', 'k', 'M', 'G', 'T', 'P']) {
  let i = 0;
  while (Math.abs(value) >= step && i + 1 < names.length) value /= step, ++i;
  const digits = value >= 100 || (i === 0 && Number.isInteger(value)) ? 0 : value >= 10 ? 1 : 2;
  return value.toFixed(digits) + ' ' + names[i] + unit;
}
const bytes = value => scaled(value, 'B');
const rate = value => scaled(value, 'B/s');
const flops = value => scaled(value, 'FLOP/s');
const whole = value => Math.round(value).toLocaleString('en-US');
const percent = share => (100 * share).toFixed(share < 0.1 ? 1 : 0) + ' %';
const microseconds = cycles => (cycles / report.frequency_mhz).toFixed(3) + ' µs';
const fileName = code => code.slice(code.lastIndexOf('/') + 1);

const tip = document.getElementById('tip');
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.min(event.clientX + 14, innerWidth - box.width - 8) + 'px';
  tip.style.top = (event.clientY + 18 + box.height > innerHeight
    ? event.clientY - box.height - 10 : event.clientY + 18) + 'px';
}
const hideTip = () => { tip.hidden = true; };
/** An element that explains itself under the pointer. */
function withTip(made, text) {
  made.addEventListener('pointermove', event => showTip(event, text));
  made.addEventListener('pointerleave', hideTip);
  return made;
}

const redraws = [];  // what depends on the theme or on the width
function whenShown(draw) {
  redraws.push(draw);
  draw();
}
addEventListener('resize', () => redraws.forEach(draw => draw()));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraws.forEach(d => d()));
document.getElementById('theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  redraws.forEach(draw => draw());
});

function legend(entries) {
  return element('div', {class: 'legend'}, ...entries.map(([color, words]) =>
    element('span', {}, element('i', {style: `background:var(--${color})`}), words)));
}
