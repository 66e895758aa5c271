// What the views share: elements, numbers, the tooltip, the theme.
const data = JSON.parse(document.getElementById('data').textContent);
const report = data.report;
const CLASS_WORDS = {
  busy: 'works', memory: 'waits for L2 or HBM', bank_conflict: 'UB bank conflicts',
  wait_flag: 'waits for a flag', wait_cross_core: 'waits for another core',
  unit_flag: 'waits for L0C', barrier: 'waits at a barrier', queue_full: 'a queue is full',
  instruction_fetch: 'waits for its code', queue_empty: 'has nothing queued',
  launch: 'block is dispatched', done: 'nothing left to do'};
const PIPE_WORDS = {
  S: 'scalar unit', MTE2: 'loads from global memory', MTE1: 'loads L0A and L0B', M: 'cube',
  FIX: 'results out of L0C', V: 'vector unit', MTE3: 'stores to global memory'};

const SVG_NAMES = new Set(['svg', 'g', 'rect', 'line', 'path', 'circle', 'text', 'polyline', 'title']);
function element(name, attributes = {}, ...children) {
  const made = SVG_NAMES.has(name) ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== undefined && child !== null));
  return made;
}

/** A card of the page with its heading; returns where its content goes. */
function section(id, title, note) {
  const card = element('section', {id, 'aria-labelledby': id + '-title'},
    element('h2', {id: id + '-title'}, title));
  if (note) card.append(element('p', {class: 'note'}, note));
  document.getElementById('main').append(card);
  return card;
}
const columns = (...children) => element('div', {class: 'columns'}, ...children);
const block = (title, ...children) => element('div', {class: 'block'},
  title ? element('h3', {}, title) : undefined, ...children);

const style = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const classColors = () => CLASSES.map(name => style(name));

function scaled(value, unit, names = ['', 'k', 'M', 'G', 'T', 'P']) {
  let i = 0;
  while (Math.abs(value) >= 999.5 && i + 1 < names.length) value /= 1000, ++i;
  const digits = value >= 99.95 || (i === 0 && Number.isInteger(value)) ? 0 : value >= 9.995 ? 1 : 2;
  return value.toFixed(digits) + ' ' + names[i] + unit;
}
const bytes = value => scaled(value, 'B');
const rate = value => scaled(value, 'B/s');
const flops = value => scaled(value, 'FLOP/s');
const whole = value => Math.round(value).toLocaleString('en-US');
const percent = share => (100 * share).toFixed(share < 0.0995 && share > 0 ? 1 : 0) + ' %';
const microsOf = cycles => cycles / report.frequency_mhz;
function time(us) {
  if (us === 0) return '0 µs';
  if (us < 1) return (1000 * us).toFixed(us < 0.1 ? 1 : 0) + ' ns';
  return us.toFixed(us < 100 ? 2 : 1) + ' µs';
}
const fileName = code => code.slice(code.lastIndexOf('/') + 1);

const tip = document.getElementById('tip');
function showTip(x, y, text) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(Math.min(x + 14, innerWidth - box.width - 8), 4) + 'px';
  tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(y - box.height - 10, 4) : y + 18) + 'px';
}
const hideTip = () => { tip.hidden = true; };
/** An element that explains itself under the pointer, and to screen readers. */
function withTip(made, text) {
  made.addEventListener('pointermove', event => showTip(event.clientX, event.clientY, text));
  made.addEventListener('pointerleave', hideTip);
  if (!made.hasAttribute('aria-label')) made.setAttribute('aria-label', text.replaceAll('\n', ', '));
  return made;
}
/** Says something to those who hear the page. */
const say = text => { document.getElementById('status').textContent = text; };

const redraws = [];  // what depends on the theme or on the width
let asked = false;
function redrawAll() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; redraws.forEach(draw => draw()); });
}
addEventListener('resize', redrawAll);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
document.getElementById('theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  redraws.forEach(draw => draw());
});
/** Paper is light, whatever the screen is. */
let themeBeforePrint;
addEventListener('beforeprint', () => {
  themeBeforePrint = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = 'light';
  redraws.forEach(draw => draw());
});
addEventListener('afterprint', () => {
  if (themeBeforePrint) document.documentElement.dataset.theme = themeBeforePrint;
  else delete document.documentElement.dataset.theme;
  redraws.forEach(draw => draw());
});

/** The classes in the order in which they are stacked. */
function classLegend(names) {
  return element('div', {class: 'legend'}, ...CORE_ORDER.filter(name => names.has(name)).map(name =>
    element('span', {}, element('i', {style: `background:var(--${name})`, class: name === 'done' ? 'blank' : ''}),
      CLASS_WORDS[name])));
}
/** A bar of shares [{name, share, tip, label}] of classes; what is missing to 1 stays blank. */
function classBar(parts) {
  return element('div', {class: 'stack'}, ...parts.filter(part => part.share > 0).map(part =>
    withTip(element('i', {role: 'img', style: `width:${100 * part.share}%;background:var(--${part.name});color:var(--${part.name}-ink)`},
      part.label && part.share > 0.08 ? part.label : ''), part.tip)));
}
/** A bar of one quantity that has no class: bytes, times. */
const plainBar = share => element('div', {class: 'stack plain'},
  element('i', {style: `width:${100 * Math.min(share, 1)}%`}));
/** A table: heads [[words, is a number]], rows of cells. */
function tableOf(label, heads, rows) {
  return element('table', {'aria-label': label},
    element('thead', {}, element('tr', {}, ...heads.map(([words, number]) =>
      element('th', {scope: 'col', class: number ? 'n' : ''}, words)))),
    element('tbody', {}, ...rows));
}
const cell = (content, className = '') => element('td', {class: className}, content);
