import { schemas } from '@binnacle/api';
import { createSchemaRegistry, groupVersion, status } from '@binnacle/machinery';
import type { KubeObject, SchemaRegistry } from '@binnacle/machinery';
import type { ComponentPause, PauseOrder } from '@binnacle/trace';
import type { AnyCall } from '../catalogue/definition.ts';
import type { TablePrinter } from '../ports/columns.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import { TRACE_STRUCTS } from './schema.ts';

const DEADLINE_S = 300;
const DEADLINE_MAX_S = 3_600;
const STEPS_MAX = 1_000_000;

/** Has the struct of Pause. */
export const PAUSE_SCHEMAS: SchemaRegistry = createSchemaRegistry(TRACE_STRUCTS, schemas);

/** A Pause as somebody sends it, decoded. */
export interface SentPause extends KubeObject {
  /** Absent: it goes on. */
  readonly spec?: Partial<PauseOrder>;
}

/** A Pause as it is shown. */
export interface ShownPause extends KubeObject {
  readonly metadata: KubeObject['metadata'] & {
    readonly name: string;
    readonly resourceVersion: string;
  };
  readonly spec?: PauseOrder;
  readonly status: Pick<ComponentPause, 'passed' | 'waiting' | 'endsAtMs'> & { readonly held: boolean };
}

/** What `kubectl get pauses` says of each. */
export const PAUSE_COLUMNS: TablePrinter = {
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

/** The object of a component that can be held. There is always one, held or not, so that it has no uid: no other takes its place. */
export function pauseObject(pause: ComponentPause): ShownPause {
  const { component, version, order, passed, waiting, endsAtMs } = pause;
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

/** The order of a spec. Throws 400 for numbers out of bounds. */
export function orderOf({ steps = 0, deadlineSeconds = DEADLINE_S }: Partial<PauseOrder>): PauseOrder {
  demandBetween('spec.steps', steps, [0, STEPS_MAX]);
  demandBetween('spec.deadlineSeconds', deadlineSeconds, [1, DEADLINE_MAX_S]);
  return { steps, deadlineSeconds };
}

function demandBetween(what: string, value: number, [least, most]: readonly [number, number]): void {
  if (value >= least && value <= most) return;
  throw status.badRequest(`${what}: expected a whole number from ${least} to ${most}`);
}

/** What of an object's metadata a Pause has, or every server fills in. */
const KEPT: ReadonlySet<string> = new Set([
  ...['name', 'uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'],
]);

/**
 * Whether the object that somebody sends is meant for the one that is there. Throws 400 for another kind or name, 409 for another
 * version; what of its metadata is not kept is told.
 */
export function checkMeant(call: AnyCall, sent: SentPause, { metadata: is }: ShownPause): void {
  const { info } = call.served;
  const { kind = '', apiVersion = '', metadata } = sent;
  if (kind !== info.kind || apiVersion !== groupVersion(info)) {
    throw status.badRequest(`expected a ${info.kind} of ${groupVersion(info)}`);
  }
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  if (name !== '' && name !== is.name) {
    throw status.badRequest(`the name of the object (${name}) does not match the name on the URL (${is.name})`);
  }
  demandVersion(call, { uid, resourceVersion }, is);
  const lost = Object.entries(metadata).filter(([key, value]) => !KEPT.has(key) && value !== undefined);
  if (lost.length > 0) call.warn(`a Pause keeps no ${lost.map(([key]) => `metadata.${key}`).join(', ')}`);
}

/** Throws 409 where another one, or another version of it, is meant than the one that is there. */
export function demandVersion(
  { served }: Pick<AnyCall, 'served'>,
  { uid = '', resourceVersion = '' }: { readonly uid?: string; readonly resourceVersion?: string },
  is: ShownPause['metadata'],
): void {
  if (uid !== '') {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: `;
    throw status.conflict(served.info, is.name, why);
  }
  if (resourceVersion === '' || resourceVersion === is.resourceVersion) return;
  throw status.conflict(
    served.info,
    is.name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}
