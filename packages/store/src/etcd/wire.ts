import type { INamespace, Type } from 'protobufjs';
import { assert } from '@binnacle/base';

/** A 64-bit number as the codec gives it. */
export type Int64 = number | { toNumber(): number };

/** etcd's messages, as far as they are read here; absent is zero. */
export interface WireHeader {
  readonly revision?: Int64;
}

export interface WireKeyValue {
  readonly key?: Uint8Array;
  readonly value?: Uint8Array;
  readonly create_revision?: Int64;
  readonly mod_revision?: Int64;
  readonly version?: Int64;
  readonly lease?: Int64;
}

export interface WireRange {
  readonly header?: WireHeader;
  readonly kvs?: readonly WireKeyValue[];
  readonly more?: boolean;
  readonly count?: Int64;
}

export interface WireOperationResult {
  readonly response_range?: WireRange | null;
  readonly response_put?: { readonly prev_kv?: WireKeyValue | null } | null;
  readonly response_delete_range?: {
    readonly deleted?: Int64;
    readonly prev_kvs?: readonly WireKeyValue[];
  } | null;
}

export interface WireTxn {
  readonly header?: WireHeader;
  readonly succeeded?: boolean;
  readonly responses?: readonly WireOperationResult[];
}

export interface WireWatch {
  readonly header?: WireHeader;
  readonly created?: boolean;
  readonly canceled?: boolean;
  readonly compact_revision?: Int64;
  readonly cancel_reason?: string;
  readonly events?: readonly {
    readonly type?: number;
    readonly kv?: WireKeyValue | null;
    readonly prev_kv?: WireKeyValue | null;
  }[];
}

export interface WireLease {
  readonly ID?: Int64;
  readonly TTL?: Int64;
  readonly grantedTTL?: Int64;
  readonly keys?: readonly Uint8Array[];
  readonly error?: string;
}

export interface WireLeases {
  readonly leases?: readonly { readonly ID?: Int64 }[];
}

export interface WireStatus {
  readonly header?: WireHeader;
  readonly version?: string;
  readonly dbSize?: Int64;
  /** Alarms among them, in words. */
  readonly errors?: readonly string[];
}

/** One remote procedure. */
export interface Method<Answer> {
  readonly path: string;
  readonly encode: (request: object) => Buffer;
  readonly decode: (bytes: Uint8Array) => Answer;
}

/** The procedures of etcd that the store uses. */
export interface Methods {
  readonly range: Method<WireRange>;
  readonly txn: Method<WireTxn>;
  readonly compact: Method<object>;
  readonly watch: Method<WireWatch>;
  readonly leaseGrant: Method<WireLease>;
  readonly leaseRevoke: Method<object>;
  readonly leaseKeepAlive: Method<WireLease>;
  readonly leaseTimeToLive: Method<WireLease>;
  readonly leases: Method<WireLeases>;
  readonly status: Method<WireStatus>;
  readonly snapshot: Method<{ readonly blob?: Uint8Array }>;
}

const SERVICES = 'etcdserverpb';

/** The codec is loaded here and not before: most clusters have no etcd. */
export async function loadMethods(): Promise<Methods> {
  const { default: protobuf } = await import('protobufjs/light.js');
  const { default: descriptor } = await import('../generated/etcd-v3.6-descriptor.json', { with: { type: 'json' } });
  // The JSON's services carry no fields, which the library's type for it does not know.
  const root = protobuf.Root.fromJSON(descriptor as unknown as INamespace);
  const method = <Answer>(service: string, name: string, types: readonly [string, string]): Method<Answer> => {
    const [request, answer] = types.map((type) => root.lookupType(`${SERVICES}.${type}`));
    assert(request !== undefined && answer !== undefined, 'the descriptor knows the messages', { service, name });
    return makeMethod(`/${SERVICES}.${service}/${name}`, request, answer);
  };
  return {
    range: method('KV', 'Range', ['RangeRequest', 'RangeResponse']),
    txn: method('KV', 'Txn', ['TxnRequest', 'TxnResponse']),
    compact: method('KV', 'Compact', ['CompactionRequest', 'CompactionResponse']),
    watch: method('Watch', 'Watch', ['WatchRequest', 'WatchResponse']),
    leaseGrant: method('Lease', 'LeaseGrant', ['LeaseGrantRequest', 'LeaseGrantResponse']),
    leaseRevoke: method('Lease', 'LeaseRevoke', ['LeaseRevokeRequest', 'LeaseRevokeResponse']),
    leaseKeepAlive: method('Lease', 'LeaseKeepAlive', ['LeaseKeepAliveRequest', 'LeaseKeepAliveResponse']),
    leaseTimeToLive: method('Lease', 'LeaseTimeToLive', ['LeaseTimeToLiveRequest', 'LeaseTimeToLiveResponse']),
    leases: method('Lease', 'LeaseLeases', ['LeaseLeasesRequest', 'LeaseLeasesResponse']),
    status: method('Maintenance', 'Status', ['StatusRequest', 'StatusResponse']),
    snapshot: method('Maintenance', 'Snapshot', ['SnapshotRequest', 'SnapshotResponse']),
  };
}

function makeMethod<Answer>(path: string, request: Type, answer: Type): Method<Answer> {
  return {
    path,
    // In Node the codec writes into Buffers; the view is for the type.
    encode: (message) => {
      const bytes = request.encode(message).finish();
      return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
    },
    // The descriptor is what the interfaces above were written from.
    decode: (bytes) => answer.decode(bytes) as unknown as Answer,
  };
}

/** Revisions, versions and counts are far from 2^53; lease ids of other clients may lose their last digits. */
export function toNumber(value: Int64 | undefined): number {
  if (value === undefined) return 0;
  return typeof value === 'number' ? value : value.toNumber();
}
