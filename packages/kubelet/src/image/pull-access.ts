import { RecentTable, formatTime, messageOf, SerialQueue } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { normalizeImageName, repositoryOf, taggedImageName } from '@binnacle/runtime';
import type { RegistryAuth, Runtime } from '@binnacle/runtime';
import type { KubeletConfig, VerificationPolicy } from '../config.ts';
import { digest } from '../digest.ts';
import type { HostFiles } from '../ports.ts';
import type { PodCredential } from './credentials.ts';
import { PullRecords } from './pull-records.ts';
import type { ImageReaders, PullSecret } from './pull-records.ts';
import { type ImageAllowlist, mustVerify, readAllowlist } from './verification.ts';

export interface PullAccessOptions {
  readonly records: PullRecords;
  readonly runtime: Pick<Runtime, 'listImages'>;
  readonly policy: VerificationPolicy;
  readonly allowlist: ImageAllowlist;
  readonly clock: Clock;
  readonly log: Logger;
}

/** An image that is on the node, and who wants it. */
export interface WantedImage {
  /** The pod's UID. */
  readonly pod: string;
  /** As the pod names it. */
  readonly image: string;
  /** As the runtime does. */
  readonly id: string;
  /** What the pod has for the image's registry; asked only where it matters. */
  readonly credentials: () => Promise<readonly PodCredential[]>;
}

/** So many secrets of one repository are added to without a pull: namespaces may come and go by the thousand. */
const SECRETS_MAX = 100;
/** Pods, with their images, that are known to have shown who they are. */
const SHOWN_MAX = 4_000;

/**
 * Whether a pod may have an image that is there without asking its registry: what was pulled with somebody's credentials is
 * not everybody's. What a kubelet pulled, and as whom, is written down, before the pull begins and after it has ended.
 */
export class PullAccess {
  readonly #of: PullAccessOptions;
  /** Their containers start again though the API, which has their secrets, is away. */
  readonly #shown = new RecentTable<true>(SHOWN_MAX);
  /** Pulls under way, by image with its tag. */
  readonly #underWay = new Map<string, number>();
  /** One record after the other: each is read, changed and written. */
  readonly #writes = new SerialQueue();
  #settled: Promise<void> | undefined;

  constructor(options: PullAccessOptions) {
    this.#of = options;
  }

  /** Whether the registry has to be asked all the same; also where nobody can tell. Never rejects. */
  async mustPull(wanted: WantedImage): Promise<boolean> {
    try {
      const found = await this.#look(wanted);
      return typeof found === 'string' ? found === 'closed' : !(await this.#isKnown(found, wanted));
    } catch (error) {
      this.#of.log.error(error, 'What is known of the pull of an image could not be looked at', {
        image: wanted.image,
      });
      return true;
    }
  }

  /** Whether that is so without any credentials. Never rejects. */
  async isOpen(wanted: Omit<WantedImage, 'credentials'>): Promise<boolean> {
    try {
      return (await this.#look(wanted)) === 'open';
    } catch {
      // Nothing is lost: it is looked at again where it matters, and told there.
      return false;
    }
  }

  /** Everybody's, nobody's, or theirs who can show one of these secrets. */
  async #look(wanted: Omit<WantedImage, 'credentials'>): Promise<'open' | 'closed' | readonly PullSecret[]> {
    const { records, policy } = this.#of;
    // Nothing that is written down could change that.
    if (policy === 'NeverVerify') return 'open';
    await this.#settle();
    const record = await records.record(wanted.id);
    if (record === 'unreadable') return 'closed';
    const name = taggedImageName(wanted.image);
    const isPulled = record !== 'none' || this.#underWay.has(name) || (await records.hasIntent(name));
    if (!mustVerify(this.#of, wanted.image, isPulled)) return 'open';
    if (record === 'none') return 'closed';
    const readers = record.credentialMapping?.[repositoryOf(wanted.image)];
    if (readers?.nodePodsAccessible === true || this.#shown.has(keyOf(wanted))) return 'open';
    const { kubernetesSecrets: secrets = [] } = readers ?? {};
    return secrets.length === 0 ? 'closed' : secrets;
  }

  /** A pull begins. Throws where that cannot be written down. */
  async begin(image: string): Promise<void> {
    await this.#settle();
    const name = taggedImageName(image);
    this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1);
    let trouble: unknown;
    const write = async (): Promise<void> => {
      try {
        await this.#of.records.writeIntent(name);
      } catch (error) {
        trouble = error;
        throw error;
      }
    };
    if (await this.#inTurn(write, 'A pull could not be written down')) return;
    await this.failed(image);
    throw trouble;
  }

  /** It has come to nothing. Never rejects. */
  async failed(image: string): Promise<void> {
    const name = taggedImageName(image);
    if (!this.#ends(name)) return;
    // Another one may have begun meanwhile.
    const remove = async (): Promise<void> =>
      this.#underWay.has(name) ? undefined : this.#of.records.removeIntent(name);
    await this.#inTurn(remove, 'What is known of a pull could not be removed');
  }

  /** It has brought what nobody can tell: that it was begun stays written down. */
  lost(image: string): void {
    this.#ends(taggedImageName(image));
  }

  /**
   * It has brought the pod the image, as `credential` says; undefined: as nobody. Never rejects: where it cannot be written
   * down, it is known that the image was pulled, and not by whom.
   */
  async pulled(come: Omit<WantedImage, 'credentials'>, credential: PodCredential | undefined): Promise<void> {
    const { image, id } = come;
    this.#shown.set(keyOf(come), true);
    const readers: ImageReaders =
      credential?.secret === undefined
        ? { nodePodsAccessible: true }
        : { kubernetesSecrets: [hashed(credential.auth, credential.secret)] };
    if (await this.#learn(image, id, readers)) await this.failed(image);
    else this.lost(image);
  }

  /** Whether that was the last of its pulls. */
  #ends(name: string): boolean {
    const left = (this.#underWay.get(name) ?? 1) - 1;
    if (left > 0) this.#underWay.set(name, left);
    else this.#underWay.delete(name);
    return left <= 0;
  }

  /** Forgets images that are no more; those that came since stay. Never rejects. */
  async prune(present: readonly string[], since: number): Promise<void> {
    await this.#inTurn(() => this.#of.records.prune(present, since), 'Records of pulls could not be removed');
  }

  async #isKnown(known: readonly PullSecret[], wanted: WantedImage): Promise<boolean> {
    const own = (await wanted.credentials()).flatMap(({ auth, secret }) => (secret ? [hashed(auth, secret)] : []));
    const found = own.find((secret) => known.some((one) => isSame(one, secret) || isAlike(one, secret)));
    if (found === undefined) return false;
    this.#shown.set(keyOf(wanted), true);
    const isAsWritten = known.some((one) => isSame(one, found) && isAlike(one, found));
    if (!isAsWritten && known.length < SECRETS_MAX)
      await this.#learn(wanted.image, wanted.id, { kubernetesSecrets: [found] });
    return true;
  }

  /** Whether it is written down now. */
  async #learn(image: string, imageRef: string, newest: ImageReaders): Promise<boolean> {
    const { records, clock } = this.#of;
    const repository = repositoryOf(image);
    return this.#inTurn(async () => {
      const found = await records.record(imageRef);
      const known = typeof found === 'object' ? found : undefined;
      const before = known?.credentialMapping?.[repository];
      const after = joined(before, newest);
      if (known !== undefined && after === before) return;
      const credentialMapping = { ...known?.credentialMapping, ...(after && { [repository]: after }) };
      const record = { lastUpdatedTime: formatTime(clock.now()), imageRef, credentialMapping };
      await records.writeRecord(record, { repository, newest });
    }, 'A pull could not be written down');
  }

  /** Pulls that a kubelet began which is no more: what they brought is known as pulled, by nobody knows whom. */
  #settle(): Promise<void> {
    this.#settled ??= this.#settleOnce().catch((error: unknown) => {
      this.#settled = undefined;
      this.#of.log.error(error, 'Pulls of an earlier kubelet could not be looked at', { reason: messageOf(error) });
    });
    return this.#settled;
  }

  async #settleOnce(): Promise<void> {
    const { records, runtime } = this.#of;
    const intents = (await records.intents()).filter((image) => !this.#underWay.has(image));
    if (intents.length === 0) return;
    const images = await runtime.listImages();
    for (const image of intents) {
      const full = normalizeImageName(image);
      const come = images.find(({ tags, digests }) => tags.includes(full) || digests.includes(full));
      // One that has not come may still be on its way: the runtime goes on without us.
      if (come !== undefined && (await this.#learn(image, come.id, {}))) await records.removeIntent(image);
    }
  }

  /** Whether it could be done. */
  async #inTurn(act: () => Promise<void>, trouble: string): Promise<boolean> {
    try {
      await this.#writes.run(act);
      return true;
    } catch (error) {
      this.#of.log.error(error, trouble);
      return false;
    }
  }
}

