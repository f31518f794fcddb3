import { deepFreeze, formatTime, nameSuffix } from '@binnacle/base';
import type { Clock, Random } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { DeleteOptions, GroupVersionResource, KubeObject, ObjectMeta } from '@binnacle/machinery';
import type { Match } from './selectors.ts';

export interface FakeChange {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly table: string;
  readonly object: KubeObject;
  readonly before: KubeObject | undefined;
}

/** Addresses one object. */
export interface FakePlace {
  readonly resource: GroupVersionResource;
  readonly namespace: string;
  readonly name: string;
}

/** Objects as plain JSON with room for whatever a kind has. */
export interface FakeObject extends KubeObject {
  readonly spec?: { readonly [field: string]: unknown };
  readonly status?: { readonly [field: string]: unknown };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

// A create resets what only its controller or the kubelet may say.
const STATUS_RESET = new Set(['pods', 'replicationcontrollers', 'replicasets', 'deployments']);

/** The state behind a fake wire: what an API server would keep, and the history of its changes. Frozen objects. */
export class FakeStore {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #tables = new Map<string, Map<string, FakeObject>>();
  readonly #listeners = new Set<(change: FakeChange) => void>();
  #history: FakeChange[] = [];
  #revision = 100;
  #compacted = 100;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get revision(): number {
    return this.#revision;
  }

