import { kindRules, toAutoscalerV1, toAutoscalerV2, toCoreEvent, toGroupEvent } from '@binnacle/api';
import type { ResourceInfo } from '@binnacle/api';
import type { HorizontalPodAutoscaler as AutoscalerV1 } from '@binnacle/api/autoscaling/v1';
import type { HorizontalPodAutoscaler as AutoscalerV2 } from '@binnacle/api/autoscaling/v2';
import type { Event as CoreEvent } from '@binnacle/api/core/v1';
import type { Event as GroupEvent } from '@binnacle/api/events/v1';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';

/** Between a served version and the stored one. Neither direction writes into its argument. */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  toServed(object: KubeObject): KubeObject;
}

/** The conversion of a version that is served but not stored. */
export function conversionOf(info: ResourceInfo): Conversion {
  if (info.resource === 'events') {
    return {
      toStored: (object) => ({ ...toCoreEvent(object as GroupEvent), metadata: { ...object.metadata } }) as KubeObject,
      toServed: (object) => toGroupEvent(object as CoreEvent) as KubeObject,
    };
  }
  if (info.resource === 'horizontalpodautoscalers') {
    return { toStored: storedAutoscaler, toServed: (object) => toAutoscalerV1(object as AutoscalerV2) as KubeObject };
  }
  // Until a kind has a conversion of its own its versions differ in nothing but the name.
  return {
    toStored: (object) => ({ ...object, metadata: { ...object.metadata } }),
    toServed: (object) => ({ ...object, apiVersion: groupVersion(info) }),
  };
}

/** Defaults are those of the stored version: they are what v1's come to, and change nothing in an old object. */
function storedAutoscaler(object: KubeObject): KubeObject {
  const stored = toAutoscalerV2(object as AutoscalerV1) as KubeObject;
  kindRules('autoscaling', 'HorizontalPodAutoscaler').defaults?.(stored);
  return stored;
}
