/** What upstream calls "API operations": discovery, then every verb of a resource over the wire, with its watch events. */
import assert from 'node:assert/strict';
import { lookUntil } from '@binnacle/testkit';
import type { World } from './world.ts';

/** An object as it travels. */
export interface Thing {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name?: string;
    namespace?: string;
    labels?: { [name: string]: string };
    annotations?: { [name: string]: string };
    resourceVersion?: string;
    uid?: string;
    deletionTimestamp?: string;
    finalizers?: string[];
  };
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}
interface ThingList {
  items: Thing[];
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}
interface ResourceList {
  groupVersion: string;
  resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
}
interface Status {
  kind: 'Status';
  code: number;
  reason: string;
  message: string;
}

/** A resource under test. */
export interface Tested {
  readonly groupVersion: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** A fresh object without its name; `n` tells several apart. */
  readonly draft: (n: number) => Omit<Thing, 'metadata'>;
  /** A merge patch of the status, where it has the subresource, and what it must then be. */
  readonly status?: object;
  /** A write of its status takes nothing of the metadata that comes with it, as upstream's strategies have it. */
  readonly isStatusAlone?: true;
  /** Names that follow a rule of their own. */
  readonly nameOf?: (n: number, unique: string) => string;
}

export function pathOf(groupVersion: string, resource: string, namespace?: string): string {
  const root = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
  return namespace === undefined ? `${root}/${resource}` : `${root}/namespaces/${namespace}/${resource}`;
}

interface Asked {
  readonly method: string;
  readonly at: string;
  /** The answer that is expected. */
  readonly code: number;
  /** The body's media type, where it is not JSON. */
  readonly type?: string;
}
const STRATEGIC = 'application/strategic-merge-patch+json';

/** Plain requests on one resource; every answer but the expected code fails with the server's message. */
export function requests(world: World, path: string) {
  const ask = async <T>({ method, at, code, type }: Asked, body?: unknown): Promise<T> => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const answer = await world.http(at, { method, body, headers });
    assert.equal(answer.code, code, `${method} ${at}: ${answer.text.slice(0, 600)}`);
    return answer.json<T>();
  };
  const get = <T>(at: string, code = 200): Promise<T> => ask<T>({ method: 'GET', at, code });
  const patch = (at: string, type: string, body: object): Promise<Thing> =>
    ask<Thing>({ method: 'PATCH', at, code: 200, type }, body);
  const query = (selector?: string): string =>
    selector === undefined ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
  return {
    create: (body: Thing) => ask<Thing>({ method: 'POST', at: path, code: 201 }, body),
    get: (name: string, sub = '') => get<Thing>(`${path}/${name}${sub}`),
    missing: (name: string) => get<Status>(`${path}/${name}`, 404),
    list: (selector?: string, at = path) => get<ThingList>(`${at}${query(selector)}`),
    update: (body: Thing, sub = '') =>
      ask<Thing>({ method: 'PUT', at: `${path}/${body.metadata.name}${sub}`, code: 200 }, body),
    /** A merge patch. */
    patch: (name: string, body: object, sub = '') =>
      patch(`${path}/${name}${sub}`, 'application/merge-patch+json', body),
    strategic: (name: string, body: object, sub = '') => patch(`${path}/${name}${sub}`, STRATEGIC, body),
    delete: (name: string, options: object = {}) =>
      ask<unknown>({ method: 'DELETE', at: `${path}/${name}`, code: 200 }, options),
    deleteCollection: (selector: string) =>
      ask<unknown>({ method: 'DELETE', at: `${path}${query(selector)}`, code: 200 }),
    refused: (asked: Asked, body?: unknown) => ask<Status>(asked, body),
  };
}

/** The group, its version and the resources stand in the three discovery documents. */
export async function assertDiscovered(
  world: World,
  groupVersion: string,
  resources: readonly string[],
): Promise<void> {
  const [group, version] = groupVersion.split('/') as [string, string];
  const groups = (await world.http('/apis')).json<{
    groups: { name: string; versions: { groupVersion: string }[] }[];
  }>();
  const found = groups.groups.find((one) => one.name === group);
  assert.ok(
    found?.versions.some((one) => one.groupVersion === groupVersion),
    `${groupVersion} in /apis`,
  );
  const one = (await world.http(`/apis/${group}`)).json<{ versions: { version: string; groupVersion: string }[] }>();
  assert.ok(
    one.versions.some((v) => v.version === version && v.groupVersion === groupVersion),
    `/apis/${group}`,
  );
  const list = (await world.http(`/apis/${groupVersion}`)).json<ResourceList>();
  assert.equal(list.groupVersion, groupVersion);
  for (const resource of resources) {
    assert.ok(
      list.resources.some((r) => r.name === resource),
      `${resource} in /apis/${groupVersion}`,
    );
  }
}

