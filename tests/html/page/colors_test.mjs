// Any two classes of cycles can be told apart, also by those who see no red, green or blue: their
// distance in OKLab, times 100, after the simulation of Machado, Oliveira and Fernandes (2009).
import assert from 'node:assert/strict';
import test from 'node:test';
import {load, source} from './load.mjs';

const {CLASSES} = load(['model.js'], ['CLASSES']);
const LEAST = 9;
const SIGHT = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  'no red': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  'no green': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  'no blue': [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]};

const linear = c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
function oklab(hex, sight) {
  const rgb = [1, 3, 5].map(i => linear(parseInt(hex.slice(i, i + 2), 16) / 255));
  const [r, g, b] = sight.map(row => Math.min(1, Math.max(0, row.reduce((sum, f, i) => sum + f * rgb[i], 0))));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

function palette(selector) {
  const css = source('page.css'), from = css.indexOf(selector + ' {');
  assert.ok(from >= 0, selector);
  const block = css.slice(from, css.indexOf('}', from));
  return Object.fromEntries(CLASSES.map(name => [name, block.match(new RegExp(`--${name}: (#[0-9a-f]{6})`))[1]]));
}

for (const [theme, selector] of [['light', ':root'], ['dark', ':root[data-theme=dark]']]) {
  for (const [sight, matrix] of Object.entries(SIGHT)) {
    test(`${theme}, sees ${sight}`, () => {
      const labs = Object.entries(palette(selector)).map(([name, hex]) => [name, oklab(hex, matrix)]);
      for (const [i, [a, x]] of labs.entries()) {
        for (const [b, y] of labs.slice(i + 1)) {
          const distance = 100 * Math.hypot(...x.map((value, k) => value - y[k]));
          assert.ok(distance >= LEAST, `${a} and ${b}: ${distance.toFixed(1)}`);
        }
      }
    });
  }
}
