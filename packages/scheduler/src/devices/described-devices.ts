import { RecentTable } from '@binnacle/base';
import type { AllocatedDevices } from './allocated-devices.ts';
import { SelectorError } from './errors.ts';
import type { NodePool } from './inventory.ts';
import type { PoolDevice } from './pools.ts';
import type { Wish } from './requests.ts';
import type { DeviceSelectors } from './selectors.ts';

/** Sets of expressions whose devices are kept. */
const KEPT_MAX = 64;

/** The devices of a pool that some expressions hold for. */
interface Described {
  readonly devices: readonly PoolDevice[];
  /** Those of them that no claim had for itself when the pool had changed so often. */
  ungiven: { readonly devices: readonly PoolDevice[]; readonly changes: number } | undefined;
}

type PoolAnswers = WeakMap<readonly PoolDevice[], Described>;

/**
 * Which devices of a pool a wish describes. Pods of one sort wish for the same, on thousands of nodes each: the answer is kept
 * until the pool changes, and which of them are given away until a device of the pool is given or let go.
 */
export class DescribedDevices {
  readonly #selectors: DeviceSelectors;
  readonly #given: Pick<AllocatedDevices, 'isGiven' | 'changesOf'>;
  readonly #kept = new RecentTable<PoolAnswers>(KEPT_MAX);
  #last: { readonly wish: Wish; readonly pools: PoolAnswers } | undefined;

  constructor(selectors: DeviceSelectors, given: Pick<AllocatedDevices, 'isGiven' | 'changesOf'>) {
    this.#selectors = selectors;
    this.#given = given;
  }

  /** Those that the wish may get, in their order: given away or not where it asks for all, or only looks. Throws SelectorError. */
  of(wish: Wish, nodePool: NodePool): readonly PoolDevice[] {
    const described = this.#describedBy(wish, nodePool);
    if (wish.adminAccess || wish.count === 'all') return described.devices;
    const changes = this.#given.changesOf(nodePool.pool);
    if (described.ungiven?.changes !== changes) {
      const devices = described.devices.filter(({ id }) => !this.#given.isGiven(id));
      described.ungiven = { devices, changes };
    }
    return described.ungiven.devices;
  }

  #describedBy(wish: Wish, { devices }: NodePool): Described {
    // One wish is put to all nodes before the next one comes.
    if (this.#last?.wish !== wish) this.#last = { wish, pools: this.#poolsOf(wish) };
    const { pools } = this.#last;
    let described = pools.get(devices);
    if (described === undefined) {
      described = { devices: devices.filter((device) => this.#fits(wish.expressions, device)), ungiven: undefined };
      pools.set(devices, described);
    }
    return described;
  }

  #poolsOf({ expressions }: Wish): PoolAnswers {
    const signature = expressions.map(({ source }) => source).join('\0');
    let pools = this.#kept.get(signature);
    if (pools === undefined) this.#kept.set(signature, (pools = new WeakMap()));
    return pools;
  }

  #fits(expressions: Wish['expressions'], { driver, device }: PoolDevice): boolean {
    return expressions.every(({ source, of }) => {
      try {
        return this.#selectors.matches(source, driver, device);
      } catch (error) {
        if (error instanceof SelectorError) throw new SelectorError(`${of}: ${error.message}`, error);
        throw error;
      }
    });
  }
}
