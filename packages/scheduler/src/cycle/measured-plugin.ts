import type { Spread, Tally } from '@binnacle/base';
import type { Code, ProfileMeter } from '../plan/profile-meter.ts';
import { codeOf } from '../plan/profile-meter.ts';
import type { NodeTest, Plugin, Refusal } from '../plan/framework.ts';

/** Of the nodes that a plugin is asked about for one pod so many are timed: thousands would tell nothing more. */
const NODES_TIMED = 8;

/** A plugin's own time at one point. */
class Timing {
  readonly #meter: ProfileMeter;
  readonly #plugin: string;
  readonly #point: string;
  readonly #spreads = new Map<Code, Spread>();

  constructor(meter: ProfileMeter, plugin: string, point: string) {
    this.#meter = meter;
    this.#plugin = plugin;
    this.#point = point;
  }

  get isOn(): boolean {
    return this.#meter.isSampled;
  }

  now(): number {
    return this.#meter.now();
  }

  took(code: Code, ms: number): void {
    let spread = this.#spreads.get(code);
    if (spread === undefined) {
      this.#spreads.set(code, (spread = this.#meter.execution(this.#plugin, this.#point, code)));
    }
    spread.observe(ms / 1_000);
  }
}

/**
 * The plugin, with what it does at PreFilter, Filter and Score counted, and now and then timed. Everything else of it is as it
 * was: what it has beside those is bound to the plugin itself.
 */
export function measuredPlugin(plugin: Plugin, meter: ProfileMeter): Plugin {
  const { name } = plugin;
  const measured = sameAs(plugin);
  if (plugin.preFilter !== undefined) measured.preFilter = measuredPreFilter(plugin, meter);
  if (plugin.filter !== undefined) measured.filter = measuredFilter(plugin, meter);
  if (plugin.score !== undefined) {
    const asked = evaluationsOf(meter, name, 'Score');
    const timing = new Timing(meter, name, 'Score');
    measured.score = (demand, snapshot, candidates) => {
      const began = timing.isOn ? timing.now() : 0;
      const score = plugin.score?.(demand, snapshot, candidates);
      if (score !== undefined) asked().count++;
      if (timing.isOn) timing.took('Success', timing.now() - began);
      return score;
    };
  }
  return measured;
}

function measuredPreFilter(plugin: Plugin, meter: ProfileMeter): NonNullable<Plugin['preFilter']> {
  const asked = evaluationsOf(meter, plugin.name, 'PreFilter');
  const timing = new Timing(meter, plugin.name, 'PreFilter');
  return (demand, snapshot) => {
    const { isOn } = timing;
    const began = isOn ? timing.now() : 0;
    const result = plugin.preFilter?.(demand, snapshot);
    if (result !== undefined) asked().count++;
    if (!isOn) return result;
    if (!(result instanceof Promise)) {
      timing.took(codeOf(result?.refusal), timing.now() - began);
      return result;
    }
    return result.then((found) => {
      timing.took(codeOf(found?.refusal), timing.now() - began);
      return found;
    });
  };
}

function measuredFilter(plugin: Plugin, meter: ProfileMeter): NonNullable<Plugin['filter']> {
  const asked = evaluationsOf(meter, plugin.name, 'Filter');
  const timing = new Timing(meter, plugin.name, 'Filter');
  return (demand, snapshot) => {
    const { isOn } = timing;
    const began = isOn ? timing.now() : 0;
    const test = plugin.filter?.(demand, snapshot);
    if (test !== undefined) asked().count++;
    if (!isOn || test === undefined) return test;
    return timedTest(test, timing, timing.now() - began);
  };
}

/** What it took to prepare the test counts for the first node. */
function timedTest(test: NodeTest, timing: Timing, preparedMs: number): NodeTest {
  let nodes = 0;
  return (slot): Refusal | undefined => {
    if (nodes >= NODES_TIMED) return test(slot);
    const began = timing.now();
    const refusal = test(slot);
    timing.took(codeOf(refusal), timing.now() - began + (nodes++ === 0 ? preparedMs : 0));
    return refusal;
  };
}

/** Made when it is first needed: a plugin that never has anything to say is not shown. */
function evaluationsOf(meter: ProfileMeter, plugin: string, point: string): () => Tally {
  let tally: Tally | undefined;
  return () => (tally ??= meter.evaluations(plugin, point));
}

/** All that a plugin has, also what its class gives it, as plain properties: it may have points that are not measured. */
function sameAs(plugin: Plugin): { -readonly [member in keyof Plugin]: Plugin[member] } {
  const same: { [member: string]: unknown } = {};
  for (let from: object | null = plugin; from !== null && from !== Object.prototype;) {
    for (const member of Object.getOwnPropertyNames(from)) {
      if (member === 'constructor' || member in same) continue;
      const value: unknown = Reflect.get(plugin, member);
      same[member] = typeof value === 'function' ? (value.bind(plugin) as unknown) : value;
    }
    from = Object.getPrototypeOf(from) as object | null;
  }
  return { ...same, name: plugin.name };
}
