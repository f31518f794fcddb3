import type { CommitRecord, RequestRecord, TraceRecord } from './record.ts';
import type { RingStock } from './ring.ts';

type Written<T> = { -readonly [field in keyof T]: T[field] };

/**
 * Records that a ring has let go of, for those that come: a full ring writes into what it has, and leaves no old garbage
 * behind for each write.
 */
export class RecordPool implements RingStock<TraceRecord> {
  readonly weigh: RingStock<TraceRecord>['weigh'];
  readonly #requests: Written<RequestRecord>[] = [];
  readonly #commits: Written<CommitRecord>[] = [];

  constructor(weigh: RingStock<TraceRecord>['weigh']) {
    this.weigh = weigh;
  }

  taken(record: TraceRecord): TraceRecord {
    switch (record.kind) {
      case 'request': {
        const spare = this.#requests.pop();
        return spare === undefined ? record : fillRequest(spare, record);
      }
      case 'commit': {
        const spare = this.#commits.pop();
        return spare === undefined ? record : fillCommit(spare, record);
      }
      case 'component':
        return record;
    }
  }

  /** Of each sort so many wait at the most as a ring ever held. */
  give(record: TraceRecord): void {
    if (record.kind === 'request') this.#requests.push(record);
    else if (record.kind === 'commit') this.#commits.push(record);
  }

  shown(record: TraceRecord): TraceRecord {
    return record.kind === 'component' ? record : { ...record };
  }
}

/** By hand: `Object.assign` takes ten times as long. */
function fillRequest(to: Written<RequestRecord>, from: RequestRecord): RequestRecord {
  to.seq = from.seq;
  to.at = from.at;
  to.ms = from.ms;
  to.code = from.code;
  to.error = from.error;
  to.method = from.method;
  to.path = from.path;
  to.query = from.query;
  to.verb = from.verb;
  to.isResource = from.isResource;
  to.group = from.group;
  to.resource = from.resource;
  to.subresource = from.subresource;
  to.namespace = from.namespace;
  to.name = from.name;
  to.user = from.user;
  to.agent = from.agent;
  to.id = from.id;
  to.cause = from.cause;
  to.allowed = from.allowed;
  to.admitted = from.admitted;
  return to;
}

function fillCommit(to: Written<CommitRecord>, from: CommitRecord): CommitRecord {
  to.seq = from.seq;
  to.at = from.at;
  to.ms = from.ms;
  to.operation = from.operation;
  to.revision = from.revision;
  to.group = from.group;
  to.resource = from.resource;
  to.key = from.key;
  to.namespaced = from.namespaced;
  to.uid = from.uid;
  to.cause = from.cause;
  return to;
}
