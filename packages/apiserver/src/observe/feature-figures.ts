import { gateStates } from '@binnacle/api';
import type { Features } from '@binnacle/api';
import { CounterFamily } from './series.ts';
import type { Figures } from './series.ts';

/** Which features are on, in upstream's names (k8s.io/component-base, metrics/prometheus/feature). */
export class FeatureFigures implements Figures {
  readonly #features: Features;
  #lines: readonly string[] | undefined;

  constructor(features: Features) {
    this.#features = features;
  }

  /** They do not change while the process runs. */
  render(out: string[]): void {
    this.#lines ??= linesOf(this.#features);
    out.push(...this.#lines);
  }
}

function linesOf(features: Features): readonly string[] {
  const family = new CounterFamily({
    name: 'kubernetes_feature_enabled',
    help: 'Features by their stage, and whether they are on.',
    labels: ['name', 'stage'],
    type: 'gauge',
  });
  for (const { name, stage, isOn } of gateStates(features)) family.set([name, stage], isOn ? 1 : 0);
  const lines: string[] = [];
  family.render(lines);
  return lines;
}
