import { formatTime } from '@binnacle/base';
import type { Cause, Hop, HopKind, TraceObject } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { AnyCall, Reply } from '../catalogue/definition.ts';
import { nodeNameOf } from '../access/users.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import type { TraceWorld } from './hops.ts';
import { membersOf, readJsonBody, textOf } from './json-body.ts';
import type { Members } from './json-body.ts';
import type { OwnHops } from './own-hops.ts';
import { checkDecision } from './reported-decision.ts';

const HOPS_MAX = 1_000;
const DETAIL_BYTES_MAX = 32 << 10;
/** The group of all kubelets: one that somebody took over tells nothing in the scheduler's name. */
const NODES = 'system:nodes';
/** The last moment that can be written as a date. */
const MS_MAX = 8.64e15;
const KINDS: ReadonlySet<string> = new Set<HopKind>(['reconcile', 'decision', 'kubelet', 'runtime', 'probe', 'event']);

/** What reports are taken with. */
export interface ReportWorld extends Pick<TraceWorld, 'recorder'> {
  readonly own: OwnHops;
}

/**
 * POST on `hopreports`: what a component of another process did. The answer's `dropped` counts what was not taken of it: what the
 * component dropped itself, and what a node may not tell. Throws 400 for what is no report, 413 for too many hops.
 */
export async function takeReport({ recorder, own }: ReportWorld, call: AnyCall): Promise<Reply> {
  const { hops, dropped } = await readReport(call);
  if (hops.length > HOPS_MAX) throw status.requestEntityTooLarge(`a report has ${HOPS_MAX} hops at the most`);
  const nowMs = recorder.now();
  const read = hops.map((hop) => readHop(hop, nowMs));
  const node = nodeNameOf(call.user) ?? (call.user.groups.includes(NODES) ? '' : undefined);
  if (node !== undefined && read.some(({ kind }) => kind === 'decision')) {
    throw status.forbidden(call.served.info, '', 'nodes decide nothing: their kubelets report what they do');
  }
  const told = node === undefined ? read : read.filter((hop) => own.mayTell(node, hop));
  const refused = read.length - told.length;
  if (refused > 0) call.warn(`${refused} hops are not taken: a node tells what it does itself, of itself and its pods`);
  if (!call.dryRun) for (const hop of told) recorder.reported(hop, call.user.name);
  const metadata = { creationTimestamp: formatTime(nowMs) };
  return {
    kind: 'object',
    code: 201,
    object: { apiVersion: TRACE_API_VERSION, kind: 'HopReport', metadata, hops: [], dropped: dropped + refused },
  };
}

async function readReport(call: AnyCall): Promise<{ hops: readonly unknown[]; dropped: number }> {
  const value = await readJsonBody(call);
  const { apiVersion, kind, hops, dropped } = membersOf(value, 'the report');
  if (kind !== 'HopReport' || apiVersion !== TRACE_API_VERSION) {
    throw status.badRequest(`expected a HopReport of ${TRACE_API_VERSION}`);
  }
  if (!Array.isArray(hops)) throw status.badRequest('hops: expected a list');
  return { hops, dropped: typeof dropped === 'number' ? dropped : 0 };
}

function readHop(value: unknown, nowMs: number): Hop {
  const hop = membersOf(value, 'hop');
  const { type, detail } = hop;
  if (typeof type !== 'string' || !KINDS.has(type)) {
    throw status.badRequest(`hop: type ${JSON.stringify(type)} is none of ${[...KINDS].join(', ')}`);
  }
  if (type === 'decision' && detail !== undefined) checkDecision(membersOf(detail, 'detail'));
  const isLarge = detail !== undefined && JSON.stringify(detail).length > DETAIL_BYTES_MAX;
  return {
    kind: type as HopKind,
    component: textOf(hop, 'component'),
    name: textOf(hop, 'title'),
    // Clocks of others may be ahead: what is told is over, and streams wait for nothing that is still to come.
    startedAt: Math.min(nowMs, numberOf(hop, 'atMs')),
    durationMs: numberOf(hop, 'durationMs'),
    ...(hop['waitedMs'] === undefined ? {} : { waitedMs: numberOf(hop, 'waitedMs') }),
    ...optional('id', textOf(hop, 'id')),
    ...(hop['object'] === undefined ? {} : { object: readObject(hop['object']) }),
    ...optional('revision', revisionOf(hop)),
    ...(hop['cause'] === undefined ? {} : { cause: readCause(hop['cause']) }),
    ...optional('error', textOf(hop, 'error')),
    ...(detail === undefined ? {} : { detail: isLarge ? { tooLarge: true } : membersOf(detail, 'detail') }),
  };
}

function optional<N extends string>(name: N, value: string): { readonly [name in N]?: string } {
  return value === '' ? {} : ({ [name]: value } as { readonly [name in N]?: string });
}

function numberOf(members: Members, name: string): number {
  const value = members[name];
  if (typeof value !== 'number' || !(value >= 0 && value <= MS_MAX))
    throw status.badRequest(`${name}: expected milliseconds`);
  return value;
}

function revisionOf(members: Members): string {
  const text = textOf(members, 'revision');
  if (!/^\d{0,16}$/.test(text)) throw status.badRequest('revision: expected a revision of the store');
  return text;
}

function readObject(value: unknown): TraceObject {
  const members = membersOf(value, 'object');
  return {
    group: textOf(members, 'group'),
    resource: textOf(members, 'resource'),
    name: textOf(members, 'name'),
    ...optional('namespace', textOf(members, 'namespace')),
    ...optional('uid', textOf(members, 'uid')),
  };
}

function readCause(value: unknown): Cause {
  const members = membersOf(value, 'cause');
  return {
    id: textOf(members, 'id'),
    component: textOf(members, 'component'),
    request: textOf(members, 'request'),
    ...optional('revision', revisionOf(members)),
  };
}
