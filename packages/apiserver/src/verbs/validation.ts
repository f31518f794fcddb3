import {
  validateCreate,
  validateEphemeralContainersUpdate,
  validateNamespaceFinalize,
  validatePodResize,
  validateStatusUpdate,
  validateUpdate,
} from '@binnacle/api';
import type { Namespace, Pod } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import type { Call } from '../catalogue/call.ts';
import type { ServedResource } from '../catalogue/resource.ts';

/** 422 with everything that is wrong with a new object. */
export function validateNew(served: ServedResource, object: KubeObject): void {
  refuse(served, object, validateCreate(served.info, served.toStored(object)));
}

/** 422 with everything that is wrong with a change; the new object by itself must be right too. */
export function validateChange(served: ServedResource, object: KubeObject, before: KubeObject): void {
  refuse(served, object, validateUpdate(served.info, served.toStored(object), served.toStored(before)));
}

/** 422 with what is wrong with a change by a subresource that takes one part of the spec. */
export function validatePartChange(call: Call, object: KubeObject, before: KubeObject): void {
  const validate = PART_RULES[call.info.subresource];
  if (validate === undefined) return validateChange(call.served, object, before);
  refuse(call.served, object, validate(object as Pod, before as Pod));
}

const PART_RULES: { readonly [subresource: string]: (pod: Pod, before: Pod) => FieldError[] } = {
  ephemeralcontainers: validateEphemeralContainersUpdate,
  resize: validatePodResize,
};

/** 422 with what is wrong with the finalizers of a namespace's spec. */
export function validateFinalizers(served: ServedResource, namespace: KubeObject): void {
  refuse(served, namespace, validateNamespaceFinalize(namespace as Namespace));
}

/** 422 with what is wrong with a change of the status. */
export function validateStatusChange(served: ServedResource, object: KubeObject, before: KubeObject): void {
  refuse(served, object, validateStatusUpdate(served.info, served.toStored(object), served.toStored(before)));
}

function refuse(served: ServedResource, object: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const { group, kind } = served.info;
  throw status.invalid({ group, kind }, object.metadata.name ?? '', errors);
}
