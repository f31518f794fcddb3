/** How values rest sealed, and how those are who keep the keys, in upstream's names (k8s.io/apiserver, storage/value). */
import { RecentTable } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type {
  KeyMeasures,
  Transformation,
  TransformDirection,
  TransformMeasures,
} from '../ports/encryption-measures.ts';
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Figures } from './series.ts';

const doubled = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first * 2 ** i);
/** Keys that are told apart (upstream's): a service may have a new one at any time. */
const KEYS_MAX = 100;
const SERVICE = '/v2.KeyManagementService/';
/** gRPC's names of what a call came to, by its number. */
const CODES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound', 'AlreadyExists'],
  ...['PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted', 'OutOfRange', 'Unimplemented'],
  ...['Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
];
/** What an error has as its cause, and that as its own, so far. */
const CAUSES_MAX = 8;

export interface EncryptionFiguresWorld {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** What is shown in place of names that are nobody's business: `sha256:…`. */
  readonly hash: (text: string) => string;
  /** By which the servers of a cluster know this one. */
  readonly serverId: string;
}

/** Uses of one key, or when it was told last. */
interface KeyUse {
  readonly labels: readonly string[];
  count: number;
  atSeconds: number;
}

/** Keeps score of values that rest sealed and of key services, and shows it. */
export class EncryptionFigures implements TransformMeasures, KeyMeasures, Figures {
  readonly #world: EncryptionFiguresWorld;
  readonly #transformed = new CounterFamily({
    name: 'apiserver_storage_transformation_operations_total',
    help: 'Values that were sealed and opened, by how that ended.',
    labels: ['resource', 'transformation_type', 'transformer_prefix', 'status'],
  });
  readonly #seconds = new HistogramFamily(
    {
      name: 'apiserver_storage_transformation_duration_seconds',
      help: 'How long that took where it went well.',
      labels: ['transformation_type', 'transformer_prefix'],
    },
    doubled(5e-6, 25),
  );
  readonly #misses = new CounterFamily({
    name: 'apiserver_storage_envelope_transformation_cache_misses_total',
    help: 'Keys that were not remembered unsealed.',
    labels: [],
  });
  readonly #seeds = new HistogramFamily(
    {
      name: 'apiserver_storage_data_key_generation_duration_seconds',
      help: 'How long a seed took to make.',
      labels: [],
    },
    doubled(5e-6, 14),
  );
  readonly #badKeys = new CounterFamily({
    name: 'apiserver_envelope_encryption_invalid_key_id_from_status_total',
    help: 'Names of keys that are none.',
    labels: ['provider_name', 'error'],
  });
  readonly #remembered = new CounterFamily({
    name: 'apiserver_envelope_encryption_dek_source_cache_size',
    help: 'Keys that are remembered unsealed.',
    labels: ['provider_name'],
    type: 'gauge',
  });
  readonly #calls = new HistogramFamily(
    {
      name: 'apiserver_envelope_encryption_kms_operations_latency_seconds',
      help: 'How long key services took to answer.',
      labels: ['provider_name', 'method_name', 'grpc_status_code'],
    },
    doubled(1e-4, 20),
  );
  readonly #used = new RecentTable<KeyUse>(KEYS_MAX);
  readonly #told = new RecentTable<KeyUse>(KEYS_MAX);

  constructor(world: EncryptionFiguresWorld) {
    this.#world = world;
    // Shown before there is anything to count, as upstream's are.
    this.#misses.series([]);
    this.#seeds.series([]);
  }

  now(): number {
    return this.#world.clock.monotonic() / 1000;
  }

  transformed(direction: TransformDirection, { resource, steps, seconds, error }: Transformation): void {
    const status = codeOf(error);
    for (const step of steps) {
      this.#transformed.add([resource, direction, step, status]);
      if (error === undefined) this.#seconds.observe([direction, step], seconds);
    }
  }

  keyUsed(direction: TransformDirection, provider: string, keyId: string): void {
    const use = this.#useOf(this.#used, [direction, provider], keyId);
    use.count++;
  }

  keyTold(provider: string, keyId: string): void {
    this.#useOf(this.#told, [provider], keyId);
  }

  badKeyTold(provider: string, why: 'empty' | 'too_long'): void {
    this.#badKeys.add([provider, why]);
  }

  seedMade(seconds: number): void {
    this.#seeds.observe([], seconds);
  }

  notRemembered(): void {
    this.#misses.add([]);
  }

  remembered(provider: string, count: number): void {
    this.#remembered.set([provider], count);
  }

  serviceCalled(provider: string, method: string, ended: { readonly seconds: number; readonly error?: unknown }): void {
    this.#calls.observe([provider, `${SERVICE}${method}`, codeOf(ended.error)], ended.seconds);
  }

  render(out: string[]): void {
    for (const family of [this.#transformed, this.#seconds, this.#misses, this.#seeds]) family.render(out);
    for (const family of [this.#badKeys, this.#remembered, this.#calls]) family.render(out);
    this.#renderKeys(out);
  }

  /** Made anew each time: a key that was not used lately is not shown any more. */
  #renderKeys(out: string[]): void {
    const prefix = 'apiserver_envelope_encryption_key_id_hash';
    const labels = ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'];
    const gauge = { help: 'When a key was used, or told, last.', type: 'gauge' as const };
    const total = new CounterFamily({ name: `${prefix}_total`, help: 'Uses of a key.', labels });
    const last = new CounterFamily({ name: `${prefix}_last_timestamp_seconds`, labels, ...gauge });
    const told = new CounterFamily({
      name: `${prefix}_status_last_timestamp_seconds`,
      labels: labels.slice(1),
      ...gauge,
    });
    for (const use of this.#used.values()) {
      total.set(use.labels, use.count);
      last.set(use.labels, use.atSeconds);
    }
    for (const use of this.#told.values()) told.set(use.labels, use.atSeconds);
    for (const family of [total, last, told]) family.render(out);
  }

  #useOf(table: RecentTable<KeyUse>, about: readonly string[], keyId: string): KeyUse {
    const key = JSON.stringify([...about, keyId]);
    let use = table.get(key);
    if (use === undefined) {
      const { hash, serverId } = this.#world;
      use = { labels: [...about, hash(keyId), hash(serverId)], count: 0, atSeconds: 0 };
      table.set(key, use);
    }
    use.atSeconds = this.#world.clock.now() / 1000;
    return use;
  }
}

/** gRPC's name of how a call ended, whatever the failure was wrapped in. */
function codeOf(error: unknown): string {
  if (error === undefined) return 'OK';
  let one: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && one instanceof Error; depth++) {
    const { code } = one as { readonly code?: unknown };
    const name = typeof code === 'number' ? CODES[code] : undefined;
    if (name !== undefined) return name;
    one = one.cause;
  }
  return 'unknown-non-grpc';
}
