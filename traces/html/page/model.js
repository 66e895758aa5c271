// The data of a launch as the views need them. Nothing here touches the page, so that node tests it.
// Cycles count from the start of the launch. docs/traces.md says how the data are packed.
const CLASSES = ['busy', 'memory', 'bank_conflict', 'wait_flag', 'wait_cross_core', 'unit_flag',
  'queue_empty', 'barrier', 'queue_full', 'instruction_fetch', 'launch', 'done'];
const CLASS_COUNT = CLASSES.length, BUSY = 0, DONE = CLASSES.indexOf('done');
const PIPE_NAMES = ['S', 'V', 'M', 'MTE1', 'MTE2', 'MTE3', 'FIX', 'ALL'];
const WORK = 0, SET = 1, WAIT = 2, BARRIER = 3;

function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Reads numbers of seven bits a byte, the lowest first. */
class Numbers {
  constructor(base64) {
    this.bytes = bytesOf(base64);
    this.at = 0;
  }
  next() {
    let byte = this.bytes[this.at++], value = byte & 127, factor = 128;
    while (byte > 127) {
      byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      factor *= 128;
    }
    return value;
  }
}

/** What class each cycle of a pipe has: state i lasts from ends[i - 1] to ends[i]. */
function unpackTrack(packed) {
  const numbers = new Numbers(packed.states), count = packed.state_count;
  const ends = new Float64Array(count), classes = new Uint8Array(count);
  for (let i = 0, end = 0; i < count; ++i) {
    const value = numbers.next();
    classes[i] = value % 16;
    ends[i] = end += Math.floor(value / 16);
  }
  return {ends, classes};
}

/** The instructions of a pipe by start, each with the lowest row that is free. */
function unpackEvents(packed) {
  const numbers = new Numbers(packed.events), count = packed.event_count;
  const events = {count, rows: 1, longest: 0, starts: new Float64Array(count),
    ends: new Float64Array(count), names: new Uint32Array(count), kinds: new Uint8Array(count),
    lines: new Uint32Array(count), links: new Float64Array(count), row: new Uint8Array(count)};
  const rows = [];
  for (let i = 0, start = 0; i < count; ++i) {
    events.starts[i] = start += numbers.next();
    const length = numbers.next(), name = numbers.next();
    events.ends[i] = start + length;
    events.longest = Math.max(events.longest, length);
    events.names[i] = name >> 2;
    events.kinds[i] = name & 3;
    events.lines[i] = numbers.next();
    events.links[i] = numbers.next();
    if (events.kinds[i] !== WORK) continue;  // a wait is in no row: nothing of it is in flight
    let row = 0;
    while (row < rows.length && rows[row] > start) ++row;
    rows[row] = start + length;
    events.row[i] = Math.min(row, 255);
  }
  events.rows = Math.max(rows.length, 1);
  return events;
}

/** The steps of the critical path; a track as well. */
function unpackPath(packed) {
  const numbers = new Numbers(packed.steps), count = packed.step_count;
  const path = {count, ends: new Float64Array(count), classes: new Uint8Array(count),
    cores: new Uint16Array(count), pipes: new Uint8Array(count), names: new Uint32Array(count),
    lines: new Uint32Array(count)};
  for (let i = 0, end = 0; i < count; ++i) {
    path.ends[i] = end += numbers.next();
    path.cores[i] = numbers.next();
    const place = numbers.next();
    path.classes[i] = place % 16;
    path.pipes[i] = place >> 4;
    path.names[i] = numbers.next();
    path.lines[i] = numbers.next();
  }
  return path;
}

/** The first index for which values[index] > limit; values ascend. */
function firstAbove(values, limit) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Steps of the path in view that follow each other on one pipe of a core in one class: visit(begin, end, first step). */
function eachStretch(path, from, to, visit) {
  const {pipes, cores, classes, ends, count} = path;
  const goesOn = i => pipes[i] === pipes[i - 1] && cores[i] === cores[i - 1] && classes[i] === classes[i - 1];
  for (let first = firstAbove(ends, from), i = first + 1; first < count; first = i++) {
    const begin = first ? ends[first - 1] : 0;
    if (begin > to) break;
    while (i < count && ends[i - 1] <= to && goesOn(i)) ++i;
    visit(begin, ends[i - 1], first);
  }
}

/** Adds the interval [begin, end) to columns of the window: put(column, share of that column). */
function spread(begin, end, from, perColumn, columns, put) {
  const a = Math.max((begin - from) / perColumn, 0), b = Math.min((end - from) / perColumn, columns);
  if (b <= a) return;
  const first = Math.floor(a), last = Math.min(Math.floor(b), columns - 1);
  if (first === last) return put(first, b - a);
  put(first, first + 1 - a);
  for (let column = first + 1; column < last; ++column) put(column, 1);
  if (b > last) put(last, b - last);
}

/**
 * The share of each class in each column of [from, to), CLASS_COUNT numbers a column. Every state
 * counts for as many cycles as it has in the column, however short it is, so that what is drawn of a
 * class is its share of the time at every zoom.
 */
function sharesOf(track, from, to, columns) {
  const shares = new Float32Array(columns * CLASS_COUNT), perColumn = (to - from) / columns;
  const {ends, classes} = track;
  let begin = from;
  for (let i = firstAbove(ends, from); i < ends.length && begin < to; ++i) {
    const end = Math.min(ends[i], to), klass = classes[i];
    const a = (begin - from) / perColumn, column = Math.min(a | 0, columns - 1);
    const b = (end - from) / perColumn;
    if (b <= column + 1) shares[column * CLASS_COUNT + klass] += b - a;
    else spread(begin, end, from, perColumn, columns, (c, share) => { shares[c * CLASS_COUNT + klass] += share; });
    begin = end;
  }
  return shares;
}

