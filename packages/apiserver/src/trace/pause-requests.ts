import type { Clock } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { ComponentPause, Pauses, PauseOrder } from '@binnacle/trace';
import type { AnyCall, Reply } from '../catalogue/definition.ts';
import type { TablePrinter } from '../ports/columns.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import { membersOf, readJsonBody } from './json-body.ts';
import { pauseStream } from './pause-stream.ts';
import { PulledStreams } from './pulled-streams.ts';
import { selectionOfNames } from './select-names.ts';

const DEADLINE_S = 300;
const DEADLINE_MAX_S = 3_600;
const STEPS_MAX = 1_000_000;

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
      .map(shown);
    const metadata = { resourceVersion: String(this.#pauses.version) };
    const allowed = this.#isAllowed;
    const list = { apiVersion: TRACE_API_VERSION, kind: 'PauseList', metadata, allowed, items };
    return { ...object(list), items };
  }

  /** GET with `watch`: who changed since `resourceVersion`, then each change. */
  watch(call: AnyCall): Reply {
    const world = { pauses: this.#pauses, clock: this.#clock, shown, columns: COLUMNS };
    return this.#streams.open(call, pauseStream(world, call));
  }

  /** Ends all streams. */
  close(): void {
    this.#streams.close();
  }

  get(call: AnyCall): Reply {
    return object(shown(this.#known(call)));
  }

  /** PUT: holds the component, or lets it take further steps. */
  async update(call: AnyCall): Promise<Reply> {
    const { component } = this.#known(call);
    this.#demandAllowed(call);
    const order = orderOf(await readJsonBody(call));
    if (!call.dryRun) this.#pauses.hold(component, order);
    return object(shown(this.#known(call)));
  }

  /** DELETE: the component goes on. */
  delete(call: AnyCall): Reply {
    const { component } = this.#known(call);
    this.#demandAllowed(call);
    if (!call.dryRun) this.#pauses.release(component);
    return object(shown(this.#known(call)));
  }

  #known(call: AnyCall): ComponentPause {
    const { name } = call.info;
    const found = this.#pauses.get(name);
    if (found === undefined) throw status.notFound(call.served.info, name);
    return found;
  }

  #demandAllowed({ served, info }: AnyCall): void {
    if (this.#isAllowed) return;
    throw status.forbidden(
      served.info,
      info.name,
      'components are held only where the API server runs with --enable-pauses',
    );
  }
}

/** What `kubectl get pauses` says of each. */
const COLUMNS: TablePrinter = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Component that can be held.', priority: 0 },
    { name: 'Held', type: 'boolean', description: 'Whether it waits before each step.', priority: 0 },
    { name: 'Passed', type: 'integer', description: 'Steps that it took while it was held.', priority: 0 },
    { name: 'About to', type: 'string', description: 'The step that it waits for, the first of them.', priority: 0 },
  ],
  row: (one) => {
    const { metadata, status: now } = one as ShownPause;
    return [metadata.name, now.held, now.passed, now.waiting[0]?.what ?? ''];
  },
};

function object(body: object): Extract<Reply, { kind: 'object' }> {
  return { kind: 'object', code: 200, object: body, columns: COLUMNS };
}

interface ShownPause extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly name: string };
  readonly status: Pick<ComponentPause, 'passed' | 'waiting'> & { readonly held: boolean };
}

function shown({ component, version, order, passed, waiting, endsAtMs }: ComponentPause): ShownPause {
  return {
    apiVersion: TRACE_API_VERSION,
    kind: 'Pause',
    metadata: { name: component, resourceVersion: String(version) },
    ...(order === undefined ? {} : { spec: order }),
    status: {
      held: order !== undefined,
      passed,
      waiting,
      ...(endsAtMs === undefined ? {} : { endsAtMs }),
    },
  };
}

function orderOf(body: unknown): PauseOrder {
  const spec = membersOf(membersOf(body, 'the pause')['spec'] ?? {}, 'spec');
  return {
    steps: numberOf(spec['steps'] ?? 0, { what: 'spec.steps', least: 0, most: STEPS_MAX }),
    deadlineSeconds: numberOf(spec['deadlineSeconds'] ?? DEADLINE_S, {
      what: 'spec.deadlineSeconds',
      least: 1,
      most: DEADLINE_MAX_S,
    }),
  };
}

function numberOf(
  value: unknown,
  { what, least, most }: { readonly what: string; readonly least: number; readonly most: number },
): number {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  throw status.badRequest(`${what}: expected a whole number from ${least} to ${most}`);
}
