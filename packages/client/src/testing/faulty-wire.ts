import { AbortedError } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { callEach, status } from '@binnacle/machinery';
import type {
  ApiCall,
  KubeObject,
  StatusError,
  WatchCall,
  WatchEvent,
  WatchHandle,
  WatchSink,
  Wire,
} from '@binnacle/machinery';
import { TransportError } from '../errors.ts';

/** What goes wrong with a call. `late`: the caller gets a cut connection, and the server does it afterwards. */
export type CallFault =
  | { readonly kind: 'refuse'; readonly error: StatusError }
  | { readonly kind: 'lose-request' }
  | { readonly kind: 'lose-reply' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'late'; readonly ms: number };

/** Faults on demand; every hook may be set and unset at any time. */
export interface WireFaults {
  call?: ((call: ApiCall) => CallFault | undefined) | undefined;
  /** How long the next watch events of a stream are held back, ms. */
  watchDelayMs?: (() => number) | undefined;
  /** Whether an event comes twice. */
  duplicate?: (() => boolean) | undefined;
}

/** A network in which things go wrong on demand, between clients and any API server. */
export interface FaultyNetwork {
  readonly faults: WireFaults;
  /** All calls so far, watches apart. */
  readonly calls: readonly ApiCall[];
  /** A client's connection over it. `kill` is what a dying process does: everything in flight is on its own. */
  connect(wire: Wire): Wire & { kill(): void };
  /** Ends every watch with an error (a cut connection unless told otherwise), or cleanly with `null`. */
  readonly cutWatches: (error?: Error | null) => void;
  /** Watches from this revision or before get 410 from now on. */
  forget(revision: number): void;
  readonly watchCount: number;
}

/** See FaultyNetwork; without faults, everything goes through as it is. */
export function createFaultyNetwork(clock: Clock): FaultyNetwork {
  const world: NetworkWorld = { clock, faults: {}, calls: [], watches: new Set(), forgotten: 0 };
  return {
    faults: world.faults,
    calls: world.calls,
    connect: (wire) => connect(world, wire),
    cutWatches: (error) => {
      const reason = error === undefined ? cut() : (error ?? undefined);
      for (const watch of world.watches) watch.end(reason);
    },
    forget: (revision) => {
      world.forgotten = revision;
    },
    get watchCount() {
      return world.watches.size;
    },
  };
}

/** A server that clients reach over a faulty network: itself, the network, and a first client's wire to it. */
export type NetworkedServer<Server> = Omit<Server, 'connect'> &
  Omit<FaultyNetwork, 'connect' | 'forget'> &
  Wire & {
    /** Another client's wire to the same server. */
    connect(): Wire & { kill(): void };
    /** Watches from before now get 410. */
    compact(): void;
  };

/** Puts a faulty network between a server and its clients. */
export function overFaultyNetwork<Server extends { connect(): Wire; revision(): number }>(
  server: Server,
  clock: Clock,
): NetworkedServer<Server> {
  const network = createFaultyNetwork(clock);
  const connectAnew = (): Wire & { kill(): void } => network.connect(server.connect());
  return {
    ...server,
    ...connectAnew(),
    faults: network.faults,
    calls: network.calls,
    cutWatches: network.cutWatches,
    connect: connectAnew,
    compact: () => network.forget(server.revision()),
    get watchCount() {
      return network.watchCount;
    },
  };
}

interface NetworkWorld {
  readonly clock: Clock;
  readonly faults: WireFaults;
  readonly calls: ApiCall[];
  readonly watches: Set<FaultyWatch>;
  forgotten: number;
}

