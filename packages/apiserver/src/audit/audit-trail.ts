import { formatMicroTime } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { KubeObject, Status, UserInfo } from '@binnacle/machinery';
import type { Reply, WholeReply } from '../catalogue/definition.ts';
import { valueOf } from '../encode/body.ts';
import type { AuditEvent, AuditLevel, AuditObjectRef, AuditStage, AuditUser } from '../ports/audit.ts';
import type { Exchange } from '../request/exchange.ts';
import { uriOf } from '../request/uri.ts';
import type { AuditPlan } from './policy.ts';
import { sourceAddresses } from './source-addresses.ts';

const AGENT_MAX = 1024;
const TRUNCATED = '...TRUNCATED';
const ORDER: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

/** What is known of one request, as it goes along; makes its events. */
export class AuditTrail {
  readonly #plan: AuditPlan;
  readonly #exchange: Exchange;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #user: UserInfo;
  readonly #receivedAt: string;
  readonly #objectRef: AuditObjectRef | undefined;
  #requestObject: unknown;
  #responseObject: unknown;
  #responseStatus: Partial<Status> | undefined;

  constructor(plan: AuditPlan, exchange: Exchange, clock: Pick<Clock, 'now'>) {
    this.#plan = plan;
    this.#exchange = exchange;
    this.#clock = clock;
    // Impersonation puts somebody else in the caller's place.
    this.#user = exchange.user;
    this.#receivedAt = formatMicroTime(clock.now());
    this.#objectRef = refOf(exchange);
  }

  omits(stage: AuditStage): boolean {
    return this.#plan.omitStages.has(stage);
  }

  /** What the caller sent, decoded; the first counts. It is copied: what was sent is changed from here on. */
  received(value: unknown): void {
    if (this.#requestObject !== undefined || typeof value !== 'object' || value === null) return;
    this.#learn(value);
    if (!this.#keeps('Request')) return;
    const copy: unknown = JSON.parse(JSON.stringify(value));
    this.#requestObject = this.#plan.omitManagedFields ? withoutManagedFields(copy) : copy;
  }

  /** The answer, where it is one whole. */
  answered(reply: WholeReply): void {
    const code = 'code' in reply ? reply.code : 200;
    this.#responseStatus = { metadata: {}, code };
    if (reply.kind === 'text') return;
    const value = valueOf(reply);
    if (isStatus(value)) {
      const { status, message, reason, details } = value;
      this.#responseStatus = { metadata: {}, ...defined({ status, message, reason, details }), code };
    }
    if (this.#keeps('RequestResponse')) {
      this.#responseObject = this.#plan.omitManagedFields ? withoutManagedFields(value) : value;
    }
  }

  /** The answer goes on and on. */
  lasting(reply: Exclude<Reply, WholeReply>): void {
    this.#responseStatus = { metadata: {}, code: 'code' in reply ? reply.code : 200 };
  }

  /** Nobody knows who asked; `message` says how they tried. */
  unauthenticated(message: string): void {
    this.#responseStatus = { ...this.#responseStatus, metadata: {}, message };
  }

  /** What is known until now, as an event of this stage. */
  event(stage: AuditStage): AuditEvent {
    const { request, info, auditId, user, impersonation, annotations } = this.#exchange;
    const agent = request.header('user-agent');
    const addresses = sourceAddresses(request);
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.#plan.level,
      auditID: auditId,
      stage,
      requestURI: uriOf(request),
      verb: info.verb,
      user: userOf(this.#user),
      ...(user === this.#user ? {} : { impersonatedUser: userOf(user) }),
      ...(impersonation === undefined ? {} : { authenticationMetadata: { impersonationConstraint: impersonation } }),
      ...(addresses.length === 0 ? {} : { sourceIPs: addresses }),
      ...(agent === '' ? {} : { userAgent: agent.length > AGENT_MAX ? agent.slice(0, AGENT_MAX) + TRUNCATED : agent }),
      ...defined({
        objectRef: this.#objectRef === undefined ? undefined : { ...this.#objectRef },
        responseStatus: this.#responseStatus,
        requestObject: this.#requestObject,
        responseObject: this.#responseObject,
      }),
      requestReceivedTimestamp: this.#receivedAt,
      stageTimestamp: formatMicroTime(this.#clock.now()),
      ...(annotations === undefined ? {} : { annotations: Object.fromEntries(annotations) }),
    };
  }

  #keeps(level: AuditLevel): boolean {
    return ORDER.indexOf(this.#plan.level) >= ORDER.indexOf(level);
  }

  /** A body names what its path does not. */
  #learn(value: object): void {
    const ref = this.#objectRef;
    const { metadata } = value as Partial<KubeObject>;
    if (ref === undefined || typeof metadata !== 'object' || metadata === null) return;
    for (const field of ['namespace', 'name', 'uid', 'resourceVersion'] as const) {
      const text: unknown = metadata[field];
      if (ref[field] === undefined && typeof text === 'string' && text !== '') ref[field] = text;
    }
  }
}

function refOf({ info }: Exchange): AuditObjectRef | undefined {
  if (!info.isResource) return undefined;
  const { resource, namespace, name, group: apiGroup, version: apiVersion, subresource } = info;
  return filled({ resource, namespace, name, apiGroup, apiVersion, subresource });
}

function userOf({ name: username, uid = '', groups, extra }: UserInfo): AuditUser {
  return {
    ...filled({ username, uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** Without empty texts, as Go leaves them out. */
function filled<T extends { readonly [field: string]: string }>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== '')) as Partial<T>;
}

function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}

function isStatus(value: object): value is Status {
  return 'kind' in value && value.kind === 'Status';
}

/** Of an object, or of the objects of a list; what is given stays as it is. */
function withoutManagedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { metadata, items } = value as { readonly metadata?: unknown; readonly items?: unknown };
  if (Array.isArray(items)) return { ...value, items: items.map(withoutManagedFields) };
  if (typeof metadata !== 'object' || metadata === null || !('managedFields' in metadata)) return value;
  const { managedFields: _, ...rest } = metadata;
  return { ...value, metadata: rest };
}
