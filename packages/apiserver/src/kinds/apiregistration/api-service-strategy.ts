import { setCondition } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { APIService, APIServiceCondition } from '@binnacle/api/apiregistration/v1';
import { formatTime } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { Strategy } from '../../ports/strategy.ts';

/** What an APIService without a Service always says. */
export const LOCAL_CONDITION: APIServiceCondition = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** A local one is available from its first moment. */
export function apiServiceStrategy(clock: Pick<Clock, 'now'>): Strategy {
  return {
    prepareForCreate(object) {
      const draft = object as unknown as Draft<APIService>;
      const isLocal = draft.spec.service === undefined || draft.spec.service === null;
      draft.status = isLocal ? { conditions: [...setCondition([], LOCAL_CONDITION, formatTime(clock.now()))] } : {};
    },
  };
}
