import type { DeviceClass, ResourceClaim, ResourceSlice } from '@binnacle/api/resource/v1';
import { formatQuantity } from '@binnacle/machinery';
import { allocateDevices } from '../devices/allocate.ts';
import type { Amounts } from '../devices/capacity.ts';
import { DescribedDevices } from '../devices/described-devices.ts';
import { DeviceInventory } from '../devices/inventory.ts';
import { requestsOf } from '../devices/requests.ts';
import { DeviceSelectors } from '../devices/selectors.ts';
import { givenDevices, makeClass } from './devices.ts';

const CLASSES: readonly DeviceClass[] = [
  makeClass('any'),
  makeClass('gpu', 'device.attributes["d.example.org"].kind == "gpu"'),
  makeClass('shared', 'device.allowMultipleAllocations'),
  makeClass('alone', '!device.allowMultipleAllocations'),
];

/** What a test hands the allocator. */
export interface Given {
  readonly slices: readonly ResourceSlice[];
  readonly claims: readonly ResourceClaim[];
  /** Devices that other claims have for themselves, by id. */
  readonly allocated?: readonly string[];
  /** What claims have of devices that they share: one each. */
  readonly shared?: readonly (readonly [id: string, consumed: { readonly [name: string]: string }])[];
  /** The search has taken long enough, from its beginning. */
  readonly isLate?: boolean;
  readonly labels?: { readonly [key: string]: string };
}

/** The devices of each claim on node `n`, as `request=device`; of shared ones with what is taken: `request=device(memory:2)`. */
export function allocate({
  slices,
  claims,
  allocated = [],
  shared = [],
  labels = {},
  isLate = false,
}: Given): readonly string[] | undefined {
  const inventory = new DeviceInventory(() => slices);
  const given = givenDevices(...allocated.map((id) => [id] as const), ...shared);
  const described = new DescribedDevices(new DeviceSelectors(), given);
  const chosen = allocateDevices(
    claims.map((claim) => ({
      claim,
      requests: requestsOf(claim, (name) => CLASSES.find(({ metadata }) => metadata.name === name)),
    })),
    {
      pools: inventory.poolsOf({ name: 'n', labels }),
      given,
      described: (wish, pool) => described.of(wish, pool),
      isLate: () => isLate,
    },
  );
  return chosen?.map((devices) =>
    devices.map(({ wish, device, share }) => `${wish.name}=${device.device.name}${partsOf(share)}`).join(' '),
  );
}

/** As `(memory:2)`. */
function partsOf(share: Amounts | undefined): string {
  if (share === undefined) return '';
  return `(${[...share].map(([name, amount]) => `${name}:${formatQuantity(amount)}`).join()})`;
}
