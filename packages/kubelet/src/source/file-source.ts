import { type Clock, type Logger, type Timer, messageOf } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { HostFiles, PodSource, PodSourceHandler } from '../ports.ts';
import { ManifestError } from '../errors.ts';
import { MANIFEST_BYTES_MAX } from './fetch-manifest.ts';
import { readManifest } from './manifest.ts';

/** Where static pods are read from. */
export interface FileSourceOptions {
  /** A folder of manifests, or one manifest. An absent folder is made. */
  readonly path: string;
  readonly files: HostFiles;
  readonly clock: Clock;
  readonly log: Logger;
  /** How often it is looked whether what is watched is still what has the path; default as upstream's 20 s. */
  readonly checkMs?: number;
}

const CHECK_MS = 20_000;
/** A file is often written in several steps: the folder is read when it has been quiet for so long. */
const QUIET_MS = 20;

/**
 * Static pods from a folder: a new file is a new pod, a changed file replaces its pod, a removed file ends it.
 * A file that cannot be used is reported, and what it was before goes on until it can; of two with a pod of one name the
 * one that came first counts. The folder is watched.
 */
export function createFileSource(options: FileSourceOptions): PodSource {
  return {
    kind: 'file',
    follow(nodeName, handler) {
      const folder = new Folder(options, nodeName, handler);
      folder.start();
      return () => folder.stop();
    },
  };
}

class Folder {
  readonly #options: FileSourceOptions;
  readonly #nodeName: string;
  readonly #handler: PodSourceHandler;
  /** By file name. */
  readonly #pods = new Map<string, { readonly text: string; readonly pod: Pod | undefined }>();
  readonly #refused = new Map<string, string>();
  /** Files whose pod has the name, or the UID, of another's. */
  readonly #clashing = new Set<string>();
  #unwatch: () => void = () => undefined;
  #timer: Timer | undefined;
  #check: Timer | undefined;
  /** What had the path when it was last watched; a folder's changes with each file that comes or goes. */
  #identity: string | undefined;
  #isWatched = false;
  #reading: Promise<void> | undefined;
  #stopped = false;

  constructor(options: FileSourceOptions, nodeName: string, handler: PodSourceHandler) {
    this.#options = options;
    this.#nodeName = nodeName;
    this.#handler = handler;
  }

  start(): void {
    void this.#begin().catch((error: unknown) =>
      this.#options.log.error(error, 'Unable to read config path', { path: this.#options.path }),
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#check?.cancel();
    this.#unwatch();
  }