function connect(world: NetworkWorld, wire: Wire): Wire & { kill(): void } {
  const mine = new Set<FaultyWatch>();
  let dead = false;
  const kill = (): void => {
    dead = true;
    for (const watch of mine) watch.end(new TransportError('cut', 'the process died'));
  };
  const alive = <T>(act: () => Promise<T>): Promise<T> =>
    dead ? Promise.reject(new TransportError('closed', 'the wire is closed')) : act();
  return {
    call: (call) => alive(() => callThrough({ world, wire }, call)),
    // Where nothing is to go wrong with calls they go together over the wire below, too.
    batch: (calls, settled) => {
      if (dead || world.faults.call !== undefined) {
        return callEach((call) => alive(() => callThrough({ world, wire }, call)), calls, settled);
      }
      world.calls.push(...calls);
      return wire.batch(calls, settled);
    },
    watch: (call, sink) => {
      const watch = new FaultyWatch(world, sink as WatchSink, () => {
        mine.delete(watch);
        world.watches.delete(watch);
      });
      mine.add(watch);
      world.watches.add(watch);
      watch.start(wire, call);
      return { stop: () => watch.end(undefined) };
    },
    raw: (call) => alive(() => wire.raw(call)),
    open: (call) => alive(() => wire.open(call)),
    close: () => {
      kill();
      return Promise.resolve();
    },
    kill,
  };
}

interface Sender {
  readonly world: NetworkWorld;
  readonly wire: Wire;
}

function callThrough({ world, wire }: Sender, call: ApiCall): Promise<unknown> {
  world.calls.push(call);
  const fault = world.faults.call?.(call);
  if (fault === undefined) return wire.call(call);
  return new Promise((resolve, reject) => {
    const { signal } = call;
    signal?.addEventListener('abort', () => reject(new AbortedError('call', signal.reason)), { once: true });
    const perform = (): void => {
      wire.call(call).then(resolve, reject);
    };
    switch (fault.kind) {
      case 'refuse':
        reject(fault.error);
        return;
      case 'lose-request':
        reject(cut());
        return;
      case 'lose-reply':
        reject(cut());
        perform();
        return;
      case 'delay':
        world.clock.after(fault.ms, perform);
        return;
      case 'late':
        reject(cut());
        world.clock.after(fault.ms, perform);
    }
  });
}

function cut(): TransportError {
  return new TransportError('cut', 'the connection was cut');
}

/** One watch stream: keeps the order, may be late, may stutter, ends once. */
class FaultyWatch {
  readonly #world: NetworkWorld;
  readonly #sink: WatchSink;
  readonly #ended: () => void;
  #handle: WatchHandle | undefined;
  #held: WatchEvent[] | undefined;
  #over = false;

  constructor(world: NetworkWorld, sink: WatchSink, ended: () => void) {
    this.#world = world;
    this.#sink = sink;
    this.#ended = ended;
  }

  start(wire: Wire, call: WatchCall): void {
    const from = Number(call.query?.['resourceVersion'] ?? '');
    if (from > 0 && from <= this.#world.forgotten) {
      queueMicrotask(() => this.end(status.expired(`too old resource version: ${from} (${this.#world.forgotten})`)));
      return;
    }
    this.#handle = wire.watch<KubeObject>(call, {
      events: (batch) => this.#take(batch),
      end: (error) => this.end(error),
    });
  }

  end(error: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#handle?.stop();
    this.#ended();
    this.#sink.end(error);
  }

  #take(batch: readonly WatchEvent[]): void {
    if (this.#over) return;
    const { duplicate, watchDelayMs } = this.#world.faults;
    const events = batch.flatMap((event) =>
      event.type !== 'BOOKMARK' && duplicate?.() === true ? [event, event] : [event],
    );
    if (this.#held !== undefined) {
      this.#held.push(...events);
      return;
    }
    const delay = watchDelayMs?.() ?? 0;
    if (delay <= 0) {
      this.#sink.events(events);
      return;
    }
    this.#held = events;
    this.#world.clock.after(delay, () => {
      const held = this.#held ?? [];
      this.#held = undefined;
      if (!this.#over) this.#sink.events(held);
    });
  }
}
