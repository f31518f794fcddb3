import type { Secret, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import type { Ingress, IngressClass } from '@binnacle/api/networking/v1';
import { CertificateTable } from './certificate-table.ts';
import { classOf, isOurs } from './class-table.ts';
import { EndpointTable } from './endpoint-table.ts';
import type { Backend } from './endpoint-table.ts';
import type { CertificatePair, RouteAnswer, Traffic } from './ports.ts';
import { readIngress } from './read-ingress.ts';
import type { IngressRules } from './read-ingress.ts';
import { RouteTable } from './route-table.ts';

/** A Secret, and what the judge said of it once it was asked. */
interface KnownPair {
  readonly pair: CertificatePair;
  verdict?: { readonly refusal: string | undefined };
}

/** Why a pair cannot be served; undefined: it can. */
export type JudgePair = (pair: CertificatePair) => string | undefined;

const AMBIGUOUS = 'the path of this request can be read as another one, which is for somebody else\n';
const NO_RULE = 'no rule of an Ingress is for this request\n';
const NOBODY = 'nobody answers for this request now\n';

/** What the API has, in the shape in which requests ask for it. A change takes what its own Ingress does: nobody waits for others'. */
export class IngressState implements Traffic {
  readonly endpoints = new EndpointTable();
  readonly #judge: JudgePair;
  readonly #classes = new Set<string>();
  readonly #ingresses = new Map<string, Ingress>();
  readonly #pairs = new Map<string, KnownPair>();
  /** Of those that are ours, by `namespace/name`. */
  readonly #rules = new Map<string, IngressRules>();
  readonly #routes = new RouteTable();
  readonly #certificates = new CertificateTable();
  /** By `namespace/name`, those whose rules win first; undefined: to be sorted. */
  #order: readonly string[] | undefined;
  /** Whose turn it is, of each Service's port by itself: others' requests between two of it are nothing to its pods. */
  readonly #turns = new WeakMap<Backend, number>();
  /** With whom the next one begins that is new, as each is again when its pods change. */
  #turn = 0;

  constructor(judge: JudgePair) {
    this.#judge = judge;
  }

  setClass(one: IngressClass): void {
    const { name = '' } = one.metadata;
    const wasOurs = this.#classes.has(name);
    if (isOurs(one)) this.#classes.add(name);
    else this.#classes.delete(name);
    if (wasOurs !== isOurs(one)) this.#settleClass(name);
  }

  removeClass({ metadata: { name = '' } }: IngressClass): void {
    if (this.#classes.delete(name)) this.#settleClass(name);
  }

  setIngress(ingress: Ingress): void {
    const key = keyOf(ingress);
    const before = this.#ingresses.get(key);
    this.#ingresses.set(key, ingress);
    // Each of ten thousand is told where it is reached: that is nothing to requests.
    if (before === undefined || meaningOf(before) !== meaningOf(ingress)) this.#settle(key);
  }

  removeIngress(ingress: Ingress): void {
    const key = keyOf(ingress);
    this.#ingresses.delete(key);
    this.#settle(key);
  }

  /** By `namespace/name`, whoever's it is. */
  ingress(key: string): Ingress | undefined {
    return this.#ingresses.get(key);
  }

  setSecret(secret: Secret): void {
    const { data = {}, metadata } = secret;
    const key = keyOf(secret);
    const id = `${key} ${metadata.uid ?? ''} ${metadata.resourceVersion ?? ''}`;
    const pair = { id, certificate: data['tls.crt'] ?? '', key: data['tls.key'] ?? '' };
    // A cluster may have thousands, and to read a pair takes a millisecond: those that nobody names are never read.
    this.#pairs.set(key, { pair });
  }

  removeSecret(secret: Secret): void {
    this.#pairs.delete(keyOf(secret));
  }

  /** Ingresses of our classes; those whose rules win first. */
  get ours(): readonly Ingress[] {
    this.#order ??= [...this.#rules.values()].toSorted((a, b) => (a.age < b.age ? -1 : 1)).map(({ key }) => key);
    return this.#order.flatMap((key) => this.#ingresses.get(key) ?? []);
  }

  route(host: string, path: string): RouteAnswer {
    const target = this.#routes.route(host, path);
    if (target === 'ambiguous') return { kind: 'nowhere', status: 400, message: AMBIGUOUS };
    if (target === undefined) return { kind: 'nowhere', status: 404, message: NO_RULE };
    const backend = this.endpoints.find(target);
    if (backend.kind === 'nobody' || backend.places.length === 0)
      return { kind: 'nowhere', status: 503, message: NOBODY };
    const { places, protocol } = backend;
    // Each request begins with the next one.
    const first = (this.#turns.get(backend) ?? this.#turn++) % places.length;
    this.#turns.set(backend, first + 1);
    return {
      kind: 'places',
      places: first === 0 ? places : [...places.slice(first), ...places.slice(0, first)],
      protocol,
    };
  }

  certificateFor(serverName: string): CertificatePair | undefined {
    const known = this.#pairs.get(this.#certificates.secretFor(serverName) ?? '');
    return known === undefined || this.#refusalOf(known) !== undefined ? undefined : known.pair;
  }

  /** What of an Ingress of ours is not served, a sentence each. */
  problemsOf(ingress: Ingress): string[] {
    const { rules, fallback, tls } = readIngress(ingress);
    const targets = new Map([...rules.map(({ target }) => target), fallback].map((one) => [JSON.stringify(one), one]));
    const found = [...targets.values()].flatMap((target) => {
      const backend = target === undefined ? undefined : this.endpoints.find(target);
      return backend?.kind === 'nobody' ? [backend.why] : [];
    });
    for (const secret of new Set(tls.map((wish) => wish.secret))) {
      const known = this.#pairs.get(secret);
      const refusal = known && this.#refusalOf(known);
      if (known === undefined) found.push(`Secret ${secret} of type kubernetes.io/tls does not exist`);
      else if (refusal !== undefined) found.push(`Secret ${secret} is not served: ${refusal}`);
    }
    return found;
  }

  #refusalOf(known: KnownPair): string | undefined {
    known.verdict ??= { refusal: this.#judge(known.pair) };
    return known.verdict.refusal;
  }

  #settleClass(name: string): void {
    for (const [key, one] of this.#ingresses) if (classOf(one) === name) this.#settle(key);
  }

  /** Has requests know an Ingress as it is now. */
  #settle(key: string): void {
    const before = this.#rules.get(key);
    const ingress = this.#ingresses.get(key);
    const isServed =
      ingress?.metadata.deletionTimestamp === undefined && this.#classes.has((ingress && classOf(ingress)) ?? '');
    const rules = ingress !== undefined && isServed ? readIngress(ingress) : undefined;
    if (before !== undefined) {
      this.#routes.remove(before);
      this.#certificates.remove(before);
      this.#rules.delete(key);
    }
    if (rules !== undefined) {
      this.#routes.add(rules);
      this.#certificates.add(rules);
      this.#rules.set(key, rules);
    }
    if (before?.age !== rules?.age) this.#order = undefined;
  }
}

/** All of an Ingress that bears on whom requests go to. */
function meaningOf(ingress: Ingress): string {
  const { uid, creationTimestamp, deletionTimestamp } = ingress.metadata;
  return JSON.stringify([uid, creationTimestamp, deletionTimestamp, classOf(ingress), ingress.spec]);
}

function keyOf({ metadata: { namespace = '', name = '' } }: Ingress | Secret | Service | EndpointSlice): string {
  return `${namespace}/${name}`;
}
