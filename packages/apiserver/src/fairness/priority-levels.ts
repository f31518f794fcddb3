import { assert } from '@binnacle/base';
import type { FlowSchema, PriorityLevelConfiguration } from '@binnacle/api/flowcontrol/v1';
import { allocateSeats } from './allocate-seats.ts';
import { CATCH_ALL, EXEMPT, mandatoryObjects } from './default-objects.ts';
import { compileFlowSchema, FlowClassifier } from './flow-rules.ts';
import type { FlowRules } from './flow-rules.ts';
import { limitsOf, readLevel } from './level-settings.ts';
import type { LevelSettings } from './level-settings.ts';
import { PriorityLevel } from './priority-level.ts';

/** A flow schema whose level is or is not there. */
export interface SchemaFinding {
  readonly schema: FlowSchema;
  readonly dangling: boolean;
}

/** All priority levels, and which request is of which. Time is told to it, in seconds. */
export class PriorityLevels {
  readonly #seats: number;
  readonly #levels = new Map<string, PriorityLevel>();
  #classifier = new FlowClassifier([]);
  #catchAll: FlowRules;
  #fairFraction = 0;
  #nominalSum = 0;

  /** `seats`: of the whole server. Until it is configured there are the mandatory objects. */
  constructor(seats: number, now: number) {
    this.#seats = seats;
    this.#catchAll = mandatorySchema(CATCH_ALL);
    this.configure([], [], now);
  }

  get fairFraction(): number {
    return this.#fairFraction;
  }

  /** By name. */
  get all(): ReadonlyMap<string, PriorityLevel> {
    return this.#levels;
  }

  /** Which flow schema a request is of. There is always one. */
  classify(...[user, info]: Parameters<FlowClassifier['classify']>): FlowRules {
    return this.#classifier.classify(user, info) ?? this.#catchAll;
  }

  /** The level of a schema in use. */
  levelOf(schema: FlowRules): PriorityLevel {
    const level = this.#levels.get(schema.level);
    assert(level !== undefined, 'a flow schema in use has its level', { schema: schema.name, level: schema.level });
    return level;
  }

  /** The objects have changed. Answers which schemas refer to nothing; these are not used. */
  configure(
    levels: readonly PriorityLevelConfiguration[],
    schemas: readonly FlowSchema[],
    now: number,
  ): readonly SchemaFinding[] {
    const wanted = wantedLevels(levels);
    for (const settings of wanted.values()) {
      const known = this.#levels.get(settings.name);
      if (known === undefined) this.#levels.set(settings.name, new PriorityLevel(settings, now));
      else known.configure(settings, now);
    }
    for (const [name, level] of this.#levels) if (!wanted.has(name)) level.quiescing = true;
    this.#dropDrained();
    const findings = schemas.map((schema) => ({
      schema,
      dangling: !wanted.has(schema.spec.priorityLevelConfiguration.name),
    }));
    const used = findings.filter(({ dangling }) => !dangling).map(({ schema }) => compileFlowSchema(schema));
    const missing = [EXEMPT, CATCH_ALL].filter((name) => !used.some((rules) => rules.name === name));
    const complete = [...used, ...missing.map(mandatorySchema)];
    this.#catchAll = complete.find(({ name }) => name === CATCH_ALL) ?? this.#catchAll;
    this.#classifier = new FlowClassifier(complete);
    this.#divide(now);
    return findings;
  }

  /** A period of borrowing is over: seats go to where they are asked for. */
  adjust(now: number): void {
    this.#dropDrained();
    this.#divide(now);
  }

  /** Nominal seats by shares, then what each has for now. */
  #divide(now: number): void {
    let shares = 0;
    for (const { settings } of this.#levels.values()) shares += settings.shares;
    this.#nominalSum = 0;
    for (const level of this.#levels.values()) {
      level.limits = limitsOf(level.settings, { seats: this.#seats, shares });
      this.#nominalSum += level.limits.nominal;
      level.readDemand(now);
    }
    this.#lend(now);
  }

  #lend(now: number): void {
    const all = [...this.#levels.values()];
    let left = this.#nominalSum;
    for (const level of all.filter(({ exempt }) => exempt)) {
      level.target = Math.max(level.limits.lowest, level.demand.highest);
      left -= level.target;
      level.queues.setLimit(level.target, now);
    }
    const limited = all.filter(({ exempt }) => !exempt);
    const lowest = sum(limited.map(({ limits }) => limits.lowest));
    const needed = limited.map((level) => seatsNeeded(level));
    for (const [i, level] of limited.entries()) level.target = Math.max(needed[i] ?? 0, level.demand.smoothed);
    let seats: readonly number[];
    if (left <= sum(needed)) {
      // Too little even for what was used: everybody gives up the same part of what they need beyond the least.
      const part = left <= lowest ? 0 : (left - lowest) / (sum(needed) - lowest);
      seats = limited.map(({ limits }, i) => limits.lowest + ((needed[i] ?? 0) - limits.lowest) * part);
      this.#fairFraction = 0;
    } else {
      const claims = limited.map(({ limits, target }, i) => ({
        target,
        lowest: needed[i] ?? 0,
        highest: limits.highest,
      }));
      const allocation = allocateSeats(this.#nominalSum, claims);
      seats = allocation.seats;
      this.#fairFraction = allocation.fairFraction;
    }
    for (const [i, level] of limited.entries()) level.queues.setLimit(Math.round(seats[i] ?? 0), now);
  }

  /** Levels without an object go when the last of their requests has. */
  #dropDrained(): void {
    for (const [name, level] of this.#levels) if (level.quiescing && level.queues.idle) this.#levels.delete(name);
  }
}

/** What a level keeps: what it used lately, but not more than its own and not less than it must keep. */
function seatsNeeded({ limits, demand }: PriorityLevel): number {
  return Math.max(limits.lowest, Math.min(limits.nominal, demand.highest));
}

function wantedLevels(levels: readonly PriorityLevelConfiguration[]): Map<string, LevelSettings> {
  const wanted = new Map<string, LevelSettings>();
  for (const object of levels) {
    const settings = readLevel(object);
    if (settings !== undefined) wanted.set(settings.name, settings);
  }
  for (const name of [EXEMPT, CATCH_ALL]) if (!wanted.has(name)) wanted.set(name, mandatoryLevel(name));
  return wanted;
}

function mandatoryLevel(name: string): LevelSettings {
  const object = mandatoryObjects().levels.find(({ metadata }) => metadata.name === name);
  const settings = object === undefined ? undefined : readLevel(object);
  assert(settings !== undefined, 'a mandatory level is well formed', { name });
  return settings;
}

function mandatorySchema(name: string): FlowRules {
  const object = mandatoryObjects().schemas.find(({ metadata }) => metadata.name === name);
  assert(object !== undefined, 'there is a mandatory flow schema of this name', { name });
  return compileFlowSchema(object);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
