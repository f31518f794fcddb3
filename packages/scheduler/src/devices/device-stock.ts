import { DEVICE_CLASSES, ExtendedResourceClasses, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { SelectableNode } from '@binnacle/api';
import type { DeviceClass } from '@binnacle/api/resource/v1';
import type { Handle } from '../handle.ts';
import { allocatedDevicesOf } from './allocated-devices.ts';
import type { AllocatedDevices } from './allocated-devices.ts';
import { SelectorError } from './errors.ts';
import { DeviceInventory } from './inventory.ts';
import type { PoolDevice } from './pools.ts';
import { DeviceSelectors } from './selectors.ts';

/** Devices of a class that a node reaches, and how many of them claims have. */
export interface DeviceCount {
  readonly total: number;
  readonly used: number;
}

const NONE: DeviceCount = { total: 0, used: 0 };

/** How many devices stand for an extended resource on each node, for whoever weighs nodes by them. */
export class DeviceStock {
  readonly #allocated: AllocatedDevices;
  readonly #classes: ExtendedResourceClasses;
  readonly #inventory: DeviceInventory;
  readonly #selectors = new DeviceSelectors();
  #changes = 0;

  constructor(handle: Handle) {
    const classes = handle.lister(DEVICE_CLASSES);
    const slices = handle.lister(RESOURCE_SLICES);
    const allocated = allocatedDevicesOf(handle.snapshot);
    this.#allocated = allocated;
    this.#classes = new ExtendedResourceClasses(() => classes.list());
    this.#inventory = new DeviceInventory(() => slices.list());
    classes.follow(() => {
      this.#classes.invalidate();
      this.#changes++;
    });
    slices.follow(() => {
      this.#inventory.invalidate();
      this.#changes++;
    });
    handle.lister(RESOURCE_CLAIMS).follow((before, after) => allocated.follow(before, after));
  }

  /** Another one: other counts. */
  get version(): string {
    return `${this.#changes}.${this.#allocated.version}`;
  }

  /** Counts the devices of the class that stands for a resource; undefined: none does. */
  of(resource: string): ((node: SelectableNode) => DeviceCount) | undefined {
    const found = this.#classes.of(resource);
    return found === undefined ? undefined : (node) => this.#count(found, node);
  }

  /** A class that cannot be asked about a device that is there counts for nothing on that node. */
  #count(of: DeviceClass, node: SelectableNode): DeviceCount {
    let total = 0;
    let used = 0;
    try {
      for (const { devices } of this.#inventory.poolsOf(node)) {
        for (const one of devices) {
          if (!this.#isOf(of, one)) continue;
          total++;
          if (this.#allocated.isGiven(one.id) || this.#allocated.sharesOf(one.id) !== undefined) used++;
        }
      }
    } catch (error) {
      if (error instanceof SelectorError) return NONE;
      throw error;
    }
    return { total, used };
  }

  #isOf({ spec }: DeviceClass, { driver, device }: PoolDevice): boolean {
    return (spec.selectors ?? []).every(
      ({ cel }) => cel === undefined || this.#selectors.matches(cel.expression, driver, device),
    );
  }
}
