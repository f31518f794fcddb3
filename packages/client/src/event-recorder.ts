import { silentTrace } from '@binnacle/base';
import type { Cause, Trace } from '@binnacle/base';
import { findKind } from '@binnacle/api';
import type { ObjectReference } from '@binnacle/api/core/v1';
import { observedCause } from './cause.ts';
import type { EventFacts } from './event-correlator.ts';
import { EventWriter } from './event-writer.ts';
import type { EventWriterOptions } from './event-writer.ts';
import { asReference } from './object-reference.ts';
import type { EventRecorder } from './ports.ts';

/** Who records, for how long (the scope) and through which client. */
export interface EventRecorderOptions extends EventWriterOptions {
  /** Who reports: `replication-controller`, `kubelet`. */
  readonly component: string;
  /** The node's name, for those that run on one. */
  readonly host?: string;
}

/**
 * A recorder that writes core/v1 Events in the background, those that wait together in one call. A repeat raises `count` on the Event
 * that is there; more than ten different messages of one reason are combined; an object that reports without end is
 * cut to 25 at once and one in five minutes. Nobody ever waits for it.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return createEventRecorders(options)(options.host ?? '');
}

/** Recorders of one component on many hosts, by the host's name: one queue and one writer for them all. */
export function createEventRecorders(options: Omit<EventRecorderOptions, 'host'>): (host: string) => EventRecorder {
  const writer = new EventWriter(options);
  const { component, world } = options;
  return (host) => ({
    event: (about, type, reason, message, context) => {
      const reference = asReference(about);
      const object = `${reference.namespace ?? ''}/${reference.name ?? ''}`;
      const { kind } = reference;
      world.log.info(3, 'Event occurred', { object, kind, type, reason, message, component });
      const cause = context?.cause ?? causeOf(reference, component, reason);
      const facts = { about: reference, type, reason, message, component, host };
      recordEvent(world.trace ?? silentTrace, facts, cause);
      writer.offer({ facts, context: { ...context, cause } });
    },
  });
}

/** What was reported, as it was: what becomes of it (combined, dropped) is the writer's affair. */
function recordEvent(trace: Trace, { about, type, reason, message, component, host }: EventFacts, cause: Cause): void {
  if (!trace.on) return;
  const { apiVersion = 'v1', kind = '', namespace, name = '', uid } = about;
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  const resource = findKind(group, apiVersion.slice(slash + 1), kind)?.resource;
  const place = { ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
  trace.record({
    kind: 'event',
    component: host === '' ? component : `${component} ${host}`,
    name: `${reason}: ${message}`.slice(0, 512),
    startedAt: trace.now(),
    durationMs: 0,
    ...(resource === undefined ? {} : { object: { group, resource, ...place, name } }),
    cause,
    detail: { type, reason, message: message.slice(0, 1024) },
  });
}

/** Without a better one: the version of the object that the reporter saw. */
function causeOf({ namespace, name, resourceVersion }: ObjectReference, component: string, reason: string): Cause {
  const metadata = { namespace: namespace ?? '', name: name ?? '', resourceVersion: resourceVersion ?? '' };
  return observedCause(component, { metadata }, `event ${reason}`);
}