/** create, get, list (in one namespace and in all), watch, patch, update, status, delete, deletecollection. */
export async function apiOperations(world: World, tested: Tested): Promise<void> {
  const unique = world.namespace;
  const path = pathOf(tested.groupVersion, tested.resource, tested.namespaced ? world.namespace : undefined);
  const api = requests(world, path);
  const draft = (n: number): Thing => ({
    apiVersion: tested.groupVersion,
    kind: tested.kind,
    ...tested.draft(n),
    metadata: { name: tested.nameOf?.(n, unique) ?? `${unique}-${n}`, labels: { ledger: unique } },
  });
  const selector = `ledger=${unique}`;

  const first = await api.create(draft(1));
  assert.equal(first.kind, tested.kind);
  assert.ok(first.metadata.uid, 'a uid');
  const name = first.metadata.name ?? '';
  assert.deepEqual((await api.get(name)).metadata.uid, first.metadata.uid);
  await api.create(draft(2));
  await api.create(draft(3));
  assert.equal((await api.list(selector)).items.length, 3);
  if (tested.namespaced) {
    assert.equal(
      (await api.list(selector, pathOf(tested.groupVersion, tested.resource))).items.length,
      3,
      'in all namespaces',
    );
  }
  const { resourceVersion } = (await api.list(selector)).metadata;

  const patched = await api.patch(name, { metadata: { annotations: { patched: 'true' } } });
  assert.equal(patched.metadata.annotations?.['patched'], 'true');
  const updated = await writeAgain(async () => {
    const now = await api.get(name);
    const annotations = { ...now.metadata.annotations, updated: 'true' };
    return api.update({ ...now, metadata: { ...now.metadata, annotations } });
  });
  assert.equal(updated.metadata.annotations?.['updated'], 'true');
  const { status, isStatusAlone } = tested;
  if (status !== undefined) await statusOperations(api, name, { status, isStatusAlone });

  await api.delete(name);
  await gone(api, name);
  await api.deleteCollection(selector);
  for (const n of [2, 3]) await gone(api, draft(n).metadata.name ?? '');
  assert.deepEqual((await api.list(selector)).items, []);

  const isDeleted = ({ type }: Told): boolean => type === 'DELETED';
  const from = { path, labelSelector: selector, resourceVersion };
  const events = await eventsSince(world, from, (all) => all.filter(isDeleted).length >= 3);
  assert.equal(events.filter(isDeleted).length, 3);
  const ofFirst = events.filter((e) => e.object.metadata.name === name);
  assert.ok(ofFirst.slice(0, -1).every((e) => e.type === 'MODIFIED'));
  // Whoever keeps the resource may have written its status before us.
  const [atPatch, atUpdate] = ['patched', 'updated'].map((mark) =>
    ofFirst.findIndex((e) => e.object.metadata.annotations?.[mark] === 'true'),
  ) as [number, number];
  assert.ok(atPatch >= 0 && atPatch < atUpdate && atUpdate < ofFirst.length - 1, 'patched, updated, then deleted');
  assert.equal(ofFirst.at(-1)?.type, 'DELETED');
}

/** What a watch tells. */
export interface Told {
  readonly type: string;
  readonly object: Thing;
}

/** What a watch tells of the past, once that is whole: on a busy machine a short watch may end before it has told all. */
export function eventsSince(
  world: World,
  from: { readonly path: string; readonly resourceVersion: string; readonly labelSelector?: string },
  isWhole: (events: readonly Told[]) => boolean,
): Promise<readonly Told[]> {
  const { path, ...query } = from;
  const asked = `${path}?${new URLSearchParams({ ...query, watch: '1', timeoutSeconds: '1' }).toString()}`;
  return lookUntil({
    what: `the events of ${asked}`,
    look: async () =>
      (await world.http(asked)).text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Told),
    until: isWhole,
  });
}

async function statusOperations(
  api: ReturnType<typeof requests>,
  name: string,
  { status, isStatusAlone }: { readonly status: object; readonly isStatusAlone: true | undefined },
): Promise<void> {
  const annotation = isStatusAlone ? undefined : 'true';
  const before = await api.get(name, '/status');
  const patched = await api.patch(name, { metadata: { annotations: { 'patched-status': 'true' } }, status }, '/status');
  assert.equal(patched.metadata.annotations?.['patched-status'], annotation);
  assert.partialDeepStrictEqual(patched.status, status);
  assert.deepEqual(patched.spec, before.spec, 'the spec is not changed by a patch of the status');
  const updated = await writeAgain(async () => {
    const now = await api.get(name, '/status');
    return api.update({ ...now, metadata: { ...now.metadata, annotations: { 'updated-status': 'true' } } }, '/status');
  });
  assert.equal(updated.metadata.annotations?.['updated-status'], annotation);
  assert.partialDeepStrictEqual((await api.get(name, '/status')).status, status);
}

/** Waits until a name answers 404; a finalizer of the resource may hold it for a moment. */
export async function gone(api: ReturnType<typeof requests>, name: string): Promise<void> {
  const isMissing = (): Promise<boolean> =>
    api.missing(name).then(
      () => true,
      () => false,
    );
  await lookUntil({ what: `${name} to be gone`, look: isMissing, until: (missing) => missing });
}

/** The controller may write between our read and our write: then once more, as every client does. */
export async function writeAgain<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!/"code":409/.test(String(error))) throw error;
    }
  }
  return write();
}
