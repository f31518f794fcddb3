import {
  CSI_VOLUME_PREFIX,
  isNodeReady,
  NODES,
  parseCsiVolumeName,
  VOLUME_ATTACHMENTS,
  wellknown,
} from '@binnacle/api';
import type { AttachedVolume, Node, PersistentVolume } from '@binnacle/api/core/v1';
import type { VolumeAttachment } from '@binnacle/api/storage/v1';
import type { CountFigure } from '@binnacle/base';
import { actOnEach, referenceTo } from '@binnacle/client';
import type { EventRecorder } from '@binnacle/client';
import { PODS } from '@binnacle/api';
import { commitStatus, deleteIfThere, getOrUndefined } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { status } from '@binnacle/machinery';
import { recorderFor } from '../controller-kit.ts';
import type { AttachDetachOptions, ControllerKit } from '../controller-kit.ts';
import { forcedDetaches } from './figures.ts';
import { planAttachments } from './plan.ts';
import type { VolumeHost } from './plan.ts';
import { BY_NODE } from '../pods-by-node.ts';
import { blockedMessage } from './blocked-message.ts';
import { attachmentName, isManaged, reportedVolumes } from './volumes.ts';
import type { AttachableVolumes, VolumeCaches } from './volumes.ts';

/** A node that is not ready keeps what it uses for this long. */
const PATIENCE_MS = 6 * 60_000;
/** A driver that says nothing for this long is told of. */
const ATTACH_TIMEOUT_MS = 2 * 60_000;

interface Parts extends AttachDetachOptions {
  readonly kit: ControllerKit;
  readonly caches: VolumeCaches;
  readonly volumes: AttachableVolumes;
}

/**
 * Carries out what is decided for volumes. Attachments in the API are the state; kept here is only what nobody else keeps: since
 * when one is unwanted, which are let go, and what pods were told.
 */
