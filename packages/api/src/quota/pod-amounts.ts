import type { Container, ContainerStatus, Pod, ResourceRequirements } from '../generated/core-v1.ts';
import { isPodLevelResource } from '../core/resource-names.ts';
import { isSidecar } from '../core/pod/questions.ts';
import type { Quantity } from '@binnacle/machinery';
import { addTo, amountsFrom, raiseTo } from './amounts.ts';
import type { QuotaAmounts } from './amounts.ts';

type Amounts = Map<string, Quantity>;

type Field = 'requests' | 'limits';

/**
 * What a pod requests or is limited to, exactly: as `podRequests` counts, with what its containers have been given
 * and still use while a resize is under way. (KEP-1287.)
 */
export function podAmounts(pod: Pod, which: Field): QuotaAmounts {
  const given = new Map(
    [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].map((one) => [
      one.name,
      one,
    ]),
  );
  const cannotResize = pod.status?.conditions?.some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
  const amountsOf = (container: Container): QuotaAmounts => {
    return effective(container.resources, given.get(container.name), { which, cannotResize: cannotResize === true });
  };
  const total = containerAmounts(pod, amountsOf);
  if (hasPodLevelResources(pod)) {
    const whole = effective(pod.spec.resources, pod.status, { which, cannotResize: cannotResize === true });
    for (const [name, amount] of whole) {
      if (isPodLevelResource(name)) total.set(name, amount);
    }
  }
  addOverhead(total, pod, which);
  return total;
}

/** Whether the pod as a whole asks for something. */
export function hasPodLevelResources({ spec }: Pod): boolean {
  const names = [...Object.keys(spec.resources?.requests ?? {}), ...Object.keys(spec.resources?.limits ?? {})];
  return names.some(isPodLevelResource);
}

function containerAmounts({ spec }: Pod, amountsOf: (container: Container) => QuotaAmounts): Amounts {
  const total: Amounts = new Map();
  const sidecars: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const container of spec.containers ?? []) addTo(total, amountsOf(container));
  for (const container of spec.initContainers ?? []) {
    const amounts = amountsOf(container);
    if (isSidecar(container)) {
      addTo(total, amounts);
      addTo(sidecars, amounts);
      raiseTo(starting, sidecars);
      continue;
    }
    const beside = new Map(amounts);
    addTo(beside, sidecars);
    raiseTo(starting, beside);
  }
  raiseTo(total, starting);
  return total;
}

/** Of a container, or of a pod as a whole. */
function effective(
  wish: ResourceRequirements | undefined,
  status: Pick<ContainerStatus, 'allocatedResources' | 'resources'> | undefined,
  { which, cannotResize }: { readonly which: Field; readonly cannotResize: boolean },
): QuotaAmounts {
  const asked = amountsFrom(wish?.[which]);
  if (status?.resources === undefined) return asked;
  const most = cannotResize ? new Map<string, Quantity>() : asked;
  raiseTo(most, amountsFrom(status.resources[which]));
  if (which === 'requests') raiseTo(most, amountsFrom(status.allocatedResources));
  return most;
}

/** Nobody is limited by the overhead alone. */
function addOverhead(total: Amounts, { spec }: Pod, which: Field): void {
  for (const [name, amount] of amountsFrom(spec.overhead)) {
    const isLimited = (total.get(name)?.nano ?? 0n) !== 0n;
    if (which === 'requests' || isLimited) addTo(total, new Map([[name, amount]]));
  }
}
