import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '@binnacle/api';
import type { FlowSchema, PriorityLevelConfiguration } from '@binnacle/api/flowcontrol/v1';
import { formatTime, messageOf } from '@binnacle/base';
import type { Timer } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ServerWorld } from '../ports/world.ts';
import type { FlowControl } from './flow-control.ts';
import { keepObjects } from './keep-objects.ts';
import type { SchemaFinding } from './priority-levels.ts';

const FIELD_MANAGER = 'api-priority-and-fairness-config-consumer-v1';
/** Servers that do not agree must not write against each other without end: one schema's status so often a minute. */
const STATUS_WRITES_PER_MINUTE = 6;
const MINUTE_MS = 60_000;
const RETRY_MS = 10_000;
/** Changes that come together are looked at together, and what we write ourselves only after a breath. */
const KEEP_PAUSE_MS = 1000;
/** Statuses go out together, so that the store makes few commits of them; so many, as anybody may make schemas. */
const WRITES_AT_ONCE = 16;

type FollowingWorld = Pick<ServerWorld, 'cache' | 'loopback' | 'update' | 'clock' | 'log'>;

/** Follows the objects of flow control: puts them to work, and keeps those that are the server's. */
export class FlowObjects {
  readonly #world: FollowingWorld;
  readonly #control: FlowControl;
  readonly #stops: (() => void)[];
  #soon: Timer | undefined;
  #later: Timer | undefined;
  #kept = false;
  #stopped = false;
  /** The latest, until somebody acts on them. */
  #findings: readonly SchemaFinding[] | undefined;
  #acting = false;
  #writes: { readonly at: number; readonly name: string }[] = [];
  /** Answers of writes under way, so that `stop` can wait for none to be lost. */
  readonly #pending = new Set<Promise<void>>();

  constructor(world: FollowingWorld, control: FlowControl) {
    this.#world = world;
    this.#control = control;
    const changed = (): void => this.#changed();
    this.#stops = [
      world.cache.follow(PRIORITY_LEVEL_CONFIGURATIONS, changed),
      world.cache.follow(FLOW_SCHEMAS, changed),
    ];
  }

  /** Writes what every server has; resolves when it is there. From then on it is kept. Call once requests are answered. */
  async start(): Promise<void> {
    await keepObjects(this.#world);
    this.#kept = true;
    this.#changed();
  }

  /** Whether `start` has done its work. */
  get kept(): boolean {
    return this.#kept;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#soon?.cancel();
    this.#later?.cancel();
    for (const stop of this.#stops) stop();
    await Promise.all(this.#pending);
  }

  #changed(): void {
    if (this.#stopped || this.#soon !== undefined) return;
    this.#soon = this.#world.clock.soon(() => {
      this.#soon = undefined;
      this.#digest();
    });
  }

  #digest(): void {
    const { cache } = this.#world;
    const levels = cache.list(PRIORITY_LEVEL_CONFIGURATIONS) as readonly PriorityLevelConfiguration[];
    const schemas = cache.list(FLOW_SCHEMAS) as readonly FlowSchema[];
    this.#findings = this.#control.configure(levels, schemas);
    if (this.#kept && !this.#acting) this.#run(() => this.#act());
  }

  #run(work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => {
        if (this.#stopped) return;
        this.#world.log.warn('flow control objects could not be kept', { reason: messageOf(error) });
        this.#again(RETRY_MS);
      })
      .finally(() => this.#pending.delete(running));
    this.#pending.add(running);
  }

  /** One round at a time: what changes meanwhile, and that is what we write ourselves above all, waits for the next. */
  async #act(): Promise<void> {
    this.#acting = true;
    try {
      for (let findings = this.#taken(); findings !== undefined; findings = this.#taken()) {
        await this.#actOn(findings);
      }
    } finally {
      this.#acting = false;
    }
  }

  #taken(): readonly SchemaFinding[] | undefined {
    const findings = this.#findings;
    this.#findings = undefined;
    return this.#stopped ? undefined : findings;
  }

  async #actOn(findings: readonly SchemaFinding[]): Promise<void> {
    if (this.#later === undefined && (await keepObjects(this.#world)) > 0) this.#again(KEEP_PAUSE_MS);
    for (let from = 0; from < findings.length; from += WRITES_AT_ONCE) {
      const some = findings.slice(from, from + WRITES_AT_ONCE);
      const written = await Promise.allSettled(some.map((finding) => this.#writeStatus(finding)));
      const failed = written.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
  }

  /** Looks at everything once more, after so long. */
  #again(delayMs: number): void {
    if (this.#later !== undefined || this.#stopped) return;
    const again = (): void => {
      this.#later = undefined;
      this.#changed();
    };
    this.#later = this.#world.clock.after(delayMs, again, { background: true });
  }

  async #writeStatus(finding: SchemaFinding): Promise<void> {
    const condition = danglingCondition(finding);
    const name = finding.schema.metadata.name ?? '';
    // As it is by now: it may have been written since it was looked at.
    const current = this.#world.cache.get(FLOW_SCHEMAS, '', name) as FlowSchema | undefined;
    if (current === undefined) return;
    const has = current.status?.conditions?.find(({ type }) => type === 'Dangling');
    const same = (field: 'status' | 'reason' | 'message'): boolean => has?.[field] === condition[field];
    if ((same('status') && same('reason') && same('message')) || this.#stopped) return;
    const { clock, loopback } = this.#world;
    const now = clock.monotonic();
    this.#writes = this.#writes.filter(({ at }) => now - at < MINUTE_MS);
    if (this.#writes.filter((one) => one.name === name).length >= STATUS_WRITES_PER_MINUTE) {
      this.#again(MINUTE_MS);
      return;
    }
    this.#writes.push({ at: now, name });
    const body = {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name },
      status: { conditions: [{ ...condition, lastTransitionTime: formatTime(clock.now()) }] },
    };
    const query = { fieldManager: FIELD_MANAGER, force: 'true' };
    try {
      const what = { verb: 'patch', patch: 'apply', resource: FLOW_SCHEMAS, name, subresource: 'status' } as const;
      await loopback.call({ ...what, query, body });
    } catch (error) {
      // It was deleted in between, which is told too.
      if (!status.isNotFound(error)) throw error;
    }
  }
}

/** Upstream's words about whether the level of a schema exists. */
export function danglingCondition({ schema, dangling }: SchemaFinding) {
  const { name } = schema.spec.priorityLevelConfiguration;
  const refers = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)}`;
  return dangling
    ? { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${refers} but there is no such object` }
    : { type: 'Dangling', status: 'False', reason: 'Found', message: `${refers} and it exists` };
}
