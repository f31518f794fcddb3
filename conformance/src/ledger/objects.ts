/** Objects that many behaviours start from, and what they wait for. */
import { DEPLOYMENTS, isPodReady, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { Container, Pod, PodSpec } from '@binnacle/api/core/v1';
import type { KubeObject, WatchEvent } from '@binnacle/machinery';
import { TestkitError, waitFor } from '@binnacle/testkit';
import type { World } from './world.ts';

/** Simulated nodes have every image; real ones have this one. */
export const IMAGE = 'binnacle.local/frontend:1.0';

/** A pod template of one web server, labelled `app=NAME`. */
export function template(app: string, more: Partial<PodSpec> = {}) {
  return {
    metadata: { labels: { app } },
    spec: { containers: [{ name: 'httpd', image: IMAGE }], terminationGracePeriodSeconds: 0, ...more },
  };
}

/** Makes a replication controller, a replica set or a deployment of `app`. */
export function makeController(world: World, app: string, replicas: number) {
  const rc = () =>
    world.client.resource(REPLICATION_CONTROLLERS, world.namespace).create({
      metadata: { name: app, labels: { app } },
      spec: { replicas, selector: { app }, template: template(app) },
    });
  const spec = { replicas, selector: { matchLabels: { app } }, template: template(app) };
  const rs = () =>
    world.client.resource(REPLICA_SETS, world.namespace).create({ metadata: { name: app, labels: { app } }, spec });
  const deployment = (strategy: object = { type: 'RollingUpdate' }, more: object = {}) =>
    world.client
      .resource(DEPLOYMENTS, world.namespace)
      .create({ metadata: { name: app, labels: { app } }, spec: { ...spec, strategy, ...more } });
  return { rc, rs, deployment };
}

/** Waits until the one object of a name is as wanted, or (`until` undefined) gone. */
export async function untilOne<T extends KubeObject>(
  world: World,
  resource: ResourceRef<T>,
  wanted: {
    name: string;
    what: string;
    namespace?: string;
    deadlineMs?: number;
    until?: (object: T) => boolean;
  },
): Promise<T | undefined> {
  const { until } = wanted;
  const namespace = resource.namespaced ? { namespace: wanted.namespace ?? world.namespace } : {};
  const [found] = await waitFor({
    client: world.client,
    resource,
    ...namespace,
    name: wanted.name,
    what: `${resource.resource} ${wanted.name}: ${wanted.what}`,
    ...(wanted.deadlineMs === undefined ? {} : { deadlineMs: wanted.deadlineMs }),
    until: (all) => (until === undefined ? all.length === 0 : all[0] !== undefined && until(all[0])),
  });
  return found;
}

/** Waits for the pods of a label. */
export function untilPods(
  world: World,
  wanted: { readonly app: string; readonly what: string },
  until: (pods: readonly Pod[]) => boolean,
): Promise<readonly Pod[]> {
  return waitFor({
    client: world.client,
    resource: PODS,
    namespace: world.namespace,
    labelSelector: `app=${wanted.app}`,
    what: `pods of ${wanted.app}: ${wanted.what}`,
    until,
  });
}

/** So many, and all of them ready. */
export const ready =
  (count: number) =>
  (pods: readonly Pod[]): boolean =>
    pods.length === count && pods.every(isPodReady);

/** A pod of one container. */
export function podOf(name: string, spec: Partial<PodSpec> = {}, metadata: object = {}) {
  return {
    metadata: { name, labels: { app: name }, ...metadata },
    spec: { containers: [{ name: 'c', image: IMAGE }], terminationGracePeriodSeconds: 0, ...spec },
  };
}

/** Makes it and waits until it is ready. */
export async function runPod(world: World, name: string, spec: Partial<PodSpec> = {}): Promise<Pod> {
  await world.client.resource(PODS, world.namespace).create(podOf(name, spec));
  return (await untilOne(world, PODS, { name, what: 'ready', until: isPodReady })) as Pod;
}

/** What a container wrote. */
export async function logOf(world: World, pod: string, container?: string): Promise<string> {
  const query = container === undefined ? '' : `?container=${container}`;
  const answer = await world.http(`/api/v1/namespaces/${world.namespace}/pods/${pod}/log${query}`);
  if (answer.code !== 200) throw new TestkitError(`log of ${pod}: ${answer.text}`);
  return answer.text;
}

/** A shell script as the one container of a pod. */
export function shell(script: string, more: Partial<Container> = {}): Container {
  return { name: 'c', image: IMAGE, command: ['sh', '-c', script], ...more };
}

/** Runs a pod to its end, which must be a success; answers with what its container `c` wrote. */
export async function outputOf(world: World, name: string, spec: Partial<PodSpec>): Promise<string> {
  await world.client.resource(PODS, world.namespace).create(podOf(name, { restartPolicy: 'Never', ...spec }));
  const over = (p: Pod): boolean => p.status?.phase === 'Succeeded' || p.status?.phase === 'Failed';
  const pod = await untilOne(world, PODS, { name, what: 'at its end', until: over });
  const text = await logOf(world, name, 'c');
  if (pod?.status?.phase !== 'Succeeded') throw new TestkitError(`pod ${name} failed: ${text}`);
  return text;
}

/** What happens to the objects of a selector from now on, in order. */
export interface Recording<T extends KubeObject> {
  readonly events: readonly WatchEvent<T>[];
  /** Waits until the events so far are as wanted. */
  until(what: string, holds: (events: readonly WatchEvent<T>[]) => boolean): Promise<void>;
  stop(): void;
}

/**
 * Of a label selector, or of fields. Starts with an event `ADDED` for every object that is there; nothing that happens
 * after the call is missed.
 */
export async function record<T extends KubeObject>(
  world: World,
  resource: ResourceRef<T>,
  selector: string | { readonly fieldSelector: string },
): Promise<Recording<T>> {
  const query = typeof selector === 'string' ? { labelSelector: selector } : selector;
  const api = world.client.resource(resource, resource.namespaced ? world.namespace : undefined);
  const { items, resourceVersion } = await api.list(query);
  const events: WatchEvent<T>[] = items.map((object) => ({ type: 'ADDED', object }));
  const waiting = new Set<() => void>();
  let ended: Error | undefined;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  const handle = api.watch(
    { ...query, resourceVersion },
    {
      events(batch) {
        events.push(...batch.filter((e) => e.type !== 'BOOKMARK'));
        wake();
      },
      end(error) {
        ended = error ?? new TestkitError('the watch ended');
        wake();
      },
    },
  );
  const until = (what: string, holds: (events: readonly WatchEvent<T>[]) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        clearTimeout(timer);
        waiting.delete(look);
        if (error === undefined) resolve();
        else reject(error);
      };
      const look = (): void => {
        if (holds(events)) settle();
        else if (ended !== undefined) settle(ended);
      };
      const timer = setTimeout(() => settle(new TestkitError(`waited 60 s for ${what}`)), 60_000);
      waiting.add(look);
      look();
    });
  return { events, until, stop: () => handle.stop() };
}
