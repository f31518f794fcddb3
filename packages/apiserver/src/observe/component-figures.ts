import type { Features } from '@binnacle/api';
import type { Clock } from '@binnacle/base';
import type { Build } from './build-info.ts';
import { buildInfo, compatibility } from './build-info.ts';
import { ControllerFigures } from './controller-figures.ts';
import { FeatureFigures } from './feature-figures.ts';
import { QueueFigures } from './queue-figures.ts';
import { SchedulerFigures } from './scheduler-figures.ts';
import type { Figures } from './series.ts';

type Row = readonly [name: string, type: string, value: number];

/** What the process of a component that runs alone tells of itself, under the names that it has beside an API server. */
export class ComponentFigures {
  readonly queues: QueueFigures;
  readonly controllers = new ControllerFigures();
  readonly schedulers = new SchedulerFigures();
  readonly #features: FeatureFigures;
  readonly #build: readonly Row[];

  constructor(clock: Pick<Clock, 'monotonic'>, of: { readonly features: Features; readonly build: Build }) {
    this.queues = new QueueFigures(() => clock.monotonic() / 1000);
    this.#features = new FeatureFigures(of.features);
    this.#build = [buildInfo(of.build), compatibility(of.build)];
  }

  /** Prometheus' text form; `process`: what the process knows of itself. */
  render(process: readonly Row[]): string {
    const out: string[] = [];
    const parts: readonly Figures[] = [this.queues, this.controllers, this.schedulers, this.#features];
    for (const part of parts) part.render(out);
    for (const [name, type, value] of [...this.#build, ...process]) {
      out.push(`# TYPE ${name.replace(/\{.*/, '')} ${type}`, `${name} ${value}`);
    }
    return `${out.join('\n')}\n`;
  }
}
