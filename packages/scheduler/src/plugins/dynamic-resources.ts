import {
  DEVICE_CLASSES,
  ExtendedResourceClasses,
  isClaimForResources,
  podOfResources,
  RESOURCE_CLAIMS,
  RESOURCE_SLICES,
} from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import { formatTime, messageOf } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import { allocationResult } from '../devices/allocation-result.ts';
import { allocatedDevicesOf } from '../devices/allocated-devices.ts';
import type { AllocatedDevices } from '../devices/allocated-devices.ts';
import { BindingWait } from '../devices/binding-wait.ts';
import { ClaimWriter } from '../devices/claim-writer.ts';
import { DeviceInventory } from '../devices/inventory.ts';
import { NO, NodeAnswers, YES } from '../devices/node-answers.ts';
import { DevicePlanner, isThere, NOT_ENOUGH, plannedNode, worthOf } from '../devices/planner.ts';
import { claimKeysOf, claimsOfPod, isIdleBut, keyOf } from '../devices/pod-claims.ts';
import { Reservation } from '../devices/reservations.ts';
import type { Handle, Lister, PluginFactory } from '../handle.ts';
import type { PodDemand } from '../plan/demand.ts';
import { scaleScores } from '../plan/framework.ts';
import type {
  ClusterEvent,
  EventReach,
  MaybePromise,
  NodeScore,
  NodeTest,
  Plugin,
  PostFilterResult,
  PreFilterResult,
  QueueingHint,
  Refusal,
} from '../plan/framework.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { argumentsOf } from './arguments.ts';
import { NOBODY, NODE_ALLOCATABLE, NODE_LABELS, OWN_UPDATE } from './queueing-hints.ts';
import { selectable } from './pod-volumes.ts';

const NAME = 'DynamicResources';
const REFUSALS_MAX = 1000;
/** Nodes refuse for few reasons: each is one object, however many nodes say it. Bounded: it starts over. */
const refusals = new Map<string, Refusal>();

function refusal(reason: string): Refusal {
  let known = refusals.get(reason);
  if (known !== undefined) return known;
  known = { plugin: NAME, reasons: [reason], unresolvable: true };
  if (refusals.size >= REFUSALS_MAX) refusals.clear();
  refusals.set(reason, known);
  return known;
}

const NO_NODE = refusal('resourceclaim not available on the node');
const TOO_FEW = refusal(NOT_ENOUGH.obstacle);

/** A claim has not the devices that it had: others may have them. */
const DEVICES_LET_GO: QueueingHint = {
  resource: RESOURCE_CLAIMS.resource,
  actions: ['update', 'delete'],
  reaches(event) {
    const { was, is } = changeOf(event);
    const held = was?.status?.allocation;
    // Others than before: what lay between was not seen.
    return held !== undefined && JSON.stringify(held) !== JSON.stringify(is?.status?.allocation) ? 'all' : NOBODY;
  },
};

const MADE_ANEW = 'deletion of ResourceClaim completed';
const NOTHING_TO_FREE = 'no new claims to deallocate';

/** Arguments of DynamicResources (kubescheduler.config.k8s.io/v1 DynamicResourcesArgs). */
export interface DynamicResourcesArgs {
  /** How long devices are looked for on one node; 0: as long as it takes. */
  readonly filterTimeoutMs?: number;
  /** How long devices that were chosen have to become ready for a pod. */
  readonly bindingTimeoutMs?: number;
}

const DEFAULTS: Required<DynamicResourcesArgs> = { filterTimeoutMs: 10_000, bindingTimeoutMs: 600_000 };

/** Index of claims: by the uid of the pod whose extended resources they are for. */
const BY_POD = 'extended-resources';

/**
 * Gives claims their devices: pods go where the devices of their claims are, or where free ones fit. Devices are chosen from
 * what drivers publish (ResourceSlices), by selectors in CEL, constraints, taints and counters that they share.
 */
class DynamicResources implements Plugin {
  readonly name = NAME;
  readonly wakesOn: readonly QueueingHint[] = [
    OWN_UPDATE,
    NODE_LABELS,
    // Where a node begins to offer a resource itself, no device has to be found.
    NODE_ALLOCATABLE,
    DEVICES_LET_GO,
    {
      resource: RESOURCE_CLAIMS.resource,
      actions: ['add', 'update', 'delete'],
      reaches: claimNames,
      waitsFor: ({ pod, uid }) => [...claimKeysOf(pod), uid],
      mayHelp: ({ pod }, event) => this.#isReady(pod, changeOf(event)),
    },
    // Where one goes, an older one by the same name of a resource takes its place.
    { resource: DEVICE_CLASSES.resource, actions: ['add', 'update', 'delete'] },
    { resource: RESOURCE_SLICES.resource, actions: ['add', 'update'] },
  ];
  readonly #handle: Handle;
  readonly #claims: Lister<ResourceClaim>;
  readonly #planner: DevicePlanner;
  readonly #allocated: AllocatedDevices;
  readonly #answers: NodeAnswers;
  readonly #writer: ClaimWriter;
  readonly #reservations = new Map<string, Reservation>();
  readonly #wait: BindingWait;

