import type { DeviceClass, DeviceRequest, DeviceToleration, ResourceClaim } from '@binnacle/api/resource/v1';
import { parseQuantity } from '@binnacle/machinery';
import type { Amounts } from './capacity.ts';
import { ClaimError } from './errors.ts';

/** One way to meet a request. */
export interface Wish {
  /** As results name it: `request`, or `request/subrequest`. */
  readonly name: string;
  readonly className: string;
  readonly class: DeviceClass | undefined;
  /** Expressions that all have to hold, the class's first. */
  readonly expressions: readonly { readonly source: string; readonly of: string }[];
  /** How many devices; `all`: every one that it may have. */
  readonly count: number | 'all';
  readonly adminAccess: boolean;
  readonly tolerations: readonly DeviceToleration[];
  /** What it needs of a device's capacities. */
  readonly capacity: Amounts;
}

/** One request of a claim: the ways to meet it, the best first. */
export interface Request {
  readonly name: string;
  readonly wishes: readonly Wish[];
}

/** A claim holds no more devices than this. */
export const DEVICES_MAX = 32;

type Classes = (name: string) => DeviceClass | undefined;

/** What a claim asks for. Throws ClaimError. */
export function requestsOf(claim: ResourceClaim, classes: Classes): readonly Request[] {
  const { namespace = '', name: claimName = '' } = claim.metadata;
  return (claim.spec.devices.requests ?? []).map((request): Request => {
    if (request.exactly !== undefined) return { name: request.name, wishes: [wishOf(claim, request, classes)] };
    const subrequests = request.firstAvailable ?? [];
    if (subrequests.length === 0) {
      throw new ClaimError(`resource claim ${namespace}/${claimName}, request ${request.name}: unknown request type`);
    }
    const wishes = subrequests.map(({ name, ...exactly }) =>
      wishOf(claim, { name: `${request.name}/${name}`, exactly }, classes),
    );
    return { name: request.name, wishes };
  });
}

function wishOf(claim: ResourceClaim, { name, exactly }: DeviceRequest, classes: Classes): Wish {
  const { deviceClassName: className = '', selectors = [], allocationMode = 'ExactCount', count = 1 } = exactly ?? {};
  const { namespace = '', name: claimName = '' } = claim.metadata;
  if (className === '') throw new ClaimError(`request ${name}: unsupported request type`);
  if (allocationMode !== 'ExactCount' && allocationMode !== 'All') {
    const where = `claim ${namespace}/${claimName}, request ${name}`;
    throw new ClaimError(`${where}: unsupported count mode ${allocationMode}`);
  }
  const found = classes(className);
  const ofClass = (found?.spec.selectors ?? []).map(({ cel }, i) => ({
    source: cel?.expression ?? '',
    of: `class ${className}: selector #${i}`,
  }));
  const ofRequest = selectors.map(({ cel }, i) => ({
    source: cel?.expression ?? '',
    of: `claim ${namespace}/${claimName}: selector #${i}`,
  }));
  return {
    name,
    className,
    class: found,
    expressions: [...ofClass, ...ofRequest],
    count: allocationMode === 'All' ? 'all' : count,
    adminAccess: exactly?.adminAccess === true,
    tolerations: exactly?.tolerations ?? [],
    capacity: new Map(
      Object.entries(exactly?.capacity?.requests ?? {}).map(([key, amount]) => [key, parseQuantity(amount)]),
    ),
  };
}
