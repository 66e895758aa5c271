// What the canvases share.
const CANVAS_FONT = '11.5px system-ui, "DejaVu Sans", sans-serif';

/** The context of a canvas that is as wide as its place and `height` pixels high, blank. */
function prepared(canvas, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(height * ratio);
  const g = canvas.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  return g;
}

/** Ticks below `y` with times and their unit; none is cut at the right end. */
function drawTimeAxis(g, left, width, y, from, to, color) {
  const mhz = report.frequency_mhz, span = (to - from) / mhz;
  const [unit, factor] = span < 1 ? ['ns', 1000] : span < 2000 ? ['µs', 1] : ['ms', 0.001];
  const {step, steps} = axisSteps(from / mhz * factor, to / mhz * factor, width, 90, 1e-6);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  g.fillStyle = color;
  g.textBaseline = 'middle';
  for (const at of steps) {
    const x = left + (at / factor * mhz - from) / (to - from) * width;
    const words = at.toFixed(digits) + ' ' + unit, room = g.measureText(words).width;
    g.fillRect(x, y + 2, 1, 5);
    g.fillText(words, Math.min(x + 3, left + width - room), y + 14);
  }
}

/** Keys that all views over time know. Returns whether the key was one. */
function viewKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  switch (event.key) {
    case 'ArrowLeft': view.move(-0.1); break;
    case 'ArrowRight': view.move(0.1); break;
    case '+': case '=': view.zoom(0.5); break;
    case '-': view.zoom(2); break;
    case 'Home': case '0': view.all(); break;
    default: return false;
  }
  say(`${time(microsOf(view.from))} to ${time(microsOf(view.to))} of ${time(microsOf(view.last))}`);
  return true;
}
