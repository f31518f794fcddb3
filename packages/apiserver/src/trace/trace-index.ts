import { laneOfComponent, laneOfUser } from '@binnacle/trace';
import type { Lane } from '@binnacle/trace';
import type { Cause } from '@binnacle/base';
import type { CommitRecord, ComponentRecord, DeliveryRecord, RequestRecord, TraceRecord } from '../recording/record.ts';
import type { Recorder } from '../recording/recorder.ts';

/** Anything that is remembered. */
export type AnyRecord = TraceRecord | DeliveryRecord;

/** Why a record came about: another record, or where the chain ends. */
export type RecordCause =
  | { readonly type: 'record'; readonly record: AnyRecord }
  | { readonly type: 'client' }
  | { readonly type: 'timer'; readonly what: string }
  | { readonly type: 'forgotten'; readonly revision?: string };

/** One object, as records name it. */
export interface ObjectName {
  readonly group: string;
  readonly resource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** The text under which what is about an object is found. */
export function objectKey({ group, resource, namespace, name }: ObjectName): string {
  return `${resource}.${group}/${namespace}/${name}`;
}

/** So many records may be in the index although the rings have let go of them. */
const STALE_MAX = 32_768;
const NOTHING: readonly never[] = [];

/**
 * Finds records by what others say of them. Made when somebody reads, and brought up to date at the next reading: writers
 * pay nothing for it.
 */
export class TraceIndex {
  readonly #recorder: Recorder;
  #requests = new Map<string, RequestRecord>();
  #components = new Map<string, ComponentRecord>();
  #commits = new Map<number, CommitRecord>();
  #commitsByCause = new Map<string, CommitRecord[]>();
  #callsByCause = new Map<string, RequestRecord[]>();
  #deliveries = new Map<number, DeliveryRecord[]>();
  #byObject = new Map<string, AnyRecord[]>();
  #seq = 0;
  #count = 0;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** Takes in what came since the last time. */
  update(): void {
    const { changes, others, deliveries } = this.#recorder;
    if (this.#count > changes.size + others.size + deliveries.size + STALE_MAX) this.#clear();
    const since = this.#seq;
    this.#seq = this.#recorder.seq;
    for (const record of this.#recorder.after(since)) this.#add(record);
  }

  request(id: string): RequestRecord | undefined {
    return this.#requests.get(id);
  }

  commit(revision: number): CommitRecord | undefined {
    return this.#commits.get(revision);
  }

  /** What a request wrote. */
  commitsOf(requestId: string): readonly CommitRecord[] {
    return this.#commitsByCause.get(requestId) ?? NOTHING;
  }

  /** The requests that name a hop as their cause. */
  callsOf(hopId: string): readonly RequestRecord[] {
    return this.#callsByCause.get(hopId) ?? NOTHING;
  }

  deliveries(revision: number): readonly DeliveryRecord[] {
    return this.#deliveries.get(revision) ?? NOTHING;
  }

  /** What was done to an object, or says that it is about it; in no order. */
  about(object: ObjectName): readonly AnyRecord[] {
    return this.#byObject.get(objectKey(object)) ?? NOTHING;
  }

  /** Why it came about. */
  causeOf(record: AnyRecord): RecordCause {
    switch (record.kind) {
      case 'request':
        if (record.cause === undefined) return { type: 'client' };
        return this.#because(record.cause, laneOfUser(record.user.name));
      case 'commit':
        return this.#because(record.cause, 'apiserver');
      case 'delivery':
        return this.#ofRevision(String(record.revision));
      case 'component': {
        const { hop } = record;
        const lane = laneOfComponent(hop.component, hop.kind);
        if (hop.cause !== undefined) return this.#because(hop.cause, lane === 'runtime' ? 'kubelet' : lane);
        if (hop.revision === undefined) return { type: 'timer', what: hop.name };
        return this.#ofRevision(hop.revision, lane === 'runtime' ? 'kubelet' : lane);
      }
    }
  }

  /** A hop or a request of that name, else the version that was seen, else it was time. */
  #because(cause: Cause, lane: Lane): RecordCause {
    const record = this.#components.get(cause.id) ?? this.#requests.get(cause.id);
    if (record !== undefined) return { type: 'record', record };
    if (cause.revision !== undefined) return this.#ofRevision(cause.revision, lane);
    if (cause.parent !== undefined) return this.#because(cause.parent, lane);
    return { type: 'timer', what: cause.request === '' ? `${cause.component}: ${cause.id}` : cause.request };
  }

  /** The delivery that showed a version to them, else the commit that made it. */
  #ofRevision(revision: string, lane?: Lane): RecordCause {
    const number = Number(revision);
    const shown =
      lane === undefined ? undefined : this.deliveries(number).find(({ watch }) => laneOfUser(watch.user) === lane);
    const record = shown ?? this.#commits.get(number);
    return record === undefined ? { type: 'forgotten', revision } : { type: 'record', record };
  }

  #add(record: AnyRecord): void {
    this.#count++;
    switch (record.kind) {
      case 'request':
        this.#requests.set(record.id, record);
        if (record.cause !== undefined) append(this.#callsByCause, record.cause.id, record);
        break;
      case 'commit':
        this.#commits.set(record.revision, record);
        append(this.#commitsByCause, record.cause.id, record);
        break;
      case 'delivery':
        append(this.#deliveries, record.revision, record);
        break;
      case 'component':
        if (record.hop.id !== undefined) this.#components.set(record.hop.id, record);
    }
    const object = objectOf(record);
    if (object !== undefined) append(this.#byObject, objectKey(object), record);
  }

  #clear(): void {
    this.#requests = new Map();
    this.#components = new Map();
    this.#commits = new Map();
    this.#commitsByCause = new Map();
    this.#callsByCause = new Map();
    this.#deliveries = new Map();
    this.#byObject = new Map();
    this.#seq = 0;
    this.#count = 0;
  }
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** What a record is about; undefined for paths, collections, and creates, whose object their commit names. */
export function objectOf(record: AnyRecord): ObjectName | undefined {
  switch (record.kind) {
    case 'request':
      if (!record.isResource || record.name === '') return undefined;
      return { ...record, namespace: record.resource === 'namespaces' ? '' : record.namespace };
    case 'commit':
      return nameOf(record, record.key);
    case 'delivery':
      return nameOf(record.watch, record.key);
    case 'component': {
      const { object } = record.hop;
      return object === undefined ? undefined : { ...object, namespace: object.namespace ?? '' };
    }
  }
}

function nameOf({ group, resource }: { readonly group: string; readonly resource: string }, key: string): ObjectName {
  const slash = key.indexOf('/');
  return slash === -1
    ? { group, resource, namespace: '', name: key }
    : { group, resource, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
