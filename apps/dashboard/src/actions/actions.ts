import { pathOf } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import type { ApiRequest } from '../api/request.ts';
import type { ApiObject } from '../live/rows.ts';
import type { Wish } from '../rights/rules.ts';
import type { Texts } from '../texts/english.ts';

/** Something that can be done with an object, by what its kind is made of. */
export interface Action {
  readonly name: keyof Texts;
  readonly wish: Wish;
  /** The same on a command line. */
  readonly kubectl: string;
  /** What is asked before it is done. */
  readonly asks: 'nothing' | 'confirmation' | 'count' | 'propagation';
  /** `answer`: the count, or how what belongs to the object goes. */
  call(answer: string, nowMs: number): ApiRequest;
}

const MERGE = 'application/merge-patch+json';
const RESTARTED = 'kubectl.kubernetes.io/restartedAt';

/** What can be done with an object; what the viewer may not do is left out by who shows it. */
export function actionsOf(kind: Resource, object: ApiObject): readonly Action[] {
  const { group, resource, verbs, subresources } = kind;
  const { name, namespace } = object.metadata;
  const path = pathOf(kind, { name, ...(namespace === undefined ? {} : { namespace }) });
  const spec = (object['spec'] ?? {}) as { readonly [field: string]: unknown };
  const target = `${group === '' ? resource : `${resource}.${group}`}/${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;
  const patch = (body: object, sub = ''): ApiRequest => ({
    method: 'PATCH',
    path: `${path}${sub}?fieldManager=binnacle-dashboard`,
    contentType: MERGE,
    body,
  });
  const actions: Action[] = [];
  const may = (verb: string, subresource?: string): Wish => ({
    verb,
    group,
    resource,
    name,
    ...(subresource === undefined ? {} : { subresource }),
  });
  if (subresources.includes('scale')) {
    actions.push({
      name: 'scale',
      wish: may('patch', 'scale'),
      kubectl: `kubectl scale ${target} --replicas=N`,
      asks: 'count',
      call: (count) => patch({ spec: { replicas: Number(count) } }, '/scale'),
    });
  }
  if (group === 'apps' && typeof spec['template'] === 'object' && verbs.includes('patch')) {
    actions.push({
      name: 'restart',
      wish: may('patch'),
      kubectl: `kubectl rollout restart ${target}`,
      asks: 'confirmation',
      call: (_answer, nowMs) =>
        patch({ spec: { template: { metadata: { annotations: { [RESTARTED]: new Date(nowMs).toISOString() } } } } }),
    });
  }
  for (const { field, on, off } of SWITCHES) {
    if (!field.fits(kind, spec) || !verbs.includes('patch')) continue;
    const isOn = spec[field.name] === true;
    actions.push({
      name: isOn ? off : on,
      wish: may('patch'),
      kubectl: field.kubectl(target, isOn),
      asks: 'nothing',
      call: () => patch({ spec: { [field.name]: !isOn } }),
    });
  }
  if (verbs.includes('delete')) {
    actions.push({
      name: 'delete',
      wish: may('delete'),
      kubectl: `kubectl delete ${target} --cascade=background`,
      asks: 'propagation',
      call: (propagation) => ({ method: 'DELETE', path: `${path}?propagationPolicy=${propagation}` }),
    });
  }
  return actions;
}

interface Switch {
  readonly on: keyof Texts;
  readonly off: keyof Texts;
  readonly field: {
    readonly name: string;
    fits(kind: Resource, spec: { readonly [field: string]: unknown }): boolean;
    kubectl(target: string, isOn: boolean): string;
  };
}

/** Fields of a spec that are switches for whole objects. */
const SWITCHES: readonly Switch[] = [
  {
    on: 'suspend',
    off: 'resume',
    field: {
      name: 'suspend',
      fits: (_kind, spec) => typeof spec['suspend'] === 'boolean',
      kubectl: (target, isOn) => `kubectl patch ${target} --type=merge -p '{"spec":{"suspend":${String(!isOn)}}}'`,
    },
  },
  {
    on: 'pause',
    off: 'resume',
    field: {
      name: 'paused',
      fits: ({ group, resource }) => group === 'apps' && resource === 'deployments',
      kubectl: (target, isOn) => `kubectl rollout ${isOn ? 'resume' : 'pause'} ${target}`,
    },
  },
  {
    on: 'cordon',
    off: 'uncordon',
    field: {
      name: 'unschedulable',
      fits: ({ group, resource }) => group === '' && resource === 'nodes',
      kubectl: (target, isOn) => `kubectl ${isOn ? 'uncordon' : 'cordon'} ${target.replace('nodes/', '')}`,
    },
  },
];
