// The sentence above a comparison.
import assert from 'node:assert/strict';
import test from 'node:test';
import {load} from './load.mjs';

globalThis.time = us => `${us} us`;
const page = load(['compare.js'], ['comparisonSentence']);

test('the sentence names every run that is fastest', () => {
  const runs = [['1. a', 2], ['2. b', 1], ['3. c', 1]].map(([name, time_us]) => ({name, time_us}));
  const sentence = page.comparisonSentence(runs);
  assert.match(sentence, /^2\. b is fastest with .* \(as is 3\. c\), 2\.00 times as fast as 1\. a\.$/);
  assert.doesNotMatch(page.comparisonSentence(runs.slice(0, 2)), /as is/);
});
