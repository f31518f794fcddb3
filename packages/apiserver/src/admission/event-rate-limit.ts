import type { Clock } from '@binnacle/base';
import type { Event } from '@binnacle/api/core/v1';
import type { Event as GroupEvent } from '@binnacle/api/events/v1';
import { status } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';

export type EventLimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject';

/** How many events whoever it counts may send. */
export interface EventLimit {
  readonly type: EventLimitType;
  /** So many a second for long. */
  readonly qps: number;
  /** So many at once. */
  readonly burst: number;
  /** Of so many it remembers what they sent; the longest silent are forgotten. 0: 4096. */
  readonly cacheSize: number;
}

const REMEMBERED = 4_096;

interface Bucket {
  tokens: number;
  at: number;
}

const KEYS: { readonly [type in EventLimitType]: (attributes: AdmissionAttributes) => string } = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject({ object }) {
    const event = object as Event & GroupEvent;
    const source = event.source ?? event.deprecatedSource;
    const about = event.involvedObject ?? event.regarding;
    return [
      source?.component,
      source?.host,
      about?.kind,
      about?.namespace,
      about?.name,
      about?.uid,
      about?.apiVersion,
    ].join('');
  },
};

/** Refuses events (429) that come faster than the limits. */
export function createEventRateLimit(clock: Pick<Clock, 'monotonic'>, limits: readonly EventLimit[]): AdmissionPlugin {
  const meters = limits.map((limit) => ({ limit, accepts: createMeter(clock, limit) }));
  return {
    name: 'EventRateLimit',
    handles: (operation, info, subresource) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      subresource === '' &&
      info.resource === 'events' &&
      (info.group === '' || info.group === 'events.k8s.io'),
    validate(attributes) {
      if (attributes.dryRun) return;
      const reached = meters.flatMap(({ limit: { type }, accepts }) => {
        const key = KEYS[type](attributes);
        return accepts(key) ? [] : [`limit reached on type ${type} for key ${key}`];
      });
      if (reached.length === 0) return;
      const why = reached.length === 1 ? (reached[0] ?? '') : `[${reached.join(', ')}]`;
      throw status.tooManyRequests(`Too many requests: ${why}`);
    },
  };
}

/** A bucket of tokens for each key. Bounded: the key that was silent for longest is forgotten. */
function createMeter(
  clock: Pick<Clock, 'monotonic'>,
  { type, qps, burst, cacheSize }: EventLimit,
): (key: string) => boolean {
  const buckets = new Map<string, Bucket>();
  const most = type === 'Server' ? 1 : cacheSize || REMEMBERED;
  return (key) => {
    const now = clock.monotonic();
    const bucket = buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * qps);
    bucket.at = now;
    buckets.delete(key);
    buckets.set(key, bucket);
    for (const [oldest] of buckets) {
      if (buckets.size <= most) break;
      buckets.delete(oldest);
    }
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  };
}
