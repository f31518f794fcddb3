import type { Clock } from '@binnacle/base';
import type { Wire } from '@binnacle/machinery';

/** Calls that are under way have this long to end when another wire takes over; watches begin again on that. */
const OVERLAP_MS = 10_000;

/** A wire behind which another can be put while it is used: a new certificate is shown from the next connection on. */
export class SwitchedWire implements Wire {
  readonly #clock: Clock;
  #wire: Wire;

  constructor(wire: Wire, clock: Clock) {
    this.#wire = wire;
    this.#clock = clock;
  }

  /** New calls go there; the one before is closed a little later. */
  switchTo(wire: Wire): void {
    const before = this.#wire;
    this.#wire = wire;
    this.#clock.after(
      OVERLAP_MS,
      // Never rejects: closing lets go of connections, and nobody asks for anything there any more.
      () => void before.close(),
      { background: true },
    );
  }

  call: Wire['call'] = (call) => this.#wire.call(call);
  batch: Wire['batch'] = (calls, settled) => this.#wire.batch(calls, settled);
  watch: Wire['watch'] = (call, sink) => this.#wire.watch(call, sink);
  raw: Wire['raw'] = (call) => this.#wire.raw(call);
  open: Wire['open'] = (call) => this.#wire.open(call);
  close: Wire['close'] = () => this.#wire.close();
}
