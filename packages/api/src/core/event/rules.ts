import type { Event } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { EVENT_FIELDS } from './fields.ts';
import { validateEvent, validateGroupEvent, validateGroupEventUpdate } from './validation.ts';

/** Events that come by the core group. */
export const EVENT_RULES: KindRules<Event> = {
  validate: validateEvent,
  validateUpdate: validateEvent,
  fields: EVENT_FIELDS,
};

/** Events that come by events.k8s.io/v1, in the core form that is stored. */
export const GROUP_EVENT_RULES: KindRules<Event> = {
  validate: validateGroupEvent,
  validateUpdate: validateGroupEventUpdate,
  fields: EVENT_FIELDS,
};
