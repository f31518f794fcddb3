import type { NodeSelector, NodeSelectorTerm } from '@binnacle/api/core/v1';
import type { AllocationResult, Device, DeviceAllocationConfiguration, ResourceClaim } from '@binnacle/api/resource/v1';
import { formatQuantity } from '@binnacle/machinery';
import type { ChosenDevice } from './allocate.ts';
import type { Amounts } from './capacity.ts';

/** What else there is in a result. */
export interface ResultParts {
  /** For which the devices were chosen. */
  readonly node: string;
  readonly allocationTimestamp: string;
  /** Tells what claims have of one device apart: a UUID. */
  readonly newShareId: () => string;
}

/** What a claim's status says of the devices that were chosen for it. */
export function allocationResult(
  claim: ResourceClaim,
  chosen: readonly ChosenDevice[],
  { node, allocationTimestamp, newShareId }: ResultParts,
): AllocationResult {
  const results = chosen.map(({ wish, device, share }) => ({
    request: wish.name,
    driver: device.driver,
    pool: device.pool,
    device: device.device.name,
    ...(wish.adminAccess ? { adminAccess: true } : {}),
    ...(wish.tolerations.length === 0 ? {} : { tolerations: wish.tolerations }),
    ...(share === undefined ? {} : { shareID: newShareId(), ...consumption(share) }),
    ...bindingConditions(device.device),
  }));
  const config = [...classConfigurations(chosen), ...claimConfigurations(claim, chosen)];
  const nodeSelector = reachOf(chosen, node);
  return {
    devices: { results, ...(config.length === 0 ? {} : { config }) },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    allocationTimestamp,
  };
}

function consumption(share: Amounts): { readonly consumedCapacity?: { readonly [name: string]: string } } {
  if (share.size === 0) return {};
  return { consumedCapacity: Object.fromEntries([...share].map(([name, amount]) => [name, formatQuantity(amount)])) };
}

function bindingConditions({ bindingConditions: wanted = [], bindingFailureConditions: failures = [] }: Device) {
  return {
    ...(wanted.length === 0 ? {} : { bindingConditions: wanted }),
    ...(failures.length === 0 ? {} : { bindingFailureConditions: failures }),
  };
}

/** Those of a class once, for all requests of it. */
function classConfigurations(chosen: readonly ChosenDevice[]): readonly DeviceAllocationConfiguration[] {
  const requests = new Map<ChosenDevice['wish']['class'], Set<string>>();
  for (const { wish } of chosen) requests.set(wish.class, (requests.get(wish.class) ?? new Set()).add(wish.name));
  return [...requests].flatMap(([found, names]) =>
    (found?.spec.config ?? []).map((one) => ({ source: 'FromClass' as const, requests: [...names], ...one })),
  );
}

/** Those of the claim that concern what was chosen. */
function claimConfigurations(
  claim: ResourceClaim,
  chosen: readonly ChosenDevice[],
): readonly DeviceAllocationConfiguration[] {
  const names = new Set(chosen.flatMap(({ wish }) => [wish.name, wish.name.split('/')[0] ?? '']));
  return (claim.spec.devices.config ?? [])
    .filter(({ requests = [] }) => requests.length === 0 || requests.some((name) => names.has(name)))
    .map((one) => ({ source: 'FromClaim' as const, ...one }));
}

/** Nodes that reach all of the devices; undefined: every node does. */
function reachOf(chosen: readonly ChosenDevice[], node: string): NodeSelector | undefined {
  const terms: NodeSelectorTerm[] = [];
  for (const { device } of chosen) {
    const { nodeName = '', nodeSelector } = device.reach;
    // Some are made ready for one node, wherever they could be reached from before.
    const only = device.device.bindsToNode === true ? node : nodeName;
    if (only !== '') {
      const name = { key: 'metadata.name', operator: 'In' as const, values: [only] };
      return { nodeSelectorTerms: [{ matchFields: [name] }] };
    }
    terms.push(...(nodeSelector?.nodeSelectorTerms ?? []));
  }
  if (terms.length === 0) return undefined;
  // Each slice's selector has one term: all of them have to hold.
  const unique = [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
  const matchExpressions = unique.flatMap((term) => term.matchExpressions ?? []);
  const matchFields = unique.flatMap((term) => term.matchFields ?? []);
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
        ...(matchFields.length === 0 ? {} : { matchFields }),
      },
    ],
  };
}
