import { CatalogueError, randomBelow, SerialQueue } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { Store } from '@binnacle/store';
import { UNCOUNTED } from '../../../../ports/measures.ts';
import type { AllocationMeasures } from '../../../../ports/measures.ts';
import { decodePorts, encodePorts } from './port-bitmap.ts';
import type { PortRange } from './port-bitmap.ts';

/** Where every API server of the cluster, upstream's too, keeps which node ports are taken. */
const KEY = '/registry/ranges/servicenodeports';
/** How often another server may be faster before we give up. */
const ATTEMPTS = 32;

/** Why a port cannot be had; the messages are upstream's. */
export class NodePortError extends CatalogueError {
  constructor(code: 'allocated' | 'range' | 'full' | 'contention', range: PortRange) {
    const messages = {
      allocated: 'provided port is already allocated',
      range: `provided port is not in the valid range. The range of valid ports is ${range.first}-${range.last}`,
      full: 'range is full',
      contention: 'too many servers allocate node ports at the same time',
    };
    super(code, messages[code]);
  }
}

export interface NodePortWorld {
  readonly store: Pick<Store, 'range' | 'txn'>;
  readonly random: Random;
  readonly range: PortRange;
  /** The ports of the Services in the cache; they count as taken whatever the record says. */
  readonly portsInUse: () => Iterable<number>;
  /** Absent: nobody keeps score. */
  readonly measures?: Pick<AllocationMeasures, 'ports' | 'noPort'>;
}

interface Snapshot {
  readonly taken: Set<number>;
  readonly revision: number;
}

/**
 * Gives out node ports: one record in the store says which are taken, compare-and-swap decides between several API
 * servers, a queue between the calls of this one (docs/decisions/0051-service-allocation.md).
 */
export class NodePorts {
  readonly #world: NodePortWorld;
  readonly #changes = new SerialQueue();

  constructor(world: NodePortWorld) {
    this.#world = world;
  }

  get range(): PortRange {
    return this.#world.range;
  }

  /**
   * Takes the `wanted` ports and `count` more of its choice, all or none. Answers with the ones it chose.
   * Throws NodePortError.
   */
  claim(wanted: readonly number[], count: number, dryRun: boolean): Promise<readonly number[]> {
    const claimed = this.#claim(wanted, count, dryRun);
    return dryRun ? claimed : this.#counted(claimed, wanted.length);
  }

  /** Ports that are asked for fail together with those of our choice. */
  async #counted(claimed: Promise<readonly number[]>, wanted: number): Promise<readonly number[]> {
    const { measures = UNCOUNTED } = this.#world;
    try {
      const chosen = await claimed;
      measures.ports('static', wanted);
      measures.ports('dynamic', chosen.length);
      return chosen;
    } catch (error) {
      measures.noPort(wanted > 0 ? 'static' : 'dynamic');
      throw error;
    }
  }

  #claim(wanted: readonly number[], count: number, dryRun: boolean): Promise<readonly number[]> {
    const { range } = this.#world;
    const outside = wanted.some((port) => port < range.first || port > range.last);
    if (outside) return Promise.reject(new NodePortError('range', range));
    let chosen: readonly number[] = [];
    return this.#change(dryRun, (taken) => {
      if (wanted.some((port) => taken.has(port))) throw new NodePortError('allocated', range);
      for (const port of wanted) taken.add(port);
      chosen = this.#choose(taken, count);
    }).then(() => chosen);
  }

  free(ports: readonly number[]): Promise<void> {
    if (ports.length === 0) return Promise.resolve();
    return this.#change(false, (taken) => ports.forEach((port) => taken.delete(port)), ports);
  }

  /** Ports that the record calls taken and no Service has: what a server that died between two writes left behind. */
  async findOrphans(): Promise<number[]> {
    const { taken } = await this.#read();
    const used = new Set(this.#world.portsInUse());
    return [...taken].filter((port) => !used.has(port));
  }

  #choose(taken: Set<number>, count: number): number[] {
    const { range, random } = this.#world;
    const size = range.last - range.first + 1;
    const chosen: number[] = [];
    for (let i = 0; i < count; i++) {
      const start = randomBelow(random, size);
      let step = 0;
      while (step < size && taken.has(range.first + ((start + step) % size))) step++;
      if (step === size) throw new NodePortError('full', range);
      const port = range.first + ((start + step) % size);
      taken.add(port);
      chosen.push(port);
    }
    return chosen;
  }

  #change(dryRun: boolean, change: (taken: Set<number>) => void, except: readonly number[] = []): Promise<void> {
    return this.#changes.run(async () => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { taken, revision } = await this.#read();
        for (const port of this.#world.portsInUse()) if (!except.includes(port)) taken.add(port);
        change(taken);
        if (dryRun || (await this.#write({ taken, revision }))) return;
      }
      throw new NodePortError('contention', this.#world.range);
    });
  }

  async #read(): Promise<Snapshot> {
    const { kvs } = await this.#world.store.range({ key: KEY });
    const [record] = kvs;
    if (record === undefined) return { taken: new Set(), revision: 0 };
    return { taken: decodePorts(record.value, this.#world.range), revision: record.modRevision };
  }

  async #write({ taken, revision }: Snapshot): Promise<boolean> {
    const { succeeded } = await this.#world.store.txn({
      compare: [{ target: 'modRevision', key: KEY, result: 'equal', value: revision }],
      success: [{ type: 'put', key: KEY, value: encodePorts(taken, this.#world.range) }],
      failure: [],
    });
    return succeeded;
  }
}
