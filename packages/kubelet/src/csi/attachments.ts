import { type Logger, messageOf } from '@binnacle/base';
import { csiAttachmentName, csiVolumeName } from '@binnacle/api';
import type { VolumeAttachment } from '@binnacle/api/storage/v1';
import { VolumeError, VolumeWait } from '../errors.ts';
import type { ObjectReader, ReferenceHolder } from '../ports.ts';
import type { Texts } from './csi-context.ts';
import type { CsiKey } from './csi-records.ts';

export interface AttachmentsOptions {
  readonly nodeName: string;
  /** Tells the API's Node what is in use; resolves once it has it. */
  readonly tell: () => Promise<void>;
  readonly log: Logger;
}

/**
 * The kubelet's half of attaching: it says what it uses (`volumesInUse`), waits until the controller says what is attached
 * (`volumesAttached`), and lets go only of what nobody uses. The controller detaches nothing that is in use.
 */
export class CsiAttachments {
  readonly #of: AttachmentsOptions;
  readonly #used = new Set<string>();
  /** What the API was told to be in use. */
  readonly #told = new Set<string>();

  /** Of the Node, for pods that wait: one each, and none for those that do not. */
  readonly #watchers = new WeakMap<ReferenceHolder, ReferenceHolder>();

  constructor(options: AttachmentsOptions) {
    this.#of = options;
  }

  /** By upstream's unique names, sorted. */
  get inUse(): readonly string[] {
    return [...this.#used].toSorted();
  }

  /**
   * What the driver's controller left for its node, once the volume is attached. Throws VolumeWait while it is not; the
   * holder is told when to ask again.
   */
  async require(key: CsiKey, of: { readonly objects: ObjectReader; readonly holder: ReferenceHolder }): Promise<Texts> {
    const name = csiVolumeName(key);
    this.#used.add(name);
    if (!this.#told.has(name)) {
      await this.#of.tell();
      this.#told.add(name);
    }
    await this.#awaitAttached(name, of);
    return contextOf(await this.#attachment(key, of.objects), key);
  }

  /** Nobody uses it any more. */
  release(key: CsiKey): void {
    const name = csiVolumeName(key);
    this.#told.delete(name);
    if (!this.#used.delete(name)) return;
    // Not waited for: it is told again with every status of the node.
    this.#of.tell().catch((error: unknown) => {
      this.#of.log.warn('Could not tell that a volume is no more in use', { name, reason: messageOf(error) });
    });
  }

  /** In use since before this kubelet. */
  recall(key: CsiKey): void {
    this.#used.add(csiVolumeName(key));
  }

  async #awaitAttached(
    name: string,
    { objects, holder }: { readonly objects: ObjectReader; readonly holder: ReferenceHolder },
  ): Promise<void> {
    const earlier = this.#watchers.get(holder);
    if (earlier !== undefined) objects.release(earlier);
    const watcher = {
      changed: (): void => {
        objects.release(watcher);
        holder.changed();
      },
    };
    this.#watchers.set(holder, watcher);
    const node = await objects.node(this.#of.nodeName, watcher);
    if (node?.status?.volumesAttached?.some((attached) => attached.name === name) === true) {
      objects.release(watcher);
      return;
    }
    throw new VolumeWait(name, `volume ${name} is not attached to this node yet`);
  }

  async #attachment(key: CsiKey, objects: ObjectReader): Promise<VolumeAttachment> {
    const name = csiAttachmentName(key, this.#of.nodeName);
    const found = await objects.volumeAttachment(name);
    if (found !== undefined) return found;
    throw new VolumeError(key.handle, `volume attachment ${name} of volume ${key.handle} not found`);
  }
}

function contextOf({ status }: VolumeAttachment, { handle }: CsiKey): Texts {
  const error = status?.attachError?.message;
  if (error !== undefined) throw new VolumeError(handle, error);
  if (status?.attached !== true) throw new VolumeError(handle, `volume attachment of ${handle} is not attached`);
  return status.attachmentMetadata ?? {};
}
