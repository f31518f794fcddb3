import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { Reply, WholeReply } from '../catalogue/definition.ts';
import { CounterFamily } from '../observe/series.ts';
import type { AuditSink, AuditStage } from '../ports/audit.ts';
import { NOBODY } from '../request/exchange.ts';
import type { Exchange } from '../request/exchange.ts';
import { AuditTrail } from './audit-trail.ts';
import { watchEnd } from './lasting-reply.ts';
import type { AuditPolicy } from './policy.ts';

/** Subresources whose answers last as long as the caller likes (upstream's list). */
const LASTING_VERBS: ReadonlySet<string> = new Set(['watch', 'proxy']);
const LASTING: ReadonlySet<string> = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/** What is recorded, and where that goes. */
export interface AuditOptions {
  readonly policy: AuditPolicy;
  /** `lost`: counts events that a sink loses after it has taken them. */
  readonly sinks: (lost: (plugin: string, events: number) => void) => readonly AuditSink[];
}

/** Records requests as the policy says: makes the events of their stages and hands them to the sinks. */
export class Auditor {
  readonly #policy: AuditPolicy;
  readonly #sinks: readonly AuditSink[];
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: Logger;
  readonly #events = new CounterFamily({ name: 'apiserver_audit_event_total', help: 'Events of audit.', labels: [] });
  readonly #errors = new CounterFamily({
    name: 'apiserver_audit_error_total',
    help: 'Events of audit that were lost.',
    labels: ['plugin'],
  });
  readonly #levels = new CounterFamily({
    name: 'apiserver_audit_level_total',
    help: 'Requests by how much of them is recorded.',
    labels: ['level'],
  });
  readonly #rejected = new CounterFamily({
    name: 'apiserver_audit_requests_rejected_total',
    help: 'Requests refused because they could not be recorded.',
    labels: [],
  });

  constructor({ policy, sinks }: AuditOptions, { clock, log }: { clock: Pick<Clock, 'now'>; log: Logger }) {
    this.#policy = policy;
    this.#sinks = sinks((plugin, events) => this.#errors.add([plugin], events));
    this.#clock = clock;
    this.#log = log;
  }

  /** Who asks is known: begins the request's trail. Throws 500 where the policy's sinks are strict and fail. */
  begin(exchange: Exchange): void | Promise<void> {
    const trail = this.#trailOf(exchange, exchange.user);
    if (trail === undefined) return;
    exchange.audit = trail;
    const refuse = (): never => {
      this.#rejected.add([]);
      throw status.internalError('failed to store audit event');
    };
    const kept = this.#emit(trail, 'RequestReceived');
    if (kept instanceof Promise) return kept.then((fine) => void (fine || refuse()));
    if (!kept) refuse();
  }

  /** The request has its answer; a promise where the caller has to wait until that is recorded. Never throws. */
  finish(exchange: Exchange, reply: Reply, failed: 'panic' | undefined): Reply | Promise<Reply> {
    const { audit: trail } = exchange;
    if (!(trail instanceof AuditTrail)) return this.#finishUnknown(exchange, reply);
    if (reply.kind === 'watch' || reply.kind === 'stream' || reply.kind === 'upgrade') {
      trail.lasting(reply);
      const ended = watchEnd(reply, () => {
        const kept = this.#emit(trail, 'ResponseComplete');
        // Never rejects: what is lost is counted.
        if (kept instanceof Promise) void kept;
      });
      return after(this.#emit(trail, 'ResponseStarted'), ended);
    }
    trail.answered(reply);
    if (failed === 'panic') return after(this.#emit(trail, 'Panic'), reply);
    const started = isLasting(exchange) ? this.#emit(trail, 'ResponseStarted') : true;
    if (!(started instanceof Promise)) return after(this.#emit(trail, 'ResponseComplete'), reply);
    return started.then(() => this.#emit(trail, 'ResponseComplete')).then(() => reply);
  }

  /** Lines of Prometheus' text form. */
  render(out: string[]): void {
    for (const family of [this.#events, this.#errors, this.#levels, this.#rejected]) family.render(out);
  }

  async close(): Promise<void> {
    await Promise.all(this.#sinks.map((sink) => sink.close()));
  }

  /** It failed before anybody found out who asked: one event says that. */
  #finishUnknown(exchange: Exchange, reply: Reply): Reply | Promise<Reply> {
    if (exchange.user !== NOBODY || !isWhole(reply) || !('code' in reply)) return reply;
    const trail = this.#trailOf(exchange, undefined);
    if (trail === undefined) return reply;
    trail.answered(reply);
    if (reply.code === 401) trail.unauthenticated(triedBy(exchange));
    return after(this.#emit(trail, 'ResponseStarted'), reply);
  }

  #trailOf(exchange: Exchange, user: Exchange['user'] | undefined): AuditTrail | undefined {
    const plan = this.#policy.planFor(user, exchange.info);
    this.#levels.add([plan.level]);
    return plan.level === 'None' ? undefined : new AuditTrail(plan, exchange, this.#clock);
  }

  /** Whether the request may go on. */
  #emit(trail: AuditTrail, stage: AuditStage): boolean | Promise<boolean> {
    if (trail.omits(stage)) return true;
    const events = [trail.event(stage)];
    this.#events.add([]);
    let fine = true;
    const waiting: Promise<void>[] = [];
    for (const sink of this.#sinks) {
      const lost = (error: unknown): void => {
        this.#errors.add([sink.name]);
        this.#log.warn('an audit event was lost', { sink: sink.name, stage, reason: messageOf(error) });
        if (sink.strict && stage === 'RequestReceived') fine = false;
      };
      try {
        const written = sink.write(events);
        if (written !== undefined) waiting.push(written.catch(lost));
      } catch (error) {
        lost(error);
      }
    }
    return waiting.length === 0 ? fine : Promise.all(waiting).then(() => fine);
  }
}

function after<T>(kept: boolean | Promise<boolean>, value: T): T | Promise<T> {
  return kept instanceof Promise ? kept.then(() => value) : value;
}

function isWhole(reply: Reply): reply is WholeReply {
  return reply.kind !== 'watch' && reply.kind !== 'stream' && reply.kind !== 'upgrade';
}

function isLasting({ info }: Exchange): boolean {
  return info.isResource && (LASTING_VERBS.has(info.verb) || LASTING.has(info.subresource));
}

function triedBy({ request }: Exchange): string {
  const { certificate, foreignCertificate, bearerToken = '' } = request.credentials;
  const ways: string[] = [];
  if (bearerToken !== '') ways.push('bearer');
  if (certificate !== undefined || foreignCertificate === true) ways.push('x509');
  if (ways.length === 0) return 'Authentication failed, no credentials provided';
  return `Authentication failed, attempted: ${ways.join(', ')}`;
}
