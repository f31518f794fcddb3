import type { ResourceInfo } from '@binnacle/api';
import type { APIService } from '@binnacle/api/apiregistration/v1';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import { deepEqual } from '@binnacle/machinery';
import { builtInPriority, localPriority } from '../documents/discovery/priorities.ts';

/** Who keeps an APIService: this server at its start, or all the time; absent: whoever made it. */
export const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';
const AT_START = 'onstart';
const ALWAYS = 'true';
/** It is what serves APIServices: it cannot be somebody else's. */
const OWN_GROUP = 'apiregistration.k8s.io';

/** An APIService that should be there, without a Service. */
export interface WantedService {
  readonly name: string;
  readonly always: boolean;
  readonly object: APIService;
}

/** The groups and versions of this server: Kubernetes' own at the start, those of custom kinds as they come and go. */
export function wantedServices(
  infos: readonly ResourceInfo[],
  definitions: readonly CustomResourceDefinition[],
): ReadonlyMap<string, WantedService> {
  const wanted = new Map<string, WantedService>();
  const add = (group: string, version: string, always: boolean): void => {
    const name = `${version}.${group}`;
    if (!wanted.has(name)) wanted.set(name, { name, always, object: localService(group, version, always) });
  };
  for (const { group, version } of infos) {
    if (group !== OWN_GROUP && builtInPriority(group, version) !== undefined) add(group, version, false);
  }
  for (const { spec } of definitions) {
    for (const { name, served } of spec.versions) if (served) add(spec.group, name, true);
  }
  return wanted;
}

function localService(group: string, version: string, always: boolean): APIService {
  const priority = localPriority(group, version);
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { [AUTOMANAGED]: always ? ALWAYS : AT_START } },
    spec: {
      ...(group === '' ? {} : { group }),
      version,
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  };
}

export type RegistrationStep =
  | { readonly kind: 'create'; readonly object: APIService }
  | { readonly kind: 'update'; readonly name: string; readonly spec: APIService['spec'] }
  | { readonly kind: 'delete'; readonly name: string; readonly uid: string };

/** What of an APIService this server looks after: at its start both sorts, later those of custom kinds. */
export interface RegistrationLook {
  readonly wanted: WantedService | undefined;
  readonly current: APIService | undefined;
  readonly atStart: boolean;
}

/** What to do about one name; undefined: nothing. Those that somebody else keeps are left alone. */
export function decideRegistration({ wanted, current, atStart }: RegistrationLook): RegistrationStep | undefined {
  if (wanted !== undefined && !wanted.always && !atStart) return undefined;
  if (current === undefined) return wanted === undefined ? undefined : { kind: 'create', object: wanted.object };
  const { name = '', uid = '', labels = {} } = current.metadata;
  const keeper = labels[AUTOMANAGED];
  if (keeper !== ALWAYS && (keeper !== AT_START || !atStart)) return undefined;
  if (wanted === undefined) return { kind: 'delete', name, uid };
  if (deepEqual(plain(current.spec), plain(wanted.object.spec))) return undefined;
  return { kind: 'update', name, spec: wanted.object.spec };
}

/** Without what is empty in one way or another. */
function plain(spec: APIService['spec']): object {
  const empty: readonly unknown[] = [undefined, null, '', false];
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => !empty.includes(value)));
}
