import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { RecentTable } from '@binnacle/base';
import type { Hop, HopKind, TraceObject } from '@binnacle/base';
import type { CacheReader } from '../ports/reader.ts';

/** Pods of which nodes told, remembered for what kubelets do when the pod itself is gone. */
const PODS_MAX = 32_768;

/** What a kubelet does, and under which names. */
const STEPS: ReadonlySet<HopKind> = new Set(['kubelet', 'runtime', 'probe', 'event']);
const PROGRAMS = ['kubelet', 'runtime'];

/**
 * Which hops a node may report: its own steps about its own pods and itself, as NodeRestriction lets it write of nothing else.
 * None that others could take for their cause.
 */
export class OwnHops {
  readonly #cache: Pick<CacheReader, 'get'>;
  /** `namespace/name` → the node that ran it. */
  readonly #ran = new RecentTable<string>(PODS_MAX);

  constructor(cache: Pick<CacheReader, 'get'>) {
    this.#cache = cache;
  }

  /** Whether the node of that name may say it. */
  mayTell(node: string, { kind, component, id, object }: Hop): boolean {
    if (node === '' || id !== undefined || !STEPS.has(kind)) return false;
    if (!PROGRAMS.some((program) => component === `${program} ${node}`)) return false;
    return object === undefined || this.#isOwn(node, object);
  }

  #isOwn(node: string, { group, resource, namespace = '', name }: TraceObject): boolean {
    if (group !== '') return false;
    if (resource === 'nodes') return name === node;
    if (resource !== 'pods') return false;
    const key = `${namespace}/${name}`;
    const pod = this.#cache.get(PODS, namespace, name) as Pod | undefined;
    if (pod === undefined) return this.#ran.get(key) === node || name.endsWith(`-${node}`);
    const isOwn = pod.spec.nodeName === node;
    if (isOwn) this.#ran.set(key, node);
    return isOwn;
  }
}
