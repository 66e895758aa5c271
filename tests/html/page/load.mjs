// The page's scripts without a page: node runs those that only compute.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import vm from 'node:vm';

const folder = fileURLToPath(new URL('../../../traces/html/page/', import.meta.url));
export const source = name => readFileSync(folder + name, 'utf8');

/** What the scripts define, by name. */
export function load(scripts, names) {
  return vm.runInThisContext(`(() => {${scripts.map(source).join('\n')}\nreturn {${names.join(', ')}};})()`);
}

/** Numbers as a page holds them. */
export function packed(numbers) {
  const bytes = [];
  for (let n of numbers) {
    while (n >= 128) {
      bytes.push((n % 128) + 128);
      n = Math.floor(n / 128);
    }
    bytes.push(n);
  }
  return Buffer.from(bytes).toString('base64');
}

/** A generator of numbers that are the same on every run. */
export function generator(seed) {
  return limit => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 2 ** 32 * limit);
  };
}
