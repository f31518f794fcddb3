import { exponentialBounds } from '@binnacle/base';
import type { FigureMeasures, SpreadFigure } from '@binnacle/base';

/** How well those are chosen that a set is rid of; of replication controllers under the same name, as upstream. */
export function deletionAges(figures: FigureMeasures): SpreadFigure {
  const named = {
    name: 'replicaset_controller_sorting_deletion_age_ratio',
    help: 'How many times as old as the youngest ready pod of its set a ready one was that went. Below 2 as a rule.',
  };
  return figures.spread(named, exponentialBounds(0.25, 2, 6));
}
