import { exponentialBounds } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';
import type { ControllerKit } from './controller-kit.ts';

const LABELS = ['code'];

/** Keeps score of looks of a publisher of authorities by how the server answered: 200 for well, 500 for what was no answer. */
export function syncFigures(
  { figures, world }: Pick<ControllerKit, 'figures' | 'world'>,
  subsystem: string,
): (look: () => Promise<void>) => Promise<void> {
  const total = figures.counter({ name: `${subsystem}_sync_total`, help: 'Looks, by how they ended.', labels: LABELS });
  const name = `${subsystem}_sync_duration_seconds`;
  const took = figures.spread({ name, help: 'How long a look took.', labels: LABELS }, exponentialBounds(0.001, 2, 15));
  return async (look) => {
    const since = world.clock.monotonic();
    let code = '200';
    try {
      await look();
    } catch (error) {
      code = error instanceof StatusError ? `${error.code}` : '500';
      throw error;
    } finally {
      total.add([code]);
      took.observe([code], (world.clock.monotonic() - since) / 1000);
    }
  };
}