  listen(listener: (change: FakeChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Throws Expired for a revision whose successors are forgotten. */
  changesAfter(revision: number): readonly FakeChange[] {
    if (revision < this.#compacted) {
      throw status.expired(`too old resource version: ${revision} (${this.#compacted})`);
    }
    return this.#history.filter((change) => change.revision > revision);
  }

  /** Forgets the history: watches from before now answer 410. */
  compact(): void {
    // A revision of nobody's, so that even the newest version a client can know is too old.
    this.#revision++;
    this.#history = [];
    this.#compacted = this.#revision;
  }

  list(resource: GroupVersionResource, namespace: string | undefined, match: Match): FakeObject[] {
    const all = [...this.#table(resource).values()].filter(
      (object) => (namespace === undefined || object.metadata.namespace === namespace) && match(object),
    );
    return all.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  find(place: FakePlace): FakeObject | undefined {
    return this.#table(place.resource).get(`${place.namespace}/${place.name}`);
  }

  get(place: FakePlace): FakeObject {
    const object = this.find(place);
    if (object === undefined) throw status.notFound(place.resource, place.name);
    return object;
  }

  create(resource: GroupVersionResource, namespace: string | undefined, body: FakeObject): FakeObject {
    const name = body.metadata.name ?? `${body.metadata.generateName ?? ''}${nameSuffix(this.#random)}`;
    if (this.find({ resource, namespace: namespace ?? '', name }) !== undefined) {
      throw status.alreadyExists(resource, name);
    }
    this.#refuseTerminating(resource, namespace, name);
    const metadata = {
      ...body.metadata,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: this.#random.uuid(),
      creationTimestamp: formatTime(this.#clock.now()),
      ...(body.spec === undefined ? {} : { generation: 1 }),
    };
    const { status: given, ...rest } = structuredClone(body);
    const kept = given === undefined || STATUS_RESET.has(resource.resource) ? {} : { status: given };
    return this.#commit(resource, 'ADDED', { object: { ...rest, ...kept, ...initial(resource, rest), metadata } });
  }

  /** Puts an object in as it is: status, uid, deletionTimestamp and all. */
  seed(resource: GroupVersionResource, object: FakeObject): FakeObject {
    const metadata = {
      uid: this.#random.uuid(),
      creationTimestamp: formatTime(this.#clock.now()),
      ...(object.spec === undefined ? {} : { generation: 1 }),
      ...object.metadata,
    };
    const { namespace = '', name = '' } = metadata;
    const before = this.find({ resource, namespace, name });
    return this.#commit(resource, before ? 'MODIFIED' : 'ADDED', {
      object: { ...structuredClone(object), metadata },
      before,
    });
  }

  /** An update of the object, its status or (namespaces) its finalizers. An unchanged object is not written. */
  replace(place: FakePlace, body: FakeObject, subresource: string | undefined): FakeObject {
    const before = this.get(place);
    const expected = body.metadata.resourceVersion;
    if (expected !== undefined && expected !== '' && expected !== before.metadata.resourceVersion) {
      throw modified(place);
    }
    if (body.metadata.uid !== undefined && body.metadata.uid !== before.metadata.uid) throw modified(place);
    const after = merged(before, structuredClone(body), subresource);
    if (isSame(before, after)) return before;
    if (isReleased(after)) return this.#commit(place.resource, 'DELETED', { object: after, before });
    return this.#commit(place.resource, 'MODIFIED', { object: after, before });
  }

  /** Deletes, or marks for deletion where a grace period or finalizers hold it. */
  remove(place: FakePlace, options: DeleteOptions): FakeObject {
    const before = this.get(place);
    checkPreconditions(place, before, options);
    const finalizers = finalizersFor(before, options);
    const graceful =
      place.resource.resource === 'pods' && before.spec?.['nodeName'] && options.gracePeriodSeconds !== 0;
    const held = graceful || finalizers.length > 0 || spec(before, 'finalizers').length > 0;
    if (!held) return this.#commit(place.resource, 'DELETED', { object: before, before });
    const metadata: ObjectMeta = {
      ...before.metadata,
      deletionTimestamp: before.metadata.deletionTimestamp ?? formatTime(this.#clock.now()),
      deletionGracePeriodSeconds: graceful ? (options.gracePeriodSeconds ?? 30) : 0,
      ...(finalizers.length > 0 ? { finalizers } : {}),
    };
    const after: FakeObject = { ...before, metadata, ...terminating(place, before) };
    return isSame(before, after) ? before : this.#commit(place.resource, 'MODIFIED', { object: after, before });
  }

  #refuseTerminating(resource: GroupVersionResource, namespace: string | undefined, name: string): void {
    if (namespace === undefined) return;
    const owner = this.find({
      resource: { ...resource, group: '', resource: 'namespaces' },
      namespace: '',
      name: namespace,
    });
    if (owner?.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw status.forbidden(resource, name, why);
  }

  #commit(
    resource: GroupVersionResource,
    type: FakeChange['type'],
    state: { readonly object: FakeObject; readonly before?: FakeObject | undefined },
  ): FakeObject {
    const { object, before } = state;
    const revision = ++this.#revision;
    const written = deepFreeze({
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(revision) },
    });
    const table = this.#table(resource);
    if (type === 'DELETED') table.delete(keyOf(written));
    else table.set(keyOf(written), written);
    const change = { revision, type, table: tableName(resource), object: written, before };
    this.#history.push(change);
    for (const listener of this.#listeners) listener(change);
    return written;
  }

  #table(resource: GroupVersionResource): Map<string, FakeObject> {
    const name = tableName(resource);
    let table = this.#tables.get(name);
    if (table === undefined) this.#tables.set(name, (table = new Map()));
    return table;
  }
}

export function tableName(resource: GroupVersionResource): string {
  return `${resource.group}/${resource.resource}`;
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

function modified(place: FakePlace): Error {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  return status.conflict(place.resource, place.name, why);
}

function initial(resource: GroupVersionResource, body: FakeObject): Writable<Pick<FakeObject, 'spec' | 'status'>> {
  if (resource.resource === 'pods') return { status: { phase: 'Pending' } };
  if (resource.resource !== 'namespaces') return {};
  return { spec: { ...body.spec, finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
}

function merged(before: FakeObject, body: FakeObject, subresource: string | undefined): FakeObject {
  if (subresource === 'status') return { ...before, ...(body.status === undefined ? {} : { status: body.status }) };
  if (subresource === 'finalize') return { ...before, ...(body.spec === undefined ? {} : { spec: body.spec }) };
  const { status: _ignored, ...rest } = body;
  const generation = (before.metadata.generation ?? 1) + (isSame(before.spec, body.spec) ? 0 : 1);
  return {
    ...rest,
    ...(before.status === undefined ? {} : { status: before.status }),
    metadata: {
      ...body.metadata,
      ...pick(before.metadata),
      ...(body.spec === undefined ? {} : { generation }),
    },
  };
}

/** What a writer cannot change. */
function pick(meta: ObjectMeta): Partial<Writable<ObjectMeta>> {
  const out: Partial<Writable<ObjectMeta>> = {};
  if (meta.resourceVersion !== undefined) out.resourceVersion = meta.resourceVersion;
  if (meta.uid !== undefined) out.uid = meta.uid;
  if (meta.creationTimestamp !== undefined) out.creationTimestamp = meta.creationTimestamp;
  if (meta.deletionTimestamp !== undefined) out.deletionTimestamp = meta.deletionTimestamp;
  return out;
}

/** Marked for deletion, and nothing holds it any more. A pod with grace waits for its kubelet. */
function isReleased(object: FakeObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  return deletionGracePeriodSeconds === 0 && spec(object, 'finalizers').length === 0;
}

function spec(object: FakeObject, field: string): readonly unknown[] {
  const value = object.spec?.[field];
  return Array.isArray(value) ? value : [];
}

function terminating(place: FakePlace, before: FakeObject): Pick<FakeObject, 'status'> {
  return place.resource.resource === 'namespaces' ? { status: { ...before.status, phase: 'Terminating' } } : {};
}

function checkPreconditions(place: FakePlace, object: FakeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const meta = object.metadata;
  if (uid !== undefined && uid !== meta.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${meta.uid}`;
    throw status.conflict(place.resource, place.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${meta.resourceVersion}`;
    throw status.conflict(place.resource, place.name, why);
  }
}

function finalizersFor(object: FakeObject, options: DeleteOptions): readonly string[] {
  const others = (object.metadata.finalizers ?? []).filter(
    (name) => name !== 'orphan' && name !== 'foregroundDeletion',
  );
  switch (options.propagationPolicy) {
    case 'Foreground':
      return [...others, 'foregroundDeletion'];
    case 'Orphan':
      return [...others, 'orphan'];
    case 'Background':
      return others;
    default:
      return object.metadata.finalizers ?? [];
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
