// The cycles that the views over time show; all of them show the same.
class View {
  constructor(cycles) {
    this.last = cycles;
    this.from = 0;
    this.to = cycles;
    this.listeners = [];
  }
  onChange(listener) {
    this.listeners.push(listener);
  }
  show(from, to) {
    const span = Math.min(Math.max(to - from, 4), this.last);
    this.from = Math.min(Math.max(from, 0), this.last - span);
    this.to = this.from + span;
    this.listeners.forEach(listener => listener());
  }
  all() {
    this.show(0, this.last);
  }
  /** `place`: the share of the width that stays where it is. */
  zoom(factor, place = 0.5) {
    const at = this.from + (this.to - this.from) * place;
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  move(share) {
    const shift = share * (this.to - this.from);
    this.show(this.from + shift, this.to + shift);
  }
}
