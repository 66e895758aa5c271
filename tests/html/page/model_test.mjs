// What a page reads and computes: packed numbers, shares of classes at every zoom, the critical path,
// flags, search. Sums are computed here cycle by cycle.
import assert from 'node:assert/strict';
import test from 'node:test';
import {generator, load, packed} from './load.mjs';

const page = load(['model.js', 'paint.js'], ['CLASSES', 'CLASS_COUNT', 'DONE', 'Model', 'Numbers', 'sharesOf', 'eachStretch', 'unpackTrack',
  'unpackEvents', 'combinedTrack', 'inFlight', 'inView', 'eventAt', 'paintShares', 'axisSteps', 'CORE_ORDER']);
const {CLASSES, CLASS_COUNT} = page;

function randomTrack(random, states, longest) {
  const list = [];
  for (let i = 0; i < states; ++i) list.push({klass: random(CLASS_COUNT), cycles: 1 + random(longest)});
  const track = page.unpackTrack({states: packed(list.map(s => s.cycles * 16 + s.klass)), state_count: states});
  const cycles = list.flatMap(s => new Array(s.cycles).fill(s.klass));
  return {track, cycles};
}

test('numbers of one to seven bytes', () => {
  const values = [0, 1, 127, 128, 16383, 16384, 2 ** 32, 2 ** 45 + 7];
  const numbers = new page.Numbers(packed(values));
  assert.deepEqual(values.map(() => numbers.next()), values);
});

test('a column has of each class what its cycles have, at every zoom', () => {
  const random = generator(7);
  for (let round = 0; round < 30; ++round) {
    const {track, cycles} = randomTrack(random, 300, 1 + random(60));
    const span = 1 + random(cycles.length), from = random(cycles.length - span + 1), columns = 1 + random(400);
    const shares = page.sharesOf(track, from, from + span, columns), sums = new Array(CLASS_COUNT).fill(0);
    for (let i = 0; i < shares.length; ++i) sums[i % CLASS_COUNT] += shares[i] * span / columns;
    const expected = new Array(CLASS_COUNT).fill(0);
    for (let c = from; c < from + span; ++c) ++expected[cycles[c]];
    sums.forEach((sum, k) => assert.ok(Math.abs(sum - expected[k]) < 1e-3 * span + 1e-3, `${CLASSES[k]}: ${sum} of ${expected[k]}`));
  }
});

/** Adds up what is filled, by colour. */
class Canvas {
  areas = {};
  fillRect(x, y, width, height) {
    this.areas[this.fillStyle] = (this.areas[this.fillStyle] ?? 0) + width * height;
    assert.ok(y >= 10 - 1e-3 && y + height <= 30 + 1e-3 && x >= 60, 'outside of the lane');
  }
}

test('the drawn area of a class is its share of the cycles within 2 %, from all to a few cycles', () => {
  const random = generator(3);
  for (const [states, longest] of [[50000, 3], [20000, 40], [400, 3000]]) {
    const {track, cycles} = randomTrack(random, states, longest), columns = 1000, height = 20;
    for (let span = cycles.length; span > 20; span = Math.floor(span / 3)) {
      const from = random(cycles.length - span + 1), canvas = new Canvas(), step = 1 + random(2);
      const shares = page.sharesOf(track, from, from + span, columns / step);
      page.paintShares(canvas, shares, 60, 10, columns / step, height, CLASSES, step);
      const counts = {};
      for (let c = from; c < from + span; ++c) counts[CLASSES[cycles[c]]] = (counts[CLASSES[cycles[c]]] ?? 0) + 1;
      for (const name of CLASSES) {
        if (name === 'done') continue;  // is left blank
        const drawn = (canvas.areas[name] ?? 0) / (columns * height), share = (counts[name] ?? 0) / span;
        assert.ok(Math.abs(drawn - share) <= 0.02 * share + 0.0005, `${name}: ${drawn} drawn of ${share}, ${span} cycles`);
      }
    }
  }
});

test('instructions of a pipe lie in rows, waits in none', () => {
  // start after the one before, cycles, name * 4 + kind, line, tensor or flow
  const events = page.unpackEvents({event_count: 4, events: packed([10, 20, 4, 1, 2, 5, 30, 8, 2, 0, 1, 40, 14, 3, 9, 20, 4, 4, 1, 0])});
  assert.deepEqual([...events.starts], [10, 15, 16, 36]);
  assert.deepEqual([...events.ends], [30, 45, 56, 40]);
  assert.deepEqual([...events.names], [1, 2, 3, 1]);
  assert.deepEqual([...events.kinds], [0, 0, 2, 0]);
  assert.deepEqual([...events.row], [0, 1, 0, 0]);
  assert.equal(events.rows, 2);
  assert.equal(page.eventAt(events, 35, 0, 1), 1);
  assert.equal(page.eventAt(events, 20, 0, 1), 1);
  assert.equal(page.eventAt(events, 60, 1), -1);
  assert.deepEqual([...page.inFlight(events, 10, 50, 4)], [1.5, 2, 1.4, 0.5].map(Math.fround));
});

