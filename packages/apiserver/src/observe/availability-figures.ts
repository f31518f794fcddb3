/** Which APIServices are not there, in upstream's names (kube-aggregator). */
import type { AvailabilityMeasures } from '../ports/measures.ts';
import { CounterFamily, labelsText } from './series.ts';

const GAUGE = 'aggregator_unavailable_apiservice';

export class AvailabilityFigures implements AvailabilityMeasures {
  /** As many as there are APIServices. */
  readonly #unavailable = new Map<string, boolean>();
  readonly #times = new CounterFamily({
    name: 'aggregator_unavailable_apiservice_total',
    help: 'How often APIServices were found to be gone, by why.',
    labels: ['name', 'reason'],
  });

  found(name: string, { status, reason = '' }: Parameters<AvailabilityMeasures['found']>[1]): void {
    const isGone = status !== 'True';
    if (isGone && this.#unavailable.get(name) !== true) this.#times.add([name, reason]);
    this.#unavailable.set(name, isGone);
  }

  gone(name: string): void {
    this.#unavailable.delete(name);
  }

  render(out: string[]): void {
    if (this.#unavailable.size > 0) out.push(`# HELP ${GAUGE} APIServices that are gone.`, `# TYPE ${GAUGE} gauge`);
    for (const [name, isGone] of this.#unavailable)
      out.push(`${GAUGE}{${labelsText(['name'], [name])}} ${isGone ? 1 : 0}`);
    this.#times.render(out);
  }
}
