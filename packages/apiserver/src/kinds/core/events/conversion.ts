import { EVENTS_GROUP_FIELDS, kindRules, toCoreEvent, toGroupEvent } from '@binnacle/api';
import type { KindRules } from '@binnacle/api';
import type { Event as CoreEvent } from '@binnacle/api/core/v1';
import type { Event as GroupEvent } from '@binnacle/api/events/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { Conversion } from '../../../ports/conversion.ts';

/** Events of the group events.k8s.io are kept as those of the core group. */
export const EVENT_CONVERSION: Conversion = {
  toStored: (objects) => objects.map(stored),
  toServed: (objects) => objects.map((object) => toGroupEvent(object as CoreEvent) as KubeObject),
};

function stored(object: KubeObject): KubeObject {
  return { ...toCoreEvent(object as GroupEvent), metadata: { ...object.metadata } } as KubeObject;
}

/** The field selectors of the group's version, by its own labels, read from what is stored. */
export const GROUP_EVENT_FIELDS: KindRules['fields'] = renamedFields();

function renamedFields(): KindRules['fields'] {
  const { fields = {} } = kindRules('', 'Event');
  const renamed: { [label: string]: (object: KubeObject) => string } = {};
  for (const [label, storedLabel] of Object.entries(EVENTS_GROUP_FIELDS)) {
    const read = fields[storedLabel];
    if (read !== undefined) renamed[label] = read;
  }
  return renamed;
}
