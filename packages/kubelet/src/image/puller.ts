import { formatGoDuration, messageOf } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { Container, Pod, Secret } from '@binnacle/api/core/v1';
import { ImagePullError, isImageName } from '@binnacle/runtime';
import type { ImageStatus, ImageUser, Runtime } from '@binnacle/runtime';
import { ContainerStartError } from '../errors.ts';
import type { ImageCredentials } from './credential-providers.ts';
import { type PodCredential, credentialsFor } from './credentials.ts';
import type { PullAccess } from './pull-access.ts';
import type { Backoff } from '../backoff.ts';
import type { PodEvents } from '../pod-events.ts';

/** What is known of an image, and who wants to know more. */
export interface EnsureOptions {
  /** Called when it will take a while. */
  readonly pulling?: () => void;
  /** As it was a moment ago; absent: the runtime is asked. */
  readonly known?: KnownImage | undefined;
}

/** An image as it is found, before anything is done for it. */
export interface KnownImage {
  readonly image: ImageStatus | undefined;
  /** It is there, and every pod may have it. */
  readonly isOpen: boolean;
}

export interface PullerOptions {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly events: PodEvents;
  readonly backoff: Backoff;
  /** A secret of the pod's namespace; undefined: there is none. */
  readonly secret: (pod: Pod, name: string) => Promise<Secret | undefined>;
  /** What the node itself knows; absent: nothing. */
  readonly nodeCredentials?: ImageCredentials | undefined;
  /** Who may have what is there already; absent: everybody, of a node without a disk. */
  readonly access?: PullAccess | undefined;
  /** Pulls at once; absent or 0: any number. */
  readonly parallelMax?: number;
}

interface About {
  readonly pod: Pod;
  readonly container: Container;
}

/** One pull of one container's. */
interface Wanted extends About {
  /** Read once, and only where it matters. */
  readonly own: () => Promise<readonly PodCredential[]>;
  readonly pulling: (() => void) | undefined;
}

/** Sees to it that a container's image is on the node, by its pull policy; pulls of one image are shared. */
export class ImagePuller {
  readonly #options: PullerOptions;
  readonly #pulls = new Map<string, Promise<number>>();
  #pulling = 0;
  /** Pulls that wait for others, in the order in which they came. */
  readonly #waiting: (() => void)[] = [];
  readonly #failures = new Map<string, { readonly at: number; readonly message: string }>();

  constructor(options: PullerOptions) {
    this.#options = options;
  }

  /**
   * The image's status once it is there. Throws ContainerStartError: ErrImageNeverPull, ErrImagePull,
   * ImagePullBackOff, InvalidImageName.
   */
  async ensure(pod: Pod, container: Container, of: EnsureOptions = {}): Promise<ImageStatus> {
    const image = container.image ?? '';
    if (!isImageName(image)) {
      const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
      this.#refuse({ pod, container }, ['InspectFailed', 'InvalidImageName'], message);
    }
    const isOpen = of.known?.isOpen === true;
    const present = of.known?.image ?? (await this.#present(pod, container));
    const policy = container.imagePullPolicy ?? 'IfNotPresent';
    if (policy === 'Never' && present === undefined) {
      const message = `Container image "${image}" is not present with pull policy of Never`;
      this.#refuse({ pod, container }, ['ErrImageNeverPull', 'ErrImageNeverPull'], message);
    }
    let read: Promise<readonly PodCredential[]> | undefined;
    const own = (): Promise<readonly PodCredential[]> => (read ??= this.#ownCredentials(pod, container));
    if (present !== undefined && policy !== 'Always') {
      const wanted = { pod: uidOf(pod), image, id: present.id, credentials: own };
      if (isOpen || (await this.#options.access?.mustPull(wanted)) !== true) {
        this.#say('Normal', { pod, container }, [
          'Pulled',
          `Container image "${image}" already present on machine and can be accessed by the pod`,
        ]);
        return present;
      }
      if (policy === 'Never') {
        const message = `Container image "${image}" is present with pull policy of Never but does not have the proper credentials to access the image`;
        this.#refuse({ pod, container }, ['ErrImageNeverPull', 'ErrImageNeverPull'], message);
      }
    }
    return this.#pull({ pod, container, own, pulling: of.pulling });
  }

  /** The image as the runtime has it now; nothing is pulled and nothing said, nor is anybody asked for credentials. */
  async look(pod: Pod, container: Container): Promise<KnownImage> {
    const { access } = this.#options;
    const image = await this.#present(pod, container);
    // Pulled whatever is known of it.
    if (image === undefined || container.imagePullPolicy === 'Always') return { image, isOpen: false };
    const wanted = { pod: uidOf(pod), image: container.image ?? '', id: image.id };
    return { image, isOpen: access === undefined || (await access.isOpen(wanted)) };
  }

  async #present(pod: Pod, { image = '' }: Container): Promise<ImageStatus | undefined> {
    return isImageName(image) ? this.#options.runtime.imageStatus(image, userOf(pod)) : undefined;
  }

