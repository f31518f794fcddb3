import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { callEach, status, StatusError } from '@binnacle/machinery';
import type { ApiCall, KubeObject, Verb, WatchCall, WatchHandle, WatchSink, Wire } from '@binnacle/machinery';
import { boundedJson } from './bounded-json.ts';
import { methodOf, pathOf } from './request-path.ts';

/** Where a wire tells what it carries. */
export interface LoggingWireOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** Before the path of every URL: `https://host:port`; in process there is none. */
  readonly server?: string;
}

// The levels of this repository, after those of client-go (docs/recipes/log-levels.md).
const CHANGES = 2;
const WATCHES = 3;
const REFUSALS = 4;
const BODIES = 9;
const EVENTS = 10;

const WRITES: ReadonlySet<Verb> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** Written all the time, and changing nothing that anybody asked for. */
const HEARTBEATS: ReadonlySet<string> = new Set(['leases', 'events']);
/** Questions in the dress of a create. */
const QUESTIONS = /reviews$/;
/** Beyond this a body is cut. */
const BODY_LENGTH_MAX = 8192;

/**
 * Tells in the log what goes over a wire: from level 2 what was changed, 3 each watch with its selectors, 4 what was
 * refused and why, 9 bodies, 10 each event of a watch. What holds secrets is masked whole. The level may change; below 2
 * where it cannot it is the wire itself.
 */
export function createLoggingWire(wire: Wire, options: LoggingWireOptions): Wire {
  const { log } = options;
  if (log.level === undefined && !log.enabled(CHANGES)) return wire;
  const told: Wire['call'] = (call) => tellCall(wire, call, options);
  return {
    call: (call) => (log.enabled(CHANGES) ? told(call) : wire.call(call)),
    batch: (calls, settled) => (log.enabled(CHANGES) ? callEach(told, calls, settled) : wire.batch(calls, settled)),
    watch: (call, sink) => tellWatch(wire, { call, sink }, options),
    raw: (call) => wire.raw(call),
    open: (call) => wire.open(call),
    close: () => wire.close(),
  };
}

async function tellCall(wire: Wire, call: ApiCall, options: LoggingWireOptions): Promise<unknown> {
  const { log, clock, server = '' } = options;
  const facts = { verb: methodOf(call.verb), url: `${server}${pathOf(call)}` };
  if (log.enabled(BODIES) && call.body !== undefined)
    log.info(BODIES, 'Request Body', { ...facts, body: shown(call, call.body) });
  const started = clock.monotonic();
  try {
    const answer = await wire.call(call);
    const milliseconds = Math.round(clock.monotonic() - started);
    if (isChange(call)) log.info(levelOf(call), 'Changed', { ...subjectOf(call, answer), milliseconds });
    if (log.enabled(BODIES)) log.info(BODIES, 'Response Body', { ...facts, body: shown(call, answer) });
    return answer;
  } catch (error) {
    const code = error instanceof StatusError ? error.httpCode : undefined;
    if (!status.isNotFound(error)) log.info(REFUSALS, 'Refused', { ...facts, code, reason: messageOf(error) });
    throw error;
  }
}

function isChange({ verb, resource, query }: ApiCall): boolean {
  return WRITES.has(verb) && query?.['dryRun'] === undefined && !QUESTIONS.test(resource.resource);
}

function levelOf({ resource }: ApiCall): number {
  return HEARTBEATS.has(resource.resource) ? REFUSALS : CHANGES;
}

function subjectOf(call: ApiCall, answer: unknown): { readonly [field: string]: unknown } {
  const { metadata } = (answer ?? {}) as Partial<KubeObject>;
  const name = call.name ?? metadata?.name ?? '';
  const { group, resource } = call.resource;
  const path = call.subresource === undefined ? resource : `${resource}/${call.subresource}`;
  return {
    verb: call.verb,
    resource: group === '' ? path : `${path}.${group}`,
    object: call.namespace === undefined || call.namespace === '' ? name : `${call.namespace}/${name}`,
    resourceVersion: metadata?.resourceVersion,
    because: call.cause?.request,
  };
}

function tellWatch<T extends KubeObject>(
  wire: Wire,
  of: { readonly call: WatchCall; readonly sink: WatchSink<T> },
  { log, server = '' }: LoggingWireOptions,
): WatchHandle {
  const { call, sink } = of;
  const { resource, namespace, query = {} } = call;
  const facts = {
    resource: resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`,
    namespace,
    labelSelector: query['labelSelector'],
    fieldSelector: query['fieldSelector'],
    resourceVersion: query['resourceVersion'],
  };
  log.info(WATCHES, 'Watching', { ...facts, url: `${server}${pathOf(call)}` });
  return wire.watch<T>(call, {
    events(batch) {
      if (log.enabled(EVENTS)) {
        for (const { type, object } of batch) {
          const { namespace: home = '', name = '', resourceVersion } = object.metadata;
          log.info(EVENTS, 'Watch event', {
            type,
            resource: facts.resource,
            object: `${home}/${name}`,
            resourceVersion,
          });
        }
      }
      sink.events(batch);
    },
    end(error) {
      log.info(WATCHES, 'Watch ended', { ...facts, reason: error === undefined ? undefined : messageOf(error) });
      sink.end(error);
    },
  });
}

/** Secrets, and whatever asks about or answers with tokens, are not shown at any level. */
function shown({ resource, subresource }: ApiCall, body: unknown): string {
  const isSecret = resource.resource === 'secrets' || resource.resource === 'tokenreviews' || subresource === 'token';
  return isSecret ? '<masked>' : boundedJson(body, BODY_LENGTH_MAX);
}
