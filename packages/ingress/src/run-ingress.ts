import { ENDPOINT_SLICES, INGRESS_CLASSES, INGRESSES, SECRETS, SERVICES } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import type { Ingress, IngressClass } from '@binnacle/api/networking/v1';
import { messageOf, sleep } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { cacheKey, createEventRecorder, createInformer, referenceTo } from '@binnacle/client';
import type { Client, ClientWorld, EventRecorder, SharedInformer } from '@binnacle/client';
import { isOurs } from './class-table.ts';
import { heldAddresses, statusFor } from './door-status.ts';
import type { DoorStates, HeldAddresses } from './door-status.ts';
import { IngressState } from './ingress-state.ts';
import type { DoorAnswer, DoorKind, Doors, Traffic } from './ports.ts';
import { StatusDesk } from './status-desk.ts';

/** An Ingress controller of one node. */
export interface IngressOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  /** The node's ports; they ask what they are given for each request. */
  readonly openDoors: (traffic: Traffic) => Doors;
  /** Where clients reach them, for `status.loadBalancer`. */
  readonly addresses: readonly string[];
}

/** A controller that runs until its scope ends. */
export interface RunningIngress {
  readonly state: IngressState;
  /** The doors as they stand. */
  readonly doors: DoorStates;
}

/** Changes are gathered this long. */
const GATHER_MS = 100;
/** A port that a program of the node had may be free again. */
const LOOK_AGAIN_MS = 30_000;
const KINDS: readonly DoorKind[] = ['http', 'https'];

/**
 * Follows Ingresses and classes, and, from the first Ingress of ours on, what they name; opens the doors while there is
 * one, and tells each Ingress where it is reached and what of it is not served.
 */
export function runIngress(options: IngressOptions): RunningIngress {
  const controller = new Controller(options);
  const { scope } = options;
  scope.run('ingress', (signal) => controller.run(signal));
  return controller;
}

class Controller implements RunningIngress {
  readonly state: IngressState;
  doors: DoorStates = {};
  readonly #options: IngressOptions;
  readonly #doors: Doors;
  readonly #events: EventRecorder;
  readonly #desk: StatusDesk;
  readonly #services: SharedInformer<Service>;
  readonly #ingresses: SharedInformer<Ingress>;
  readonly #first: readonly Pick<SharedInformer<never>, 'start' | 'whenSynced'>[];
  readonly #later: readonly Pick<SharedInformer<never>, 'start' | 'whenSynced'>[];
  #work = Promise.withResolvers<void>();
  #followed: Promise<unknown> | undefined;
  #held: { readonly [kind in DoorKind]?: HeldAddresses } = {};