  /** Milliseconds until a failed pull may be tried again. */
  retryIn(pod: Pod, container: Container): number {
    const key = keyOf(pod, container);
    const failure = this.#failures.get(key);
    return failure === undefined ? 0 : this.#options.backoff.remaining(key, failure.at, this.#options.clock.now());
  }

  async #pull({ pod, container, own, pulling }: Wanted): Promise<ImageStatus> {
    const { clock, backoff } = this.#options;
    const image = container.image ?? '';
    const key = keyOf(pod, container);
    const failed = this.#failures.get(key);
    if (failed !== undefined && backoff.remaining(key, failed.at, clock.now()) > 0) {
      this.#say('Normal', { pod, container }, ['BackOff', `Back-off pulling image "${image}"`]);
      this.#say('Warning', { pod, container }, ['Failed', 'Error: ImagePullBackOff']);
      throw new ContainerStartError('ImagePullBackOff', `Back-off pulling image "${image}": ${failed.message}`);
    }
    const ofPod = await own();
    this.#say('Normal', { pod, container }, ['Pulling', `Pulling image "${image}"`]);
    pulling?.();
    const began = clock.monotonic();
    const credential = await this.#pullAs({ pod, container }, ofPod);
    this.#failures.delete(key);
    backoff.forget(key);
    const took = formatGoDuration(Math.round(clock.monotonic() - began));
    const pulled = await this.#come(pod, image, credential);
    this.#say('Normal', { pod, container }, [
      'Pulled',
      `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${pulled?.sizeBytes ?? 0} bytes.`,
    ]);
    if (pulled === undefined) throw new ContainerStartError('ImageInspectError', `Failed to inspect image "${image}"`);
    return pulled;
  }

  /** As whom it was got; undefined: as nobody. Throws ContainerStartError; it is told then, and tried later. */
  async #pullAs(of: About, ofPod: readonly PodCredential[]): Promise<PodCredential | undefined> {
    const { access, nodeCredentials } = this.#options;
    const image = of.container.image ?? '';
    let hasBegun = false;
    try {
      const ofNode = (await nodeCredentials?.(image)) ?? [];
      const all = [...ofPod, ...ofNode.map((auth) => ({ auth }))];
      await access?.begin(image);
      hasBegun = true;
      return all[await this.#shared(image, of.pod, all)];
    } catch (error) {
      if (hasBegun) await access?.failed(image);
      return this.#fail(of.pod, of.container, error);
    }
  }

  /** What a pull has brought; undefined: nothing that the runtime knows of. */
  async #come(pod: Pod, image: string, credential: PodCredential | undefined): Promise<ImageStatus | undefined> {
    const { runtime, access } = this.#options;
    try {
      const come = await runtime.imageStatus(image, userOf(pod));
      if (come === undefined) await access?.failed(image);
      else await access?.pulled({ pod: uidOf(pod), image, id: come.id }, credential);
      return come;
    } catch (error) {
      access?.lost(image);
      throw error;
    }
  }

  async #ownCredentials(pod: Pod, container: Container): Promise<readonly PodCredential[]> {
    return credentialsFor(container.image ?? '', await this.#secrets(pod, container));
  }

  /** Those that there are; of others it is said, because the pull may fail for their want. */
  async #secrets(pod: Pod, container: Container): Promise<readonly Secret[]> {
    const names = (pod.spec.imagePullSecrets ?? []).map((secret) => secret.name ?? '');
    const found = await Promise.all(names.map((name) => this.#options.secret(pod, name)));
    const missing = names.filter((_, i) => found[i] === undefined);
    if (missing.length > 0)
      this.#say('Warning', { pod, container }, [
        'FailedToRetrieveImagePullSecret',
        `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`,
      ]);
    return found.filter((secret) => secret !== undefined);
  }

  /** Which of the credentials opened it; -1: there are none. Pods that want an image as the same user share its pull. */
  #shared(image: string, pod: Pod, credentials: readonly PodCredential[]): Promise<number> {
    const key = JSON.stringify([image, credentials.map(({ auth }) => auth)]);
    const running = this.#pulls.get(key);
    if (running !== undefined) return running;
    const pull = this.#inTurn(() => this.#tryAll(image, pod, credentials)).finally(() => this.#pulls.delete(key));
    this.#pulls.set(key, pull);
    return pull;
  }

  async #inTurn<T>(pull: () => Promise<T>): Promise<T> {
    const { parallelMax = 0 } = this.#options;
    if (parallelMax > 0 && this.#pulling >= parallelMax) {
      // Its turn is handed on: nobody comes in between.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#pulling++;
    try {
      return await pull();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#pulling--;
      else next();
    }
  }

  /** One after the other until one is let in: which one; the last one's refusal counts. Without any: as nobody, -1. */
  async #tryAll(image: string, pod: Pod, credentials: readonly PodCredential[]): Promise<number> {
    const { runtime } = this.#options;
    const last = credentials.length - 1;
    for (const [i, { auth }] of credentials.slice(0, -1).entries()) {
      try {
        await runtime.pullImage(image, userOf(pod), auth);
        return i;
      } catch (error) {
        if (!(error instanceof ImagePullError)) throw error;
      }
    }
    await runtime.pullImage(image, userOf(pod), credentials[last]?.auth);
    return last;
  }

  #fail(pod: Pod, container: Container, error: unknown): never {
    const image = container.image ?? '';
    const reason = error instanceof ImagePullError ? error.reason : 'ErrImagePull';
    const message = messageOf(error);
    const now = this.#options.clock.now();
    const key = keyOf(pod, container);
    this.#options.backoff.advance(key, now, now);
    // Those of pods that are gone are nobody's: they stand first.
    this.#failures.delete(key);
    this.#failures.set(key, { at: now, message: `${reason}: ${message}` });
    for (const [old, { at }] of this.#failures) {
      if (this.#options.backoff.remaining(old, at, now) > 0) break;
      this.#failures.delete(old);
    }
    this.#say('Warning', { pod, container }, ['Failed', `Failed to pull image "${image}": ${message}`]);
    this.#say('Warning', { pod, container }, ['Failed', `Error: ${reason}`]);
    throw new ContainerStartError(reason, message, error);
  }

  /** No pull was tried. Told twice, as upstream does: why, and as what the container waits. */
  #refuse(of: About, [told, reason]: [string, string], message: string): never {
    this.#say('Warning', of, [told, message]);
    this.#say('Warning', of, ['Failed', `Error: ${reason}`]);
    throw new ContainerStartError(reason, message);
  }

  #say(type: 'Normal' | 'Warning', of: About, [reason, message]: [string, string]): void {
    this.#options.events.pod(of.pod, type, { reason, message, container: of.container.name });
  }
}

function keyOf(pod: Pod, container: Container): string {
  return `${uidOf(pod)}_${container.image ?? ''}`;
}

function uidOf({ metadata: { uid = '' } }: Pod): string {
  return uid;
}

function userOf(pod: Pod): ImageUser {
  return { annotations: pod.metadata?.annotations ?? {} };
}