export class AttachDetach {
  readonly #parts: Parts;
  readonly #events: EventRecorder;
  readonly #forced: CountFigure;
  /** Name of an attachment → since when no pod wants it. */
  readonly #unwanted = new Map<string, number>();
  /** Names of attachments that are not reported to their node any more. */
  readonly #released = new Set<string>();
  /** Volume → the nodes whose pods were told that they have to wait. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#forced = forcedDetaches(parts.kit.figures);
    this.#events = recorderFor(parts.kit, 'attachdetach-controller');
  }

  /** Attaches and detaches one volume. Answers the nodes whose report may have changed. */
  async syncVolume(name: string, context: SyncContext): Promise<readonly string[]> {
    const { kit, volumes } = this.#parts;
    const pods = volumes.podsFor(name);
    const attachments = volumes.attachmentsOf(name);
    const wanted = [...new Set(pods.map(({ spec }) => spec.nodeName ?? ''))];
    const regained = this.#noteWanted(wanted, attachments);
    const plan = planAttachments({
      wanted,
      attachments: attachments.map((one) => ({
        node: one.spec.nodeName,
        leaving: one.metadata.deletionTimestamp !== undefined,
        unwantedMs: kit.world.clock.monotonic() - (this.#unwanted.get(one.metadata.name ?? '') ?? 0),
      })),
      hosts: this.#hostsOf(name, attachments),
      exclusive: isExclusive(volumes.boundVolume(name)),
      patienceMs: this.#parts.forceDetach === false ? Number.POSITIVE_INFINITY : PATIENCE_MS,
    });
    const waits = [plan.againInMs, this.#waitForDriver(name, { attachments, wanted }, context)];
    for (const wait of waits) if (wait !== undefined) context.requeueAfter(wait);
    this.#tellBlocked(name, plan.blocked, context);
    const tasks = [
      ...plan.detach.map((leaving) => () => this.#detach(name, leaving, context)),
      ...plan.attach.map((node) => () => this.#attach(name, node, context)),
    ];
    await actOnEach(tasks, (task) => task());
    return regained;
  }

  /** Writes into a node's status what is attached to it. */
  async reportNode(name: string, context: SyncContext): Promise<void> {
    const { kit, caches } = this.#parts;
    const node = caches.nodes.get(name);
    if (node === undefined || !isManaged(node)) return;
    const writer = { client: kit.client.resource(NODES), context };
    await commitStatus(writer, node, (seen) => withAttached(seen, this.#attachedTo(name)));
  }

  /** Tells the pods that wait for a volume how its attachment went on. */
  tellPods(before: VolumeAttachment, after: VolumeAttachment): void {
    const attached = after.status?.attached === true && before.status?.attached !== true;
    const message = after.status?.attachError?.message ?? '';
    const failed = message !== '' && after.status?.attachError?.time !== before.status?.attachError?.time;
    if (!attached && !failed) return;
    const volume = this.#parts.volumes.ofAttachment(after);
    if (volume === undefined) return;
    const label = JSON.stringify(after.spec.source.persistentVolumeName ?? '');
    const event = attached
      ? {
          type: 'Normal' as const,
          reason: 'SuccessfulAttachVolume',
          text: `AttachVolume.Attach succeeded for volume ${label} `,
        }
      : {
          type: 'Warning' as const,
          reason: 'FailedAttachVolume',
          text: `AttachVolume.Attach failed for volume ${label} : ${message}`,
        };
    this.#tell(volume, [after.spec.nodeName], event);
  }

  /** An attachment is gone. */
  forget({ metadata: { name = '' } }: VolumeAttachment): void {
    this.#unwanted.delete(name);
    this.#released.delete(name);
  }

  /** Keeps since when each attachment is unwanted; answers the nodes of those that were let go and are wanted again. */
  #noteWanted(wanted: readonly string[], attachments: readonly VolumeAttachment[]): readonly string[] {
    const regained: string[] = [];
    for (const { metadata, spec } of attachments) {
      const name = metadata.name ?? '';
      if (wanted.includes(spec.nodeName)) {
        this.#unwanted.delete(name);
        if (metadata.deletionTimestamp === undefined && this.#released.delete(name)) regained.push(spec.nodeName);
      } else if (!this.#unwanted.has(name)) this.#unwanted.set(name, this.#parts.kit.world.clock.monotonic());
    }
    return regained;
  }

  #hostsOf(volume: string, attachments: readonly VolumeAttachment[]): ReadonlyMap<string, VolumeHost> {
    const hosts = new Map<string, VolumeHost>();
    for (const { spec } of attachments) {
      const node = this.#parts.caches.nodes.get(spec.nodeName);
      if (node === undefined) continue;
      hosts.set(spec.nodeName, {
        inUse: node.status?.volumesInUse?.includes(volume) === true,
        ready: isNodeReady(node),
        outOfService: isOutOfService(node),
      });
    }
    return hosts;
  }

  /** Pods hear of a driver that does not answer. Returns when to look again, ms. */
  #waitForDriver(
    volume: string,
    { attachments, wanted }: { readonly attachments: readonly VolumeAttachment[]; readonly wanted: readonly string[] },
    context: SyncContext,
  ): number | undefined {
    const { driver = '', handle = '' } = parseCsiVolumeName(volume) ?? {};
    const now = this.#parts.kit.world.clock.now();
    let wait: number | undefined;
    for (const { metadata, spec, status: state } of attachments) {
      const done = state?.attached === true || state?.attachError !== undefined;
      if (done || metadata.deletionTimestamp !== undefined || !wanted.includes(spec.nodeName)) continue;
      const left = Date.parse(metadata.creationTimestamp ?? '') + ATTACH_TIMEOUT_MS - now;
      wait = left > 0 ? left : ATTACH_TIMEOUT_MS;
      if (left > 0) continue;
      const why = `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${handle}`;
      const text = `AttachVolume.Attach failed for volume ${JSON.stringify(spec.source.persistentVolumeName ?? '')} : ${why}`;
      this.#tell(volume, [spec.nodeName], { type: 'Warning', reason: 'FailedAttachVolume', text, context });
    }
    return wait;
  }

  async #attach(volume: string, node: string, context: SyncContext): Promise<void> {
    const { kit, volumes } = this.#parts;
    const persistentVolumeName = volumes.boundVolume(volume)?.metadata.name;
    const attacher = parseCsiVolumeName(volume)?.driver;
    if (persistentVolumeName === undefined || attacher === undefined) return;
    const metadata = { name: attachmentName(volume, node) };
    const spec = { attacher, nodeName: node, source: { persistentVolumeName } };
    try {
      await kit.client.resource(VOLUME_ATTACHMENTS).create({ metadata, spec }, undefined, context);
    } catch (error) {
      if (!status.isAlreadyExists(error)) throw error;
    }
  }

  /**
   * First the node is told that it does not have the volume any more; from then on its kubelet mounts nothing of it. Whether it
   * does now is asked of the server, not of the cache.
   */
  async #detach(
    volume: string,
    { node, forced }: { node: string; forced: boolean },
    context: SyncContext,
  ): Promise<void> {
    const { kit, caches } = this.#parts;
    const name = attachmentName(volume, node);
    const attachment = caches.attachments.get(name);
    if (attachment === undefined) return;
    const nodes = kit.client.resource(NODES);
    this.#released.add(name);
    const fresh = await getOrUndefined(nodes, node, context);
    const inUse = (seen: Node | undefined): boolean => seen?.status?.volumesInUse?.includes(volume) === true;
    let kept = !forced && inUse(fresh);
    if (fresh !== undefined && !kept) {
      await commitStatus({ client: nodes, context }, fresh, (seen) => {
        kept = !forced && inUse(seen);
        return kept ? seen : withAttached(seen, this.#attachedTo(node));
      });
    }
    if (kept) {
      // Its kubelet was quicker; its next report is a new occasion.
      this.#released.delete(name);
      return;
    }
    const { uid } = attachment.metadata;
    const options = uid === undefined ? {} : { preconditions: { uid } };
    const writer = { client: kit.client.resource(VOLUME_ATTACHMENTS), context };
    if (!(await deleteIfThere(writer, name, options)) || !forced) return;
    const host = caches.nodes.get(node);
    this.#forced.add([host !== undefined && isOutOfService(host) ? 'out-of-service' : 'timeout']);
  }

  /** What the node has, by the name that it knows it under. */
  #attachedTo(node: string): readonly string[] {
    const { caches, volumes } = this.#parts;
    const found = caches.attachments.byIndex(BY_NODE, node).flatMap((one) => {
      const { deletionTimestamp, name = '' } = one.metadata;
      const reported = one.status?.attached === true && deletionTimestamp === undefined && !this.#released.has(name);
      return reported ? (volumes.ofAttachment(one) ?? []) : [];
    });
    return found.toSorted();
  }

  #tellBlocked(volume: string, blocked: readonly string[], context: SyncContext): void {
    const told = this.#told.get(volume) ?? new Set();
    if (blocked.length === 0) this.#told.delete(volume);
    else this.#told.set(volume, new Set(blocked));
    const { volumes } = this.#parts;
    const label = JSON.stringify(volumes.boundVolume(volume)?.metadata.name ?? '');
    const pods = volumes.podsFor(volume);
    for (const pod of pods) {
      const node = pod.spec.nodeName ?? '';
      if (!blocked.includes(node) || told.has(node)) continue;
      const others = pods.filter(({ spec }) => spec.nodeName !== node);
      const text = `Multi-Attach error for volume ${label} ${blockedMessage(pod, others)}`;
      this.#events.event(referenceTo(PODS, pod), 'Warning', 'FailedAttachVolume', text, context);
    }
  }

  #tell(
    volume: string,
    nodes: readonly string[],
    {
      type,
      reason,
      text,
      context,
    }: { type: 'Normal' | 'Warning'; reason: string; text: string; context?: SyncContext },
  ): void {
    for (const pod of this.#parts.volumes.podsFor(volume)) {
      if (!nodes.includes(pod.spec.nodeName ?? '')) continue;
      this.#events.event(referenceTo(PODS, pod), type, reason, text, context);
    }
  }
}

/** The node with these volumes of drivers attached, and what else it has as it is. */
function withAttached(node: Node, names: readonly string[]): Node {
  const others = (node.status?.volumesAttached ?? []).filter(({ name }) => !name.startsWith(CSI_VOLUME_PREFIX));
  const before = reportedVolumes(node);
  const same = before.length === names.length && names.every((name) => before.includes(name));
  if (same) return node;
  const volumesAttached: AttachedVolume[] = [...others, ...names.map((name) => ({ name, devicePath: '' }))];
  const { volumesAttached: _, ...rest } = node.status ?? {};
  return { ...node, status: volumesAttached.length === 0 ? rest : { ...rest, volumesAttached } };
}

function isOutOfService(node: Node): boolean {
  return node.spec.taints?.some(({ key }) => key === wellknown.TAINT_OUT_OF_SERVICE) === true;
}

/** One node at a time, when it says how it may be reached and none of that is for many. */
function isExclusive(volume: PersistentVolume | undefined): boolean {
  const modes = volume?.spec?.accessModes ?? [];
  return modes.length > 0 && !modes.includes('ReadWriteMany') && !modes.includes('ReadOnlyMany');
}