test('a core works while one of its pipes does', () => {
  const random = generator(11);
  const tracks = [randomTrack(random, 200, 20), randomTrack(random, 300, 9), randomTrack(random, 150, 30)];
  const whole = page.combinedTrack(tracks.map(t => t.track)), longest = Math.max(...tracks.map(t => t.cycles.length));
  const rank = klass => page.CORE_ORDER.indexOf(CLASSES[klass]);
  let state = 0;
  for (let c = 0; c < longest; ++c) {
    while (whole.ends[state] <= c) ++state;
    const there = tracks.filter(t => c < t.cycles.length).map(t => t.cycles[c]);
    const expected = there.reduce((best, klass) => (rank(klass) < rank(best) ? klass : best));
    assert.equal(whole.classes[state], expected, `cycle ${c}`);
  }
  assert.equal(whole.ends[whole.ends.length - 1], longest);
});

function model() {
  const pipe = (events, count) => ({states: packed([100 * 16]), state_count: 1, events: packed(events), event_count: count});
  return new page.Model({start: 1000, end: 1100, texts: ['', 'MOV_OUT_TO_UB', '/k/add.cpp:41', 'SET_FLAG', 'WAIT_FLAG', 'VADD', '/k/add.cpp:50'],
    tensors: [{name: 'weights', bytes: 8, read: 8, written: 0, moves: 1}],
    cores: [{name: 'core0.veccore0', type: 'AIV', pipes: {
      MTE2: pipe([0, 20, 4, 2, 1, 20, 0, 3 * 4 + 1, 2, 77], 2),
      V: pipe([5, 15, 4 * 4 + 2, 6, 77, 15, 30, 5 * 4, 6, 0], 2)}}],
    path: {steps: packed([20, 0, 4 * 16, 1, 2, 30, 0, 16, 5, 6]), step_count: 2}});
}

test('a flow has its set and its waits', () => {
  const ends = model().flow(77);
  assert.deepEqual(ends.map(end => [end.pipe, end.index, end.kind]).sort(), [['MTE2', 1, 1], ['V', 0, 2]]);
  assert.deepEqual([...model().flow(5)], []);
});

test('instructions are found by name, line and tensor', () => {
  const found = words => model().search(words).map(({pipe, indices}) => `${pipe} ${indices.join(',')}`).join(' ');
  assert.equal(found('vadd'), 'V 1');
  assert.equal(found('add.cpp:41'), 'MTE2 0,1');
  assert.equal(found(' WEIGHT '), 'MTE2 0');
  assert.equal(found('nothing'), '');
  assert.equal(found('  '), '');
});

test('the steps of the path follow one another', () => {
  const {path} = model();
  assert.deepEqual([...path.ends], [20, 50]);
  assert.deepEqual([...path.pipes], [4, 1]);
  assert.deepEqual([...path.names], [1, 5]);
});

test('steps that follow each other on one pipe in one class are one stretch, which has room for a label', () => {
  const path = {count: 6, ends: [10, 20, 30, 40, 50, 60], pipes: [4, 4, 2, 2, 2, 2], cores: [1, 1, 1, 1, 0, 0],
    classes: [0, 0, 0, 3, 3, 3]};
  const stretches = (from, to) => {
    const list = [];
    page.eachStretch(path, from, to, (...stretch) => list.push(stretch));
    return list;
  };
  assert.deepEqual(stretches(0, 60), [[0, 20, 0], [20, 30, 2], [30, 40, 3], [40, 60, 4]]);
  assert.deepEqual(stretches(12, 35), [[10, 20, 1], [20, 30, 2], [30, 40, 3]]);
});

test('axes have round steps that fit', () => {
  for (const [from, to, pixels] of [[0, 532.6, 900], [0.1, 0.13, 700], [12, 96000, 500]]) {
    const {step, steps} = page.axisSteps(from, to, pixels, 90, 1e-9);
    assert.ok([1, 2, 5].includes(Math.round(step / 10 ** Math.floor(Math.log10(step) + 1e-9))), `${step}`);
    assert.ok(steps.every(at => at >= from - 1e-9 && at <= to * (1 + 1e-9)));
    assert.ok(steps.length >= 2 && steps.length <= pixels / 90 + 2, `${steps.length} steps`);
  }
});
