import { pathOf } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import type { ApiRequest } from '../api/request.ts';
import { shellWord } from '../command/shell-word.ts';
import type { ApiObject } from '../live/rows.ts';
import type { Wish } from '../rights/rules.ts';
import type { Texts } from '../texts/english.ts';
import { FIELD_MANAGER } from './action.ts';
import type { Action } from './action.ts';
import { drain } from './drain.ts';
import { rolloutUndo } from './rollout-undo.ts';

const MERGE = 'application/merge-patch+json';
const RESTARTED = 'kubectl.kubernetes.io/restartedAt';

/** An object with its kind, and how it is spoken of. */
interface Subject {
  readonly kind: Resource;
  readonly object: ApiObject;
  readonly spec: { readonly [field: string]: unknown };
  /** `deployments.apps/web -n shop`. */
  readonly target: string;
  readonly may: (verb: string, subresource?: string) => Wish;
  readonly patch: (body: object, sub?: string) => ApiRequest;
}

/** What can be done with an object; what the viewer may not do is left out by who shows it. */
export function actionsOf(kind: Resource, object: ApiObject): readonly Action[] {
  const subject = subjectOf(kind, object);
  return [scaling, rollouts, switches, draining, triggering, deleting].flatMap((offer) => offer(subject));
}

function subjectOf(kind: Resource, object: ApiObject): Subject {
  const { group, resource } = kind;
  const { name, namespace } = object.metadata;
  const path = pathOf(kind, { name, ...(namespace === undefined ? {} : { namespace }) });
  const place = namespace === undefined ? '' : ` -n ${shellWord(namespace)}`;
  return {
    kind,
    object,
    spec: (object['spec'] ?? {}) as Subject['spec'],
    target: `${shellWord(`${group === '' ? resource : `${resource}.${group}`}/${name}`)}${place}`,
    may: (verb, subresource) => ({
      ...{ verb, group, resource, name },
      ...(subresource === undefined ? {} : { subresource }),
    }),
    patch: (body, sub = '') => ({
      ...{ method: 'PATCH', path: `${path}${sub}?${FIELD_MANAGER}`, contentType: MERGE, body },
    }),
  };
}

function scaling({ kind, target, may, patch }: Subject): readonly Action[] {
  if (!kind.subresources.includes('scale')) return [];
  return [
    {
      name: 'scale',
      wish: may('patch', 'scale'),
      kubectl: (count) => `kubectl scale ${target} --replicas=${count}`,
      asks: 'count',
      act: (count, { send }) => send(patch({ spec: { replicas: Number(count) } }, '/scale')),
    },
  ];
}

/** Of what rolls pods out by a template and keeps the templates before. */
function rollouts({ kind, object, spec, target, may, patch }: Subject): readonly Action[] {
  const { group, resource, verbs } = kind;
  if (group !== 'apps' || typeof spec['template'] !== 'object' || !verbs.includes('patch')) return [];
  const stamp = (nowMs: number): object => ({ annotations: { [RESTARTED]: new Date(nowMs).toISOString() } });
  const restart: Action = {
    name: 'restart',
    wish: may('patch'),
    kubectl: () => `kubectl rollout restart ${target}`,
    asks: 'nothing',
    act: (_answer, { nowMs, send }) => send(patch({ spec: { template: { metadata: stamp(nowMs) } } })),
  };
  const undo: Action = {
    name: 'undo',
    wish: may('patch'),
    kubectl: () => `kubectl rollout undo ${target}`,
    asks: 'nothing',
    act: (_answer, world) => rolloutUndo(kind, object, world),
  };
  // A ReplicaSet is itself what is kept; of what is paused kubectl refuses both until it is resumed.
  return resource === 'replicasets' || spec['paused'] === true ? [] : [restart, undo];
}

function switches({ kind, spec, target, may, patch }: Subject): readonly Action[] {
  if (!kind.verbs.includes('patch')) return [];
  return SWITCHES.filter(({ field }) => field.fits(kind, spec)).map(({ on, off, field }) => {
    const isOn = spec[field.name] === true;
    return {
      name: isOn ? off : on,
      wish: may('patch'),
      kubectl: () => field.kubectl(target, isOn),
      asks: 'nothing',
      act: (_answer, { send }) => send(patch({ spec: { [field.name]: !isOn } })),
    };
  });
}

function draining({ kind: { group, resource }, object }: Subject): readonly Action[] {
  if (group !== '' || resource !== 'nodes') return [];
  const { name } = object.metadata;
  return [
    {
      name: 'drain',
      wish: { verb: 'create', group: '', resource: 'pods', subresource: 'eviction' },
      kubectl: () => `kubectl drain ${shellWord(name)} --ignore-daemonsets --delete-emptydir-data --force`,
      asks: 'nothing',
      act: (_answer, world) => drain(name, world),
    },
  ];
}

interface JobTemplate {
  readonly metadata?: { readonly labels?: object; readonly annotations?: object };
  readonly spec?: object;
}

/** A CronJob's template, run once more now. */
function triggering({ kind, object, spec }: Subject): readonly Action[] {
  const { jobTemplate } = spec as { readonly jobTemplate?: JobTemplate };
  if (kind.group !== 'batch' || jobTemplate === undefined) return [];
  const { metadata: template = {} } = jobTemplate;
  const { name, namespace = '', uid } = object.metadata;
  const owner = { apiVersion: `batch/${kind.version}`, kind: kind.kind, name, uid, controller: true };
  const jobOf = (nowMs: number): object => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: {
      ...template,
      // What comes behind a dash would begin a part of the name, which nothing but a letter or a digit may.
      name: `${name.slice(0, 40).replace(/[.-]+$/, '')}-${nowMs.toString(36)}`,
      annotations: { ...template.annotations, 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [owner],
    },
    spec: jobTemplate.spec,
  });
  return [
    {
      name: 'trigger',
      wish: { verb: 'create', group: 'batch', resource: 'jobs' },
      kubectl: () =>
        `kubectl create job ${shellWord(`${name}-manual`)} --from=${shellWord(`cronjob/${name}`)} -n ${shellWord(namespace)}`,
      asks: 'nothing',
      act: (_answer, { nowMs, send }) =>
        send({
          method: 'POST',
          path: `/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/jobs?${FIELD_MANAGER}`,
          body: jobOf(nowMs),
        }),
    },
  ];
}

function deleting({ kind, object, target, may }: Subject): readonly Action[] {
  if (!kind.verbs.includes('delete')) return [];
  const { name, namespace } = object.metadata;
  const path = pathOf(kind, { name, ...(namespace === undefined ? {} : { namespace }) });
  return [
    {
      name: 'delete',
      wish: may('delete'),
      kubectl: (propagation) => `kubectl delete ${target} --cascade=${propagation.toLowerCase()}`,
      asks: 'propagation',
      act: (propagation, { send }) => send({ method: 'DELETE', path: `${path}?propagationPolicy=${propagation}` }),
    },
  ];
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
