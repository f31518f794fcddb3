import type { Clock } from '@binnacle/base';
import { schemas } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { ComponentPause, Pauses } from '@binnacle/trace';
import type { AnyCall, Reply } from '../catalogue/definition.ts';
import { readObject } from '../verbs/body.ts';
import { readDeleteOptions } from '../verbs/delete-options.ts';
import { patchedAs, readPlainPatch } from '../verbs/patch.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import { checkMeant, demandVersion, orderOf, PAUSE_COLUMNS, PAUSE_SCHEMAS, pauseObject } from './pause-object.ts';
import type { SentPause, ShownPause } from './pause-object.ts';
import { pauseStream } from './pause-stream.ts';
import { PulledStreams } from './pulled-streams.ts';
import { selectionOfNames } from './select-names.ts';

const DELETE_OPTIONS = { schemas, isServed: (version: string) => version === 'v1' || version === TRACE_API_VERSION };

/** The verbs of `pauses`: who can be held, who is, and what waits. Where pausing is off nobody is held by anybody. */
export class PauseRequests {
  readonly #pauses: Pauses;
  readonly #isAllowed: boolean;
  readonly #clock: Clock;
  readonly #streams = new PulledStreams();

  constructor(pauses: Pauses, isAllowed: boolean, clock: Clock) {
    this.#pauses = pauses;
    this.#isAllowed = isAllowed;
    this.#clock = clock;
  }

  /** `allowed`: whether this server lets anybody be held. */
  list({ query }: AnyCall): Reply {
    const isSelected = selectionOfNames(query);
    const items = this.#pauses
      .list()
      .filter(({ component }) => isSelected(component))
      .map(pauseObject);
    const metadata = { resourceVersion: String(this.#pauses.version) };
    const allowed = this.#isAllowed;
    const list = { apiVersion: TRACE_API_VERSION, kind: 'PauseList', metadata, allowed, items };
    return { ...object(list), items };
  }

  /** GET with `watch`: who changed since `resourceVersion`, then each change. */
  watch(call: AnyCall): Reply {
    const world = { pauses: this.#pauses, clock: this.#clock, shown: pauseObject, columns: PAUSE_COLUMNS };
    return this.#streams.open(call, pauseStream(world, call));
  }

  /** Ends all streams. */
  close(): void {
    this.#streams.close();
  }

  get(call: AnyCall): Reply {
    return object(pauseObject(this.#known(call)));
  }

  /** PUT of what GET shows: the component is held, or may take further steps; without a spec it goes on. */
  async update(call: AnyCall): Promise<Reply> {
    this.#demandAllowed(call);
    const sent = (await readObject(PAUSE_SCHEMAS, call, call.served.info)) as SentPause;
    return this.#order(call, { apiVersion: TRACE_API_VERSION, kind: 'Pause', ...sent });
  }

  /** PATCH, by any kind of patch of what GET shows: the component is held as its spec then says, and goes on where it has none. */
  async patch(call: AnyCall): Promise<Reply> {
    this.#demandAllowed(call);
    const patching = await readPlainPatch(call);
    call.received?.(patching.document);
    const target = pauseObject(this.#known(call));
    const { schema } = call.served.info;
    return this.#order(call, patchedAs<SentPause>(call, patching, { target, schemas: PAUSE_SCHEMAS, schema }));
  }

  /** DELETE: the component goes on. */
  async delete(call: AnyCall): Promise<Reply> {
    this.#demandAllowed(call);
    const { preconditions, dryRun } = await readDeleteOptions(DELETE_OPTIONS, call);
    const { metadata } = pauseObject(this.#known(call));
    demandVersion(call, preconditions ?? {}, metadata);
    if (!call.dryRun && (dryRun ?? []).length === 0) this.#pauses.release(metadata.name);
    return deleted(call, metadata);
  }

  #order(call: AnyCall, sent: SentPause): Reply {
    const is = this.#known(call);
    const { component } = is;
    checkMeant(call, sent, pauseObject(is));
    const order = sent.spec === undefined ? undefined : orderOf(sent.spec);
    if (call.dryRun) {
      const { order: _order, ...rest } = is;
      return object(pauseObject(order === undefined ? rest : { ...rest, order }));
    }
    if (order !== undefined) this.#pauses.hold(component, order);
    else if (is.order !== undefined) this.#pauses.release(component);
    return object(pauseObject(this.#known(call)));
  }

  #known(call: AnyCall): ComponentPause {
    const { name } = call.info;
    const found = this.#pauses.get(name);
    if (found === undefined) throw status.notFound(call.served.info, name);
    return found;
  }

  /** Throws 404 for who cannot be held, 403 where nobody is. */
  #demandAllowed(call: AnyCall): void {
    this.#known(call);
    if (this.#isAllowed) return;
    throw status.forbidden(
      call.served.info,
      call.info.name,
      'components are held only where the API server runs with --enable-pauses',
    );
  }
}

function object(body: object): Extract<Reply, { kind: 'object' }> {
  return { kind: 'object', code: 200, object: body, columns: PAUSE_COLUMNS };
}

/**
 * The Status of what is gone. Whoever waits for its end (kubectl does) looks for an object of this uid, and finds the component's,
 * which has none.
 */
function deleted({ served: { info } }: AnyCall, { name, resourceVersion }: ShownPause['metadata']): Reply {
  const details = { name, group: info.group, kind: info.resource, uid: `${name}.${resourceVersion}` };
  return {
    kind: 'object',
    code: 200,
    object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details },
  };
}
