import { SerialQueue } from '@binnacle/base';
import { laneOfComponent, laneOfUser } from '@binnacle/trace';
import type { Lane } from '@binnacle/trace';
import type { Cause, Clock } from '@binnacle/base';
import type { CommitRecord, ComponentRecord, DeliveryRecord, RequestRecord, TraceRecord } from '../recording/record.ts';
import type { Recorder } from '../recording/recorder.ts';
import { Turns } from '../request/turns.ts';

/** Why a record came about: another record, or where the chain ends. */
export type RecordCause =
  | { readonly type: 'record'; readonly record: TraceRecord }
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

/** Records by what others say of them. */
class Tables {
  readonly requests = new Map<string, RequestRecord>();
  readonly components = new Map<string, ComponentRecord>();
  readonly commits = new Map<number, CommitRecord>();
  readonly commitsByCause = new Map<string, CommitRecord[]>();
  readonly callsByCause = new Map<string, RequestRecord[]>();
  readonly deliveries = new Map<number, DeliveryRecord[]>();
  readonly byObject = new Map<string, TraceRecord[]>();
  readonly decisions = new Map<string, ComponentRecord>();
  /** All up to this number are in. */
  seq = 0;
  count = 0;
}

/**
 * Finds records by what others say of them. Made when somebody reads, and brought up to date at the next reading: writers
 * pay nothing for it.
 */
export class TraceIndex {
  readonly #recorder: Recorder;
  readonly #clock: Clock;
  #tables = new Tables();
  readonly #updates = new SerialQueue();

  constructor(recorder: Recorder, clock: Clock) {
    this.#recorder = recorder;
    this.#clock = clock;
  }

  /** All up to this number are in. */
  get seq(): number {
    return this.#tables.seq;
  }

  /** Takes in what came since the last time, piece by piece; one after the other, whoever asks. */
  update(): Promise<void> {
    return this.#updates.run(() => this.#takeIn());
  }

  async #takeIn(): Promise<void> {
    const { changes, others, deliveries } = this.#recorder;
    const isStale = this.#tables.count > changes.size + others.size + deliveries.size + STALE_MAX;
    // What is read meanwhile is read of the old ones.
    const tables = isStale ? new Tables() : this.#tables;
    const upTo = this.#recorder.seq;
    const turns = new Turns(this.#clock);
    for (const record of this.#recorder.after(tables.seq, upTo)) {
      add(tables, record);
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    tables.seq = upTo;
    this.#tables = tables;
  }

  request(id: string): RequestRecord | undefined {
    return this.#tables.requests.get(id);
  }

  commit(revision: number): CommitRecord | undefined {
    return this.#tables.commits.get(revision);
  }

  /** What a request wrote. */
  commitsOf(requestId: string): readonly CommitRecord[] {
    return this.#tables.commitsByCause.get(requestId) ?? NOTHING;
  }

  /** The requests that name a hop as their cause. */
  callsOf(hopId: string): readonly RequestRecord[] {
    return this.#tables.callsByCause.get(hopId) ?? NOTHING;
  }

  deliveries(revision: number): readonly DeliveryRecord[] {
    return this.#tables.deliveries.get(revision) ?? NOTHING;
  }

  /** What was done to an object, or says that it is about it; in no order. */
  about(object: ObjectName): readonly TraceRecord[] {
    return this.#tables.byObject.get(objectKey(object)) ?? NOTHING;
  }

  /** The latest decision about each pod, by `namespace/name`. */
  get decisions(): ReadonlyMap<string, ComponentRecord> {
    return this.#tables.decisions;
  }

  /** Why it came about. */
  causeOf(record: TraceRecord): RecordCause {
    switch (record.kind) {
      case 'request':
        if (record.cause === undefined) return { type: 'client' };
        return this.#because(record.cause, laneOfUser(record.user));
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
    const record = this.#tables.components.get(cause.id) ?? this.#tables.requests.get(cause.id);
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
    const record = shown ?? this.#tables.commits.get(number);
    return record === undefined ? { type: 'forgotten', revision } : { type: 'record', record };
  }
}

function add(tables: Tables, record: TraceRecord): void {
  tables.count++;
  switch (record.kind) {
    case 'request':
      tables.requests.set(record.id, record);
      if (record.cause !== undefined) append(tables.callsByCause, record.cause.id, record);
      break;
    case 'commit':
      tables.commits.set(record.revision, record);
      append(tables.commitsByCause, record.cause.id, record);
      break;
    case 'delivery':
      append(tables.deliveries, record.revision, record);
      break;
    case 'component': {
      const { id, kind, object } = record.hop;
      if (id !== undefined) tables.components.set(id, record);
      if (kind === 'decision' && object !== undefined)
        tables.decisions.set(`${object.namespace ?? ''}/${object.name}`, record);
    }
  }
  const object = objectOf(record);
  if (object !== undefined) append(tables.byObject, objectKey(object), record);
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** What a record is about; undefined for paths, collections, and creates, whose object their commit names. */
export function objectOf(record: TraceRecord): ObjectName | undefined {
  switch (record.kind) {
    case 'request':
      if (!record.isResource || record.name === '') return undefined;
      return { ...record, namespace: isNamespace(record) ? '' : record.namespace };
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

/** Requests for one stand in it, and it is in none. */
function isNamespace({ group, resource }: RequestRecord): boolean {
  return group === '' && resource === 'namespaces';
}

function nameOf({ group, resource }: { readonly group: string; readonly resource: string }, key: string): ObjectName {
  const slash = key.indexOf('/');
  return slash === -1
    ? { group, resource, namespace: '', name: key }
    : { group, resource, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
