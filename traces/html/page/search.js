// Finds instructions by name, source line or tensor, on all cores.
class Search {
  constructor(model, timeline) {
    Object.assign(this, {model, timeline, found: [], at: -1});
    this.input = element('input', {type: 'search', id: 'search', placeholder: 'instruction, line or tensor',
      oninput: () => this.run(), onkeydown: event => { if (event.key === 'Enter') this.go(event.shiftKey ? -1 : 1); }});
    this.result = element('span', {class: 'hint', id: 'found', 'aria-live': 'polite'});
    const button = (words, label, act) => element('button', {type: 'button', 'aria-label': label, title: label, onclick: act}, words);
    this.node = element('div', {class: 'controls'}, element('label', {for: 'search'}, 'Search '), this.input,
      button('◂', 'found before', () => this.go(-1)), button('▸', 'next found', () => this.go(1)), this.result);
  }
  run() {
    this.found = this.model.search(this.input.value);
    this.at = -1;
    this.timeline.marks = this.found;
    const all = this.found.reduce((sum, entry) => sum + entry.indices.length, 0);
    const here = this.found.filter(entry => entry.core === this.timeline.core)
      .reduce((sum, entry) => sum + entry.indices.length, 0);
    const cores = new Set(this.found.map(entry => entry.core)).size;
    this.result.textContent = !this.input.value.trim() ? '' : all
      ? `${whole(here)} on this core, ${whole(all)} on ${cores} cores` : 'not found';
    this.timeline.draw();
  }
  /** In the order of time, on this core as long as it has some. */
  go(step) {
    const here = this.found.filter(entry => entry.core === this.timeline.core);
    const entries = here.length ? here : this.found.slice(0, 1);
    const hits = entries.flatMap(({core, pipe, indices}) => indices.map(index =>
      ({core, pipe, index, start: this.model.events(core, pipe).starts[index]}))).sort((a, b) => a.start - b.start);
    if (!hits.length) return;
    this.at = (this.at + step + hits.length) % hits.length;
    const hit = hits[this.at];
    this.timeline.goTo(hit.core, hit.pipe, hit.index);
    this.result.textContent = `${whole(this.at + 1)} of ${whole(hits.length)} on ${hit.core.name}`;
  }
}
