import type { CountFigure, FigureMeasures, SpreadFigure } from '@binnacle/base';

/** From 5 ms to 4 minutes, as upstream. */
const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];

/** What controllers tell that delete pods because of taints. */
export class EvictionFigures {
  readonly #deleted: CountFigure;
  readonly #late: SpreadFigure;

  /** `subsystem`: the first part of the names. */
  constructor(figures: FigureMeasures, subsystem: string) {
    this.#deleted = figures.counter({ name: `${subsystem}_pod_deletions_total`, help: 'Pods that were deleted.' });
    const help = 'How long after its time a pod was deleted.';
    this.#late = figures.spread({ name: `${subsystem}_pod_deletion_duration_seconds`, help }, SECONDS);
  }

  /** A pod was deleted so long after it was due. */
  deleted(lateMs: number): void {
    this.#deleted.add();
    this.#late.observe([], Math.max(0, lateMs) / 1000);
  }
}
