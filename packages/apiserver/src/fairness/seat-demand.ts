/** What a level asked for over a period, weighted by time. */
export interface DemandReading {
  readonly seconds: number;
  readonly average: number;
  readonly deviation: number;
  readonly highest: number;
}

/** Integrates the seats that a level uses or asks for. */
export class SeatDemand {
  #since: number;
  #last: number;
  #value = 0;
  #sum = 0;
  #squares = 0;
  #highest = 0;

  /** `now`: seconds. */
  constructor(now: number) {
    this.#since = now;
    this.#last = now;
  }

  set(value: number, now: number): void {
    this.#pass(now);
    this.#value = value;
    if (value > this.#highest) this.#highest = value;
  }

  /** What was asked for since the last call; a new period begins. */
  read(now: number): DemandReading {
    this.#pass(now);
    const seconds = now - this.#since;
    const average = seconds > 0 ? this.#sum / seconds : this.#value;
    const variance = seconds > 0 ? this.#squares / seconds - average * average : 0;
    const reading = { seconds, average, deviation: Math.sqrt(Math.max(0, variance)), highest: this.#highest };
    this.#since = now;
    this.#sum = 0;
    this.#squares = 0;
    this.#highest = this.#value;
    return reading;
  }

  #pass(now: number): void {
    const passed = now - this.#last;
    if (passed <= 0) return;
    this.#sum += this.#value * passed;
    this.#squares += this.#value * this.#value * passed;
    this.#last = now;
  }
}

/** Half of what is past is forgotten in five minutes of periods of ten seconds (upstream's coefficient). */
const KEPT = 0.977;

/** Demand that rises at once and falls slowly, so that a level does not lose what it will need again. */
export interface SmoothedDemand {
  readonly highest: number;
  readonly average: number;
  readonly deviation: number;
  readonly smoothed: number;
}

export const NO_DEMAND: SmoothedDemand = { highest: 0, average: 0, deviation: 0, smoothed: 0 };

export function smooth(before: SmoothedDemand, reading: DemandReading): SmoothedDemand {
  const highest = Math.round(reading.highest);
  if (reading.seconds <= 0) return { ...before, highest };
  const { average, deviation } = reading;
  const envelope = average + deviation;
  const smoothed = Math.max(envelope, KEPT * before.smoothed + (1 - KEPT) * envelope);
  return { highest, average, deviation, smoothed };
}
