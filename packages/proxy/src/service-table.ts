import { wellknown } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import type { ServiceRules } from '@binnacle/network';
import { uniteSlices } from './endpoints.ts';
import { healthCheckOf } from './health-checks.ts';
import type { HealthCheck } from './health-checks.ts';
import type { EndpointsByPort } from './endpoints.ts';
import { roomFor } from './room-for.ts';
import { rulesOfService } from './service-rules.ts';
import type { RuleNode } from './service-rules.ts';

/** Who carries it is served by another proxy, as `service.kubernetes.io/service-proxy-name` asks. */
const OTHER_PROXY = 'service.kubernetes.io/service-proxy-name';

/** One Service with its slices. */
interface Known {
  service: Service | undefined;
  readonly slices: Map<string, EndpointSlice>;
  /** As they were told last. */
  rules: ReadonlyMap<string, string>;
  /** How many ports were left out then. */
  leftOut: number;
}

/** Rules by their id; undefined: gone. */
export type RuleChanges = ReadonlyMap<string, ServiceRules | undefined>;

/** Services and slices as they come, and what of a node's rules they change. Nothing is computed before it is asked for. */
export class ServiceTable {
  readonly #known = new Map<string, Known>();
  readonly #dirty = new Set<string>();
  readonly #healthChecks = new Map<string, HealthCheck>();
  readonly #overfull: (service: Service, leftOut: number) => void;
  #node: RuleNode;

  /** `overfull`: hears of each Service that asks for more than a node has room for, and of how many of its ports are left out. */
  constructor(node: RuleNode, overfull: (service: Service, leftOut: number) => void = () => undefined) {
    this.#node = node;
    this.#overfull = overfull;
  }

  /** Whether something came since the last `changes`. */
  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** The node is like this now: its zone and addresses bear on everybody's rules. */
  setNode(node: RuleNode): void {
    if (JSON.stringify(node) === JSON.stringify(this.#node)) return;
    this.#node = node;
    for (const key of this.#known.keys()) this.#dirty.add(key);
  }

  setService(service: Service): void {
    const { namespace = '', name = '', labels = {} } = service.metadata;
    if (Object.hasOwn(labels, OTHER_PROXY)) return this.removeService(service);
    this.#touch(`${namespace}/${name}`).service = service;
  }

  removeService({ metadata: { namespace = '', name = '' } }: Pick<Service, 'metadata'>): void {
    const known = this.#known.get(`${namespace}/${name}`);
    if (known?.service === undefined) return;
    known.service = undefined;
    this.#dirty.add(`${namespace}/${name}`);
  }

  setSlice(slice: EndpointSlice): void {
    const key = serviceKey(slice);
    if (key !== undefined) this.#touch(key).slices.set(slice.metadata.name ?? '', slice);
  }

  removeSlice(slice: EndpointSlice): void {
    const key = serviceKey(slice);
    if (key !== undefined && this.#known.get(key)?.slices.delete(slice.metadata.name ?? '') === true)
      this.#dirty.add(key);
  }

  /** The rules that are not as they were told last. */
  changes(): RuleChanges {
    const changes = new Map<string, ServiceRules | undefined>();
    for (const key of this.#dirty) this.#change(key, changes);
    this.#dirty.clear();
    return changes;
  }

  /** All rules, as if none had been told before. */
  all(): ReadonlyMap<string, ServiceRules> {
    for (const [key, known] of this.#known) {
      known.rules = new Map();
      this.#dirty.add(key);
    }
    const rules = new Map<string, ServiceRules>();
    for (const [id, rule] of this.changes()) if (rule !== undefined) rules.set(id, rule);
    return rules;
  }

  /** The health checks that Services asked for when rules were told last, by the Service's key. */
  get healthChecks(): ReadonlyMap<string, HealthCheck> {
    return this.#healthChecks;
  }

  #unite(known: Known, wants: (key: string) => boolean): EndpointsByPort {
    return uniteSlices(known.slices.values(), this.#node, wants);
  }

  #change(key: string, changes: Map<string, ServiceRules | undefined>): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    const { service, leftOut: leftOutBefore } = known;
    // Of slices that no Service is for nothing is made: one of a megabyte names millions of places.
    const room = service === undefined ? undefined : roomFor(service, known.slices.values());
    const endpoints = this.#unite(known, (port) => room?.keys.has(port) === true);
    const made = room === undefined ? [] : rulesOfService(room.service, endpoints, this.#node);
    known.leftOut = room?.leftOut ?? 0;
    if (service !== undefined && known.leftOut > 0 && leftOutBefore === 0) this.#overfull(service, known.leftOut);
    const check = service && healthCheckOf(service, endpoints);
    if (check === undefined) this.#healthChecks.delete(key);
    else this.#healthChecks.set(key, check);
    const told = new Map<string, string>();
    for (const rule of made) {
      const text = JSON.stringify(rule);
      told.set(rule.id, text);
      if (known.rules.get(rule.id) !== text) changes.set(rule.id, rule);
    }
    for (const id of known.rules.keys()) if (!told.has(id)) changes.set(id, undefined);
    known.rules = told;
    if (service === undefined && known.slices.size === 0) this.#known.delete(key);
  }

  #touch(key: string): Known {
    this.#dirty.add(key);
    let known = this.#known.get(key);
    if (known === undefined)
      this.#known.set(key, (known = { service: undefined, slices: new Map(), rules: new Map(), leftOut: 0 }));
    return known;
  }
}

function serviceKey({ metadata: { namespace = '', labels = {} } }: EndpointSlice): string | undefined {
  const name = labels[wellknown.LABEL_SERVICE_NAME];
  return name === undefined ? undefined : `${namespace}/${name}`;
}