  constructor(options: IngressOptions) {
    this.#options = options;
    const { client, world, scope } = options;
    // The doors judge certificates, and ask the state: neither can come first.
    this.state = new IngressState((pair) => this.#doors.refusalOf(pair));
    this.#doors = options.openDoors(this.state);
    this.#events = createEventRecorder({ client, world, scope, component: 'binnacle-ingress' });
    this.#desk = new StatusDesk(options, this.#events);
    this.#services = createInformer(client, SERVICES, world);
    this.#ingresses = this.#followIngresses();
    this.#first = [this.#ingresses, this.#followClasses()];
    this.#later = [this.#services, ...this.#followBackends()];
    scope.defer(() => this.#doors.close());
  }

  async run(signal: AbortSignal): Promise<void> {
    const { world, scope } = this.#options;
    for (const informer of this.#first) informer.start(scope);
    await Promise.all(this.#first.map((informer) => informer.whenSynced(signal)));
    this.#desk.adopt(this.#ingresses.list());
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      this.#work = Promise.withResolvers();
      const isSettled = await this.#settle(signal);
      // What changes in a row is gathered; then it waits to be woken.
      await sleep(world.clock, GATHER_MS, signal);
      const again = isSettled ? undefined : world.clock.after(LOOK_AGAIN_MS, () => this.#wake(), { background: true });
      await this.#work.promise;
      again?.cancel();
    }
  }

  /** Everything as it should be; false: something is to be tried again, though nothing changes. */
  async #settle(signal: AbortSignal): Promise<boolean> {
    const { ours } = this.state;
    try {
      if (ours.length > 0) await this.#followAll(signal);
      await this.#settleDoors(ours);
      const refusals = KINDS.flatMap((kind) => refusalsOf(kind, this.doors[kind], this.#held[kind]));
      await this.#desk.settle({
        ours,
        wanted: statusFor(this.#options.addresses, this.doors, this.#held),
        problemsOf: (ingress) => [...this.state.problemsOf(ingress), ...refusals],
        latest: (key) => this.state.ingress(key),
      });
      return refusals.length === 0;
    } catch (error) {
      if (signal.aborted) return true;
      this.#options.world.log.error(error, 'Ingresses are not as they should be', { reason: messageOf(error) });
      return false;
    }
  }

  async #settleDoors(ours: readonly Ingress[]): Promise<void> {
    if (ours.length === 0) {
      this.doors = {};
      this.#held = {};
      return this.#doors.close();
    }
    const { addresses } = this.#options;
    const states: { [kind in DoorKind]?: DoorAnswer } = {};
    const held: { [kind in DoorKind]?: HeldAddresses } = {};
    for (const kind of KINDS) {
      const holders = heldAddresses(this.#services.list(), this.#doors.ports[kind], addresses);
      // Packets for its port never come as far as a listener.
      const isNowhere = addresses.length > 0 && holders.size === new Set(addresses).size;
      states[kind] = isNowhere
        ? { refused: `it is given to Service ${[...new Set(holders.values())].join(', ')}` }
        : await this.#doors.open(kind);
      if (!isNowhere && holders.size > 0) held[kind] = holders;
    }
    this.#held = held;
    this.doors = states;
  }

  /** What Ingresses name, from the first one on. */
  async #followAll(signal: AbortSignal): Promise<void> {
    if (this.#followed === undefined) {
      for (const informer of this.#later) informer.start(this.#options.scope);
      this.#followed = Promise.all(this.#later.map((informer) => informer.whenSynced(signal)));
    }
    await this.#followed;
  }

  #wake(): void {
    this.#work.resolve();
  }

  #change<T>(act: (object: T) => void): (object: T) => void {
    return (object) => {
      act(object);
      this.#wake();
    };
  }

  #followIngresses(): SharedInformer<Ingress> {
    const { client, world } = this.#options;
    const informer = createInformer(client, INGRESSES, world);
    const set = this.#change((ingress: Ingress) => this.state.setIngress(ingress));
    informer.subscribe({
      add: set,
      update: (_before, after) => set(after),
      remove: this.#change((ingress) => {
        this.state.removeIngress(ingress);
        this.#desk.forget(cacheKey(ingress));
      }),
    });
    return informer;
  }

  #followClasses(): SharedInformer<IngressClass> {
    const { client, world } = this.#options;
    const informer = createInformer(client, INGRESS_CLASSES, world);
    const set = this.#change((one: IngressClass) => {
      this.state.setClass(one);
      this.#judgeClass(one);
    });
    informer.subscribe({
      add: set,
      update: (_before, after) => set(after),
      remove: this.#change((one) => this.state.removeClass(one)),
    });
    return informer;
  }

  #judgeClass(one: IngressClass): void {
    if (!isOurs(one) || one.spec?.parameters === undefined) return;
    const message = 'spec.parameters is not used: this controller has none';
    this.#events.event(referenceTo(INGRESS_CLASSES, one), 'Warning', 'ParametersNotUsed', message);
  }

  #followBackends(): readonly Pick<SharedInformer<never>, 'start' | 'whenSynced'>[] {
    const { client, world } = this.#options;
    const { endpoints } = this.state;
    this.#services.subscribe({
      add: this.#change((service) => endpoints.setService(service)),
      update: (_before, after) => this.#change(() => endpoints.setService(after))(after),
      remove: this.#change((service) => endpoints.removeService(service)),
    });
    const slices = createInformer(client, ENDPOINT_SLICES, world);
    slices.subscribe({
      add: (slice) => endpoints.setSlice(slice),
      update: (before, after) => {
        endpoints.removeSlice(before);
        endpoints.setSlice(after);
      },
      remove: (slice) => endpoints.removeSlice(slice),
    });
    const secrets = createInformer(client, SECRETS, world, { fieldSelector: 'type=kubernetes.io/tls' });
    secrets.subscribe({
      add: this.#change((secret) => this.state.setSecret(secret)),
      update: (_before, after) => this.#change(() => this.state.setSecret(after))(after),
      remove: this.#change((secret) => this.state.removeSecret(secret)),
    });
    return [slices, secrets];
  }
}

/** What of a door people do not get, a sentence each. */
function refusalsOf(kind: DoorKind, state: DoorAnswer | undefined, held: HeldAddresses | undefined): string[] {
  if (state !== undefined && 'refused' in state) return [`the port for ${kind} is not open: ${state.refused}`];
  return [...(held ?? [])].map(([address, holder]) => `the port for ${kind} of ${address} leads to Service ${holder}`);
}