/** That of a node as it is configured. Throws KubeletConfigError. */
export function pullAccessOf(
  of: Pick<PullAccessOptions, 'runtime' | 'clock' | 'log'> & {
    readonly files: HostFiles;
    readonly config: KubeletConfig;
  },
): PullAccess {
  const { files, config, runtime, clock, log } = of;
  const records = new PullRecords(files, config.rootDirectory);
  const allowlist = readAllowlist(config.imageAllowlist);
  return new PullAccess({ records, runtime, policy: config.imageVerification, allowlist, clock, log });
}

function keyOf({ pod, id, image }: Omit<WantedImage, 'credentials'>): string {
  return `${pod} ${id} ${repositoryOf(image)}`;
}

function hashed(auth: RegistryAuth, secret: Omit<PullSecret, 'credentialHash'>): PullSecret {
  const { uid, namespace, name } = secret;
  const { username, password, identityToken, registryToken } = auth;
  const text = JSON.stringify({ username, password, identitytoken: identityToken, registrytoken: registryToken });
  return { uid, namespace, name, credentialHash: digest(text) };
}

/** The same secret, whatever stands in it by now. */
function isSame(a: PullSecret, b: PullSecret): boolean {
  return a.uid !== '' && a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;
}

/** The same credentials, whatever secret they stand in. */
function isAlike(a: PullSecret, b: PullSecret): boolean {
  return a.credentialHash !== '' && a.credentialHash === b.credentialHash;
}

/** What was known, with what is new in it; the very same where nothing is. Everybody's needs no names. */
function joined(known: ImageReaders | undefined, newest: ImageReaders): ImageReaders | undefined {
  if (known?.nodePodsAccessible === true) return known;
  if (newest.nodePodsAccessible === true) return newest;
  const [secret] = newest.kubernetesSecrets ?? [];
  const before = known?.kubernetesSecrets ?? [];
  if (secret === undefined || before.some((one) => isSame(one, secret) && isAlike(one, secret))) return known;
  const secrets = [...before.filter((one) => !isSame(one, secret)), secret].toSorted((a, b) =>
    orderOf(a) < orderOf(b) ? -1 : 1,
  );
  return { ...known, kubernetesSecrets: secrets };
}

function orderOf({ namespace, name, uid }: PullSecret): string {
  return `${namespace}/${name}/${uid}`;
}