/** Which class stands for a core whose pipes have several at once: the first of these. */
const CORE_ORDER = ['busy', 'memory', 'bank_conflict', 'unit_flag', 'wait_cross_core', 'wait_flag',
  'queue_full', 'instruction_fetch', 'barrier', 'queue_empty', 'launch', 'done'];

/** One track of several: at each cycle the class that comes first in CORE_ORDER. */
function combinedTrack(tracks) {
  const rank = CLASSES.map(name => CORE_ORDER.indexOf(name));
  const at = new Array(tracks.length).fill(0), ends = [], classes = [];
  for (;;) {
    let end = Infinity, best = -1;
    for (let i = 0; i < tracks.length; ++i) {
      const track = tracks[i];
      if (at[i] >= track.ends.length) continue;
      end = Math.min(end, track.ends[at[i]]);
      const klass = track.classes[at[i]];
      if (best < 0 || rank[klass] < rank[best]) best = klass;
    }
    if (best < 0) break;
    for (let i = 0; i < tracks.length; ++i) if (tracks[i].ends[at[i]] <= end) ++at[i];
    if (classes.length && classes[classes.length - 1] === best) ends[ends.length - 1] = end;
    else ends.push(end), classes.push(best);
  }
  return {ends: Float64Array.from(ends), classes: Uint8Array.from(classes)};
}

/** How many instructions are in flight on average in each column of [from, to). */
function inFlight(events, from, to, columns) {
  const sums = new Float32Array(columns), perColumn = (to - from) / columns;
  const [first, last] = inView(events, from, to);
  for (let i = first; i < last; ++i) {
    if (events.kinds[i] !== WORK) continue;
    spread(events.starts[i], events.ends[i], from, perColumn, columns, (c, share) => { sums[c] += share; });
  }
  return sums;
}

/** Indices [first, last) that hold all events of [from, to], and perhaps some before it. */
function inView(events, from, to) {
  return [firstAbove(events.starts, from - events.longest - 1), firstAbove(events.starts, to)];
}

/** The event in flight at a cycle that began last, in `row` unless that is undefined; -1 if none. */
function eventAt(events, cycle, slack, row) {
  const [first, last] = inView(events, cycle - slack, cycle + slack);
  for (let i = last - 1; i >= first; --i) {
    if (events.ends[i] + slack >= cycle && (row === undefined || events.row[i] === row)) return i;
  }
  return -1;
}

/** A launch as a page holds it. Tracks and instructions are unpacked when they are needed. */
class Model {
  constructor(timeline) {
    this.timeline = timeline;
    this.cycles = Math.max(timeline.end - timeline.start, 1);
    this.texts = timeline.texts;
    this.tensors = timeline.tensors;
    this.cores = timeline.cores.map((core, index) => ({...core, index, tracks: {}, events: {}}));
    this.path = unpackPath(timeline.path);
  }
  pipesOf(core) {
    return ['MTE2', 'MTE1', 'M', 'FIX', 'V', 'MTE3', 'S'].filter(pipe => core.pipes[pipe]);
  }
  track(core, pipe) {
    return core.tracks[pipe] ??= unpackTrack(core.pipes[pipe]);
  }
  events(core, pipe) {
    return core.events[pipe] ??= unpackEvents(core.pipes[pipe]);
  }
  /** Of all pipes with a queue; of the scalar unit if the core used no other. */
  coreTrack(core) {
    const pipes = this.pipesOf(core).filter(pipe => pipe !== 'S');
    return core.whole ??= combinedTrack((pipes.length ? pipes : ['S']).map(pipe => this.track(core, pipe)));
  }
  get eventCount() {
    let sum = 0;
    for (const core of this.cores) for (const pipe of Object.values(core.pipes)) sum += pipe.event_count;
    return sum;
  }
  tensorOf(events, i) {
    return events.kinds[i] === WORK && events.links[i] > 0 ? this.tensors[events.links[i] - 1] : undefined;
  }
  /** Where a flag is set and awaited: [{core, pipe, index, kind}] of a flow. */
  flow(id) {
    if (!this.flows) {
      this.flows = new Map();
      for (const core of this.cores) {
        for (const pipe of this.pipesOf(core)) {
          const events = this.events(core, pipe);
          for (let i = 0; i < events.count; ++i) {
            const kind = events.kinds[i];
            if ((kind !== SET && kind !== WAIT) || !events.links[i]) continue;
            const ends = this.flows.get(events.links[i]) ?? [];
            ends.push({core, pipe, index: i, kind});
            this.flows.set(events.links[i], ends);
          }
        }
      }
    }
    return this.flows.get(id) ?? [];
  }
  /** The instructions whose name, line or tensor contains `words`: by core and pipe, as indices. */
  search(words) {
    const wanted = words.trim().toLowerCase(), found = [];
    if (!wanted) return found;
    const hit = text => (text ?? '').toLowerCase().includes(wanted);
    const texts = this.texts.map(text => hit(text)), tensors = this.tensors.map(tensor => hit(tensor.name));
    for (const core of this.cores) {
      for (const pipe of this.pipesOf(core)) {
        const events = this.events(core, pipe), indices = [];
        for (let i = 0; i < events.count; ++i) {
          if (texts[events.names[i]] || texts[events.lines[i]] ||
              (events.kinds[i] === WORK && events.links[i] > 0 && tensors[events.links[i] - 1])) indices.push(i);
        }
        if (indices.length) found.push({core, pipe, indices});
      }
    }
    return found;
  }
}
