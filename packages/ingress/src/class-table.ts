import { wellknown } from '@binnacle/api';
import type { Ingress, IngressClass } from '@binnacle/api/networking/v1';

/** The controller that IngressClasses of ours name. */
export const CONTROLLER = 'binnacle.dev/ingress';

const CLASS_ANNOTATION = wellknown.ANNOTATION_INGRESS_CLASS;

/** The class that an Ingress asks for: the field, or the annotation of old. */
export function classOf({ metadata, spec }: Ingress): string | undefined {
  return spec.ingressClassName ?? metadata.annotations?.[CLASS_ANNOTATION];
}

/** Whether a class is this controller's. */
export function isOurs({ spec }: IngressClass): boolean {
  return spec?.controller === CONTROLLER;
}
