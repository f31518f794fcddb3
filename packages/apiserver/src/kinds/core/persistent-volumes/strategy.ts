import type { PersistentVolumeStatus } from '@binnacle/api/core/v1';
import { formatTime } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

/** A volume is born Pending, and says since when it is in its phase. */
export function createVolumeStrategy(clock: Clock): Strategy {
  return {
    prepareForCreate(object) {
      asDraft(object).status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(clock.now()) };
    },
    prepareForStatusUpdate(object, before) {
      const draft = asDraft(object);
      const now = (draft.status ?? {}) as PersistentVolumeStatus;
      const old = (asDraft(before).status ?? {}) as PersistentVolumeStatus;
      const isSaid = (now.lastPhaseTransitionTime ?? '') !== '';
      if (now.phase === old.phase && !isSaid) {
        draft.status = { ...now, lastPhaseTransitionTime: old.lastPhaseTransitionTime };
      } else if (now.phase !== old.phase && (!isSaid || now.lastPhaseTransitionTime === old.lastPhaseTransitionTime)) {
        draft.status = { ...now, lastPhaseTransitionTime: formatTime(clock.now()) };
      }
    },
  };
}
