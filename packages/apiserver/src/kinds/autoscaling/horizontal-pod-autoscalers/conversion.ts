import { kindRules, toAutoscalerV1, toAutoscalerV2 } from '@binnacle/api';
import type { HorizontalPodAutoscaler as AutoscalerV1 } from '@binnacle/api/autoscaling/v1';
import type { HorizontalPodAutoscaler as AutoscalerV2 } from '@binnacle/api/autoscaling/v2';
import type { KubeObject } from '@binnacle/machinery';
import type { Conversion } from '../../../ports/conversion.ts';

/** autoscaling/v1 is kept as v2. */
export const AUTOSCALER_CONVERSION: Conversion = {
  toStored: (objects) => objects.map(storedAutoscaler),
  toServed: (objects) => objects.map((object) => toAutoscalerV1(object as AutoscalerV2) as KubeObject),
};

/** Defaults are those of the stored version: they are what v1's come to, and change nothing in an old object. */
export function storedAutoscaler(object: KubeObject): KubeObject {
  const made = toAutoscalerV2(object as AutoscalerV1) as KubeObject;
  kindRules('autoscaling', 'HorizontalPodAutoscaler').defaults?.(made);
  return made;
}
