import type { KubeObject } from '@binnacle/machinery';
import { memberOf } from '@binnacle/machinery';
import { POD_TEMPLATES } from '../../catalogue/pod-templates.ts';
import type { ResourceRefLike } from '../../ports/reader.ts';
import type { PodLike } from './violation.ts';

/** Whether objects of this resource may have the template of a pod. */
export function hasPodTemplate({ group, resource }: ResourceRefLike): boolean {
  return Object.hasOwn(POD_TEMPLATES, nameOf(group, resource));
}

/** The template of its pods; undefined where the object has none. */
export function podTemplateOf({ group, resource }: ResourceRefLike, object: KubeObject): PodLike | undefined {
  const place = memberOf(POD_TEMPLATES, nameOf(group, resource));
  if (place === undefined) return undefined;
  let at: unknown = object;
  for (const member of place) {
    at = typeof at === 'object' && at !== null ? memberOf(at as { [name: string]: unknown }, member) : undefined;
  }
  const template = at as PodLike | undefined;
  return template?.spec === undefined ? undefined : template;
}

function nameOf(group: string, resource: string): string {
  return group === '' ? resource : `${resource}.${group}`;
}
