import type { HttpCaller } from '@binnacle/base';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Reply } from '../catalogue/definition.ts';
import type { OwnCalls } from '../ports/world.ts';
import type { Exchange } from '../request/exchange.ts';
import { ApiServices } from './api-services.ts';
import type { ApiServicesWorld } from './api-services.ts';
import { passOn } from './pass-on.ts';
import type { PassOnWorld } from './pass-on.ts';
import type { FrontProxy } from './remote.ts';
import { Registrar } from './registrar.ts';
import { Remotes } from './remotes.ts';

export interface AggregationWorld extends Pick<ApiServicesWorld, 'cache' | 'random' | 'clock' | 'log' | 'measures'> {
  readonly catalogue: Pick<Catalogue, 'infos'>;
  /** How this server asks others for itself. Absent: it does not. */
  readonly http?: HttpCaller;
  /** How requests are passed on. Absent: they are not. */
  readonly passing?: HttpCaller;
  /** Absent: others do not know this server. */
  readonly frontProxy?: FrontProxy;
}

/** Other API servers behind this one: whose requests are theirs, and how they are known. */
export class Aggregation {
  readonly remotes = new Remotes();
  readonly #world: Omit<ApiServicesWorld, 'remotes' | 'update'> & PassOnWorld & Pick<AggregationWorld, 'catalogue'>;
  #services: ApiServices | undefined;
  #registrar: Registrar | undefined;

  constructor(world: AggregationWorld) {
    const { http, passing, frontProxy } = world;
    let name: string | undefined;
    const viaName = (): string => (name ??= `binnacle-${world.random.uuid()}`);
    this.#world = { ...world, http, passing, frontProxy, viaName };
  }

  /** Whether another server answers. Cheap where there are none. */
  covers({ info }: Exchange): boolean {
    return this.remotes.find(info) !== undefined;
  }

  /** Undefined: it is this server's. */
  serve(exchange: Exchange): Promise<Reply> | undefined {
    const remote = this.remotes.find(exchange.info);
    return remote === undefined ? undefined : passOn(this.#world, remote, exchange);
  }

  /** The caches stand, and the server can be called. */
  start(own: OwnCalls): void {
    this.#services = new ApiServices({ ...this.#world, ...own, remotes: this.remotes });
    this.#services.start();
  }

  /** Registers what this server serves itself; the first objects of the cluster are there. */
  async register(own: OwnCalls): Promise<void> {
    this.#registrar = new Registrar({ ...this.#world, ...own });
    await this.#registrar.start();
  }

  async stop(): Promise<void> {
    this.#services?.stop();
    await this.#registrar?.stop();
  }
}