  constructor(handle: Handle, { filterTimeoutMs, bindingTimeoutMs }: Required<DynamicResourcesArgs>) {
    this.#handle = handle;
    const { clock } = handle;
    this.#allocated = allocatedDevicesOf(handle.snapshot);
    this.#claims = handle.lister(RESOURCE_CLAIMS, { [BY_POD]: podOfResources });
    const classes = handle.lister(DEVICE_CLASSES);
    const resources = new ExtendedResourceClasses(() => classes.list());
    const slices = handle.lister(RESOURCE_SLICES);
    const inventory = new DeviceInventory(() => slices.list());
    this.#answers = new NodeAnswers(this.#allocated, inventory);
    this.#wait = new BindingWait({
      clock,
      profile: handle.profile,
      measures: handle.devices,
      claimOf: (key) => this.#claims.get(key),
      timeoutMs: bindingTimeoutMs,
    });
    this.#planner = new DevicePlanner({
      claims: this.#claims,
      classes,
      resources,
      claimsForResources: (uid) => this.#claims.byIndex(BY_POD, uid),
      inventory,
      allocated: this.#allocated,
      isHopeless: (claim) => this.#wait.isHopeless(claim),
      watchTime: () => {
        const until = filterTimeoutMs === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + filterTimeoutMs;
        return () => clock.monotonic() > until;
      },
    });
    this.#writer = new ClaimWriter(handle.client);
    classes.follow(() => {
      resources.invalidate();
      this.#answers.forget();
    });
    slices.follow(() => inventory.invalidate());
    this.#claims.follow((before, after) => {
      this.#allocated.follow(before, after);
      const claim = after ?? before;
      if (claim !== undefined) this.#wait.look(claim);
    });
  }

  preEnqueue({ pod }: PodDemand): Refusal | undefined {
    if (!hasClaims(pod)) return undefined;
    const found = claimsOfPod(pod, (key) => this.#claims.get(key));
    return 'obstacle' in found ? refusal(found.obstacle) : undefined;
  }

  preFilter(demand: PodDemand): PreFilterResult | undefined {
    if (!this.#planner.concerns(demand)) return undefined;
    const wanted = this.#planner.wantedBy(demand);
    return 'obstacle' in wanted ? { refusal: refusal(wanted.obstacle) } : undefined;
  }

  filter(demand: PodDemand, { nodes }: Snapshot): NodeTest | undefined {
    if (!this.#planner.concerns(demand)) return undefined;
    const plan = this.#planner.planFor(demand);
    const likeness = this.#planner.likenessOf(demand);
    const answers = likeness === undefined ? undefined : this.#answers.of(likeness, nodes);
    if (answers?.areAllYes(nodes.size) === true) return undefined;
    return (slot) => {
      const known = answers?.at(slot);
      if (known === YES) return undefined;
      if (known === NO) return TOO_FEW;
      const node = plannedNode(nodes, slot);
      if (node === undefined) return NO_NODE;
      const found = plan(node);
      if (!('obstacle' in found)) {
        answers?.set(slot, YES);
        return undefined;
      }
      // Whatever else is wrong is told of this very pod and its claims.
      if (found === NOT_ENOUGH) answers?.set(slot, NO);
      return refusal(found.obstacle);
    };
  }

  score(demand: PodDemand, { nodes }: Snapshot): NodeScore | undefined {
    if (!hasClaims(demand.pod)) return undefined;
    const wanted = this.#planner.wantedBy(demand);
    const open = 'obstacle' in wanted ? [] : wanted.open;
    if (!open.some(({ requests }) => requests.some(({ wishes }) => wishes.length > 1))) return undefined;
    const plan = this.#planner.planFor(demand);
    return (slot) => {
      const node = plannedNode(nodes, slot);
      const found = node === undefined ? undefined : plan(node);
      return found === undefined || 'obstacle' in found ? 0 : worthOf(found);
    };
  }

  normalizeScore(scores: Float64Array, length: number): void {
    scaleScores(scores, length);
  }

  /** Claims with devices that no node of the pod's reaches are let go when nobody else has them: others may be found. */
  postFilter(demand: PodDemand, { nodes }: Snapshot): MaybePromise<PostFilterResult> {
    if (!this.#planner.concerns(demand)) return { message: NOTHING_TO_FREE };
    const wanted = this.#planner.wantedBy(demand);
    if ('obstacle' in wanted) return { message: NOTHING_TO_FREE };
    if (wanted.stale !== undefined) return this.#writer.remove(wanted.stale, {}).then(() => ({ message: MADE_ANEW }));
    const { pod } = demand;
    const stuck = wanted.allocated.find((claim) => {
      if (!isIdleBut(claim, pod)) return false;
      if (this.#wait.isHopeless(claim)) return true;
      return nodes.nodes.some((node) => node !== undefined && !isThere(claim, selectable(node)));
    });
    if (stuck === undefined) return { message: NOTHING_TO_FREE };
    const done = this.#writer.deallocate(stuck, {});
    return done.then((freed) => ({ message: freed ? 'deallocation of ResourceClaim completed' : NOTHING_TO_FREE }));
  }

  reserve(demand: PodDemand, nodeName: string): Refusal | undefined {
    if (!this.#planner.concerns(demand)) return undefined;
    const { nodes } = this.#handle.snapshot;
    const node = plannedNode(nodes, nodes.slotOf(nodeName) ?? -1);
    if (node === undefined) return NO_NODE;
    const plan = this.#planner.planFor(demand)(node);
    if ('obstacle' in plan) return refusal(plan.obstacle);
    const { clock, random } = this.#handle;
    const allocationTimestamp = formatTime(clock.now());
    const parts = { node: nodeName, allocationTimestamp, newShareId: () => random.uuid() };
    const { wanted, chosen, extended } = plan;
    const open = wanted.open.map(({ claim }, i) => ({
      claim,
      allocation: allocationResult(claim, chosen[i] ?? [], parts),
    }));
    const settled = wanted.allocated.map((claim) => ({ claim, allocation: undefined }));
    const resources = extended && {
      wish: extended.wish,
      allocation: allocationResult(extended.wish.claim, extended.chosen, parts),
    };
    this.#reservations.set(demand.uid, new Reservation(this.#allocated, { claims: [...settled, ...open], resources }));
    return undefined;
  }

  preBind({ pod, uid }: PodDemand, node: string, context: CallContext): MaybePromise<void> {
    const reservation = this.#reservations.get(uid);
    // What it was given devices for before may be there without them now.
    if (reservation === undefined && pod.status?.extendedResourceClaimStatus !== undefined) {
      return this.#writer.tell(pod, undefined, context);
    }
    return reservation === undefined ? undefined : this.#carryOut(pod, { reservation, node }, context);
  }

  unreserve({ pod, uid }: PodDemand): void {
    const reservation = this.#reservations.get(uid);
    this.#reservations.delete(uid);
    for (const { claim, allocation } of reservation?.withdraw() ?? []) {
      // Nothing changed in the API: whoever waits for the devices hears of it here alone.
      const before = { ...claim, status: { ...claim.status, allocation } };
      this.#handle.notify({ resource: RESOURCE_CLAIMS.resource, action: 'update', before, after: claim });
    }
    if (reservation?.isWritten !== true) return;
    // The controller of claims does the same once the pod is gone; the pod's next try comes here again.
    const failed = (claim: ResourceClaim, error: unknown): void =>
      this.#handle.log.info(2, 'a claim could not be given back', { claim: keyOf(claim), reason: messageOf(error) });
    this.#handle.scope.run(`unreserve claims of ${pod.metadata.name ?? ''}`, (signal) =>
      reservation.undo(pod, { writer: this.#writer, failed }, { signal }),
    );
  }

  postBind({ uid }: PodDemand): void {
    this.#reservations.delete(uid);
  }

  async #carryOut(
    pod: Pod,
    { reservation, node }: { readonly reservation: Reservation; readonly node: string },
    context: CallContext,
  ): Promise<void> {
    const settled = await reservation.write(pod, this.#writer, context);
    if (!this.#wait.concerns(settled)) return;
    const note = `waiting for binding conditions for device on node ${node}`;
    this.#handle.events.event(pod, 'Normal', 'BindingConditionsPending', note);
    await this.#wait.untilReady(settled, context);
  }

  /** A claim of the pod changed, and all that it needs are there. */
  #isReady(pod: Pod, { was, is }: ClaimChange): boolean {
    // Made for the pod, and taken away again: it may be made anew.
    if (was !== undefined && is === undefined && isClaimForResources(was, pod)) return true;
    if (is === undefined) return false;
    const found = claimsOfPod(pod, (key) => this.#claims.get(key));
    return !('obstacle' in found) && found.claims.some((claim) => claim.metadata.uid === is.metadata.uid);
  }
}

interface ClaimChange {
  readonly was: ResourceClaim | undefined;
  readonly is: ResourceClaim | undefined;
}

function changeOf({ before, after }: ClusterEvent): ClaimChange {
  return { was: before as ResourceClaim | undefined, is: after as ResourceClaim | undefined };
}

/** By these names pods wait for the claim: those that use it, and the one whose extended resources it is for. */
function claimNames(event: ClusterEvent): EventReach {
  const { was, is } = changeOf(event);
  const claim = is ?? was;
  return claim === undefined ? 'all' : [keyOf(claim), ...podOfResources(claim)];
}

function hasClaims(pod: Pod): boolean {
  return (pod.spec.resourceClaims ?? []).length > 0;
}

/** See DynamicResources. */
export const dynamicResources: PluginFactory = {
  name: NAME,
  create: (handle, args) => new DynamicResources(handle, argumentsOf<Required<DynamicResourcesArgs>>(args, DEFAULTS)),
};
