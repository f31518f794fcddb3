import { pathOf } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import type { ApiRequest } from '../api/request.ts';
import type { ApiObject } from '../live/rows.ts';
import { ownersOf } from '../object/related.ts';
import { FIELD_MANAGER } from './action.ts';
import type { ActionWorld } from './action.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const HASH = 'pod-template-hash';
/** Annotations that are the Deployment's own, or of one ReplicaSet alone: what it is now stays. */
const NOT_RESTORED: ReadonlySet<string> = new Set([
  REVISION,
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

interface Revisioned extends ApiObject {
  /** Of a ControllerRevision. */
  readonly revision?: number;
  readonly data?: unknown;
  readonly spec?: {
    readonly template?: { readonly metadata?: { readonly labels?: { readonly [key: string]: string } } };
  };
}

/** Goes back to the template before the current one: of a Deployment its ReplicaSets keep it, else ControllerRevisions. */
export async function rolloutUndo(kind: Resource, object: ApiObject, world: ActionWorld): Promise<void> {
  const { namespace = '', name, uid } = object.metadata;
  const isDeployment = kind.resource === 'deployments';
  const history = {
    group: 'apps',
    version: 'v1',
    resource: isDeployment ? 'replicasets' : 'controllerrevisions',
    namespaced: true,
  };
  const { items } = await world.send<{ readonly items?: readonly Revisioned[] }>({
    path: pathOf(history, { namespace }),
  });
  const own = (items ?? []).filter((one) => ownersOf(one).some((owner) => owner.uid === uid));
  const before = own.toSorted((a, b) => revisionOf(b) - revisionOf(a))[1];
  if (before === undefined) throw new TypeError(`no rollout history found for ${kind.resource} "${name}"`);
  await world.send(isDeployment ? byTemplate(kind, object, before) : byPatch(kind, object, before));
}

function revisionOf(one: Revisioned): number {
  const [, annotated = '0'] = annotationsOf(one).find(([key]) => key === REVISION) ?? [];
  return one.revision ?? Number(annotated);
}

function targetOf(kind: Resource, { metadata: { namespace = '', name } }: ApiObject): string {
  return `${pathOf(kind, { namespace, name })}?${FIELD_MANAGER}`;
}

function byTemplate(kind: Resource, object: ApiObject, before: Revisioned): ApiRequest {
  const { template = {} } = before.spec ?? {};
  const { metadata = {} } = template;
  const labels = Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => key !== HASH));
  const value = { ...template, metadata: { ...metadata, labels } };
  return {
    ...{ method: 'PATCH', path: targetOf(kind, object), contentType: 'application/json-patch+json' },
    body: [
      { op: 'replace', path: '/spec/template', value },
      { op: 'add', path: '/metadata/annotations', value: annotationsAfter(object, before) },
    ],
  };
}

/** As kubectl has it: with the template comes what was said of it (why it was rolled out, above all). */
function annotationsAfter(now: ApiObject, before: ApiObject): object {
  const kept = annotationsOf(now).filter(([key]) => NOT_RESTORED.has(key));
  const restored = annotationsOf(before).filter(([key]) => !NOT_RESTORED.has(key));
  return Object.fromEntries([...kept, ...restored]);
}

function annotationsOf({ metadata }: ApiObject): readonly (readonly [key: string, value: string])[] {
  const { annotations } = metadata as { readonly annotations?: { readonly [key: string]: string } };
  return Object.entries(annotations ?? {});
}

function byPatch(kind: Resource, object: ApiObject, { data }: Revisioned): ApiRequest {
  const contentType = 'application/strategic-merge-patch+json';
  return { method: 'PATCH', path: targetOf(kind, object), contentType, body: data };
}
