// What is drawn for shares of time, on anything that has fillStyle and fillRect. Node tests it.

/** From the bottom of a lane to its top. The class "done" is left blank. */
const STACK = ['busy', 'memory', 'bank_conflict', 'unit_flag', 'wait_flag', 'wait_cross_core', 'barrier',
  'queue_full', 'instruction_fetch', 'queue_empty', 'launch'].map(name => CLASSES.indexOf(name));

/**
 * Columns of `step` pixels from (x, y) on. In each, a class takes its share of the height, so that its
 * area is its share of the time. `colors`: by class.
 */
function paintShares(g, shares, x, y, columns, height, colors, step = 1) {
  const whole = wholeColumns(shares, columns), bottoms = new Float32Array(columns).fill(y + height);
  for (const k of STACK) {
    g.fillStyle = colors[k];
    for (let column = 0; column < columns; ++column) {
      if (whole[column] === k) {
        const start = column;
        while (column + 1 < columns && whole[column + 1] === k) ++column;
        g.fillRect(x + start * step, y, (column + 1 - start) * step, height);
        continue;
      }
      const part = whole[column] < 0 ? shares[column * CLASS_COUNT + k] * height : 0;
      if (part <= 0) continue;
      bottoms[column] -= part;
      g.fillRect(x + column * step, bottoms[column], step, part);
    }
  }
}

/** The class that has a column to itself, or -1. */
function wholeColumns(shares, columns) {
  const whole = new Int8Array(columns).fill(-1);
  for (let column = 0, at = 0; column < columns; ++column, at += CLASS_COUNT) {
    for (let k = 0; k < CLASS_COUNT; ++k) if (shares[at + k] > 0.998) whole[column] = k;
  }
  return whole;
}

/** A bar of a share of each column, as wide as that share; neighbours that are full become one. */
function paintCover(g, cover, x, y, height, step = 1) {
  for (let column = 0; column < cover.length; ++column) {
    if (cover[column] <= 0) continue;
    const start = column;
    while (cover[column] > 0.998 && column + 1 < cover.length && cover[column + 1] > 0.998) ++column;
    g.fillRect(x + start * step, y, step * (column > start ? column + 1 - start : Math.min(cover[column], 1)), height);
  }
}

/** Steps of an axis: about one each `room` pixels, 1, 2 or 5 times a power of ten, and at least `least`. */
function axisSteps(from, to, pixels, room, least) {
  const about = (to - from) / Math.max(pixels / room, 1), ten = 10 ** Math.floor(Math.log10(about));
  const step = Math.max([1, 2, 5, 10].map(n => n * ten).find(s => s >= about * 0.999), least);
  const steps = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to * (1 + 1e-12); ++n) steps.push(n * step);
  return {step, steps};
}
