import { FigureBook } from './figure-book.ts';
import { RolloutFigures } from './rollout-figures.ts';
import type { Figures } from './series.ts';

/** What controllers in this process tell of themselves. */
export class ControllerFigures implements Figures {
  readonly book = new FigureBook();
  /** Of stateful sets. */
  readonly rollouts = new RolloutFigures();

  render(out: string[]): void {
    this.rollouts.render(out);
    this.book.render(out);
  }
}