  async #begin(): Promise<void> {
    const { files, path } = this.#options;
    if ((await files.kind(path)) === 'absent') await files.makeDirectory(path, 0o755);
    if (this.#stopped) return;
    await this.#read();
    if (this.#stopped) return;
    this.#handler.ready();
    this.#checkLater();
  }

  /** Who is watched and loses the path tells no more, and what takes it tells nobody. */
  #checkLater(): void {
    const { clock, files, path, checkMs = CHECK_MS } = this.#options;
    const check = async (): Promise<void> => {
      try {
        if (!this.#isWatched || (await files.identity(path)) !== this.#identity) this.#later();
      } finally {
        if (!this.#stopped) this.#checkLater();
      }
    };
    this.#check = clock.after(
      checkMs,
      () =>
        void check().catch((error: unknown) =>
          this.#options.log.error(error, 'Unable to look at config path', { path }),
        ),
      { background: true },
    );
  }

  /** Before what is there is read, so that no change falls between. */
  async #watch(): Promise<void> {
    const { files, path, log } = this.#options;
    const identity = await files.identity(path);
    if (this.#stopped || (this.#isWatched && identity === this.#identity)) return;
    this.#unwatch();
    this.#unwatch = () => undefined;
    this.#identity = identity;
    this.#isWatched = false;
    if (identity === undefined) return;
    try {
      this.#unwatch = files.watch(path, () => this.#later());
      this.#isWatched = true;
    } catch (error) {
      log.error(error, 'Unable to watch config path, it is looked at from time to time', { path });
    }
  }

  #later(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(QUIET_MS, () => {
      this.#timer = undefined;
      this.#reading = (this.#reading ?? Promise.resolve())
        .then(() => this.#read())
        .catch((error: unknown) =>
          this.#options.log.error(error, 'Unable to read config path', { path: this.#options.path }),
        );
    });
  }

  async #read(): Promise<void> {
    const { files, path } = this.#options;
    await this.#watch();
    const single = (await files.kind(path)) === 'file';
    const names = single ? [''] : (await files.list(path)).filter((name) => !name.startsWith('.')).toSorted();
    this.#dropGone(names);
    const fileOf = (name: string): string => (single ? path : `${path}/${name}`);
    for (const name of names) await this.#readOne(name, fileOf(name));
    // Who was read after them may have given up what they want.
    for (const name of [...this.#clashing]) await this.#readOne(name, fileOf(name));
  }

  #dropGone(names: readonly string[]): void {
    for (const name of this.#clashing) if (!names.includes(name)) this.#clashing.delete(name);
    for (const name of this.#refused.keys()) if (!names.includes(name)) this.#accept(name);
    for (const [name, { pod }] of this.#pods) {
      if (names.includes(name)) continue;
      this.#pods.delete(name);
      this.#accept(name);
      if (pod !== undefined) this.#handler.remove(pod);
    }
  }

  /** A folder, a pipe, a file that cannot be read: refused by itself, whatever stands beside it. */
  async #readOne(name: string, file: string): Promise<void> {
    try {
      const kind = await this.#options.files.kind(file);
      if (kind !== 'file' && kind !== 'absent') throw new ManifestError(file, 'is not a file');
      const content = kind === 'file' ? await this.#contentOf(file) : undefined;
      if (content !== undefined && !this.#stopped) this.#take(name, new TextDecoder().decode(content));
    } catch (error) {
      this.#refuse(name, error);
    }
  }

  /** Undefined: it is gone by now. */
  async #contentOf(file: string): Promise<Uint8Array | undefined> {
    const { files } = this.#options;
    const size = await files.size(file);
    if (size > MANIFEST_BYTES_MAX) throw new ManifestError(file, `has more than ${MANIFEST_BYTES_MAX} bytes`);
    return files.readRange(file, 0, Math.max(0, size));
  }

  #refuse(name: string, error: unknown): void {
    const reason = messageOf(error);
    if (this.#refused.get(name) === reason) return;
    this.#refused.set(name, reason);
    this.#options.log.error(error, "Can't process manifest file", { file: name });
    this.#handler.refused?.(name, reason);
  }

  #accept(name: string): void {
    if (this.#refused.delete(name)) this.#handler.refused?.(name, undefined);
  }

  #take(name: string, text: string): void {
    const before = this.#pods.get(name);
    if (before?.text === text) return;
    const { path, clock } = this.#options;
    let pod: Pod;
    try {
      pod = readManifest({
        file: name === '' ? path : `${path}/${name}`,
        text,
        nodeName: this.#nodeName,
        now: clock.now(),
      });
    } catch (error) {
      this.#clashing.delete(name);
      this.#pods.set(name, { text, pod: before?.pod });
      return this.#refuse(name, error);
    }
    const clash = this.#clashOf(name, pod);
    if (clash === undefined) this.#pods.set(name, { text, pod });
    else this.#pods.delete(name);
    if (before?.pod !== undefined && (clash !== undefined || before.pod.metadata.uid !== pod.metadata.uid))
      this.#handler.remove(before.pod);
    if (clash !== undefined) {
      this.#clashing.add(name);
      return this.#refuse(name, clash);
    }
    this.#clashing.delete(name);
    this.#accept(name);
    return this.#handler.upsert(pod);
  }

  /** What a pod has that is another file's: two of one name would have one mirror between them, two of one UID one life. */
  #clashOf(file: string, { metadata }: Pod): ManifestError | undefined {
    for (const [other, { pod }] of this.#pods) {
      if (other === file || pod === undefined) continue;
      const { name, namespace, uid } = pod.metadata;
      const what = uid === metadata.uid ? 'metadata.uid' : 'pod name';
      if (uid === metadata.uid || (name === metadata.name && namespace === metadata.namespace))
        return new ManifestError(`${this.#options.path}/${file}`, `duplicate ${what}, it is ${other}'s`);
    }
    return undefined;
  }
}
