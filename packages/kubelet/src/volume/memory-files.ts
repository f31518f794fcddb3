import { PathError } from '../errors.ts';
import type { DiskCount } from '../figures.ts';
import type { FileAccess, HeldFile, HostFiles, PathKind } from '../ports.ts';

interface Entry {
  readonly kind: 'file' | 'directory' | 'link';
  content: Uint8Array;
  readonly target: string;
  mode: number;
}

/** A file system in memory: nodes that have no disk still have volumes and logs. */
export interface MemoryFiles extends HostFiles {
  /** Adds text to a file, as a runtime writes its log. A file is cut in half, oldest lines first, at 256 KiB. */
  append(path: string, text: string): void;
  /** Permission bits; undefined when absent. */
  mode(path: string): number | undefined;
  /** Every path that exists, sorted. */
  paths(): readonly string[];
}

const FILE_MAX = 256 * 1024;

/** An empty one. Mounts are remembered as directories; groups are not kept. */
export function createMemoryFiles(): MemoryFiles {
  return new Memory();
}

class Memory implements MemoryFiles {
  readonly #entries = new Map<string, Entry>();
  readonly #mounted = new Set<string>();
  readonly #watchers = new Map<string, Set<() => void>>();

  async makeDirectory(path: string, mode = 0o755): Promise<void> {
    for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1))
      this.#directory(path.slice(0, at), 0o755);
    this.#directory(path, mode);
  }

  async writeFile(path: string, content: Uint8Array, { mode = 0o644 }: FileAccess = {}): Promise<void> {
    await this.makeDirectory(parentOf(path));
    this.#entries.set(path, { kind: 'file', content, target: '', mode });
    this.#tell(path);
  }

  async makeFile(path: string): Promise<void> {
    if (!this.#entries.has(path)) await this.writeFile(path, new Uint8Array());
  }

  append(path: string, text: string): void {
    const entry = this.#entries.get(path) ?? {
      kind: 'file' as const,
      content: new Uint8Array(),
      target: '',
      mode: 0o640,
    };
    const added = new TextEncoder().encode(text);
    const joined = new Uint8Array(entry.content.length + added.length);
    joined.set(entry.content);
    joined.set(added, entry.content.length);
    entry.content = joined.length <= FILE_MAX ? joined : joined.slice(joined.indexOf(0x0a, joined.length >> 1) + 1);
    this.#entries.set(path, entry);
    this.#tell(path);
  }

  async readFile(path: string): Promise<Uint8Array | undefined> {
    return this.#file(path)?.content;
  }

  async readRange(path: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    return this.#file(path)?.content.subarray(offset, offset + length);
  }

  async hold(path: string): Promise<HeldFile | undefined> {
    const held = this.#file(path);
    if (held === undefined) return undefined;
    return {
      read: async (offset, length) => held.content.subarray(offset, offset + length),
      isCurrent: async () => this.#file(path) === held,
      size: async () => held.content.length,
      close: async () => undefined,
    };
  }

  async size(path: string): Promise<number> {
    return this.#file(path)?.content.length ?? -1;
  }

  async remove(path: string): Promise<void> {
    for (const key of this.#entries.keys()) if (key === path || key.startsWith(`${path}/`)) this.#entries.delete(key);
    this.#tell(path);
  }

  async rename(from: string, to: string): Promise<void> {
    for (const [key, entry] of this.#entries) {
      if (key !== from && !key.startsWith(`${from}/`)) continue;
      this.#entries.delete(key);
      this.#entries.set(to + key.slice(from.length), entry);
    }
    this.#tell(from);
    this.#tell(to);
  }

  async list(path: string): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const key of this.#entries.keys()) {
      if (key.startsWith(`${path}/`)) names.add(key.slice(path.length + 1).split('/', 1)[0] ?? '');
    }
    return [...names];
  }

  async link(target: string, path: string): Promise<void> {
    this.#entries.set(path, { kind: 'link', content: new Uint8Array(), target, mode: 0o777 });
    this.#tell(path);
  }

  async readLink(path: string): Promise<string | undefined> {
    const entry = this.#entries.get(path);
    return entry?.kind === 'link' ? entry.target : undefined;
  }

  async kind(path: string): Promise<PathKind> {
    const entry = this.#entries.get(this.#resolve(path));
    return entry === undefined ? 'absent' : entry.kind === 'directory' ? 'directory' : 'file';
  }

  async identity(path: string): Promise<string | undefined> {
    return this.#entries.has(path) ? path : undefined;
  }

  async device(path: string): Promise<string> {
    return path;
  }

  async changeGroup(): Promise<void> {
    return undefined;
  }

  async usage(path: string, _enough: number, unit: 'bytes' | 'inodes' = 'bytes'): Promise<number> {
    let sum = 0;
    for (const [key, entry] of this.#entries)
      if (key === path || key.startsWith(`${path}/`)) sum += unit === 'bytes' ? entry.content.length : 1;
    return sum;
  }

  async count(path: string): Promise<DiskCount> {
    return { bytes: await this.usage(path, Infinity), inodes: await this.usage(path, Infinity, 'inodes') };
  }

  async mountTmpfs(path: string): Promise<boolean> {
    const isNew = !this.#mounted.has(path);
    this.#mounted.add(path);
    await this.makeDirectory(path);
    return isNew;
  }

  mountHugePages(path: string): Promise<boolean> {
    return this.mountTmpfs(path);
  }

  /** Nothing is run on such a node, so nothing can be linked: the folder itself stands for what is mounted. */
  async bindBelow(of: { readonly volume: string; readonly path: string; readonly target: string }): Promise<void> {
    await this.makeDirectory(`${of.volume}/${of.path}`, this.mode(of.volume) ?? 0o755);
    await this.makeDirectory(of.target);
  }

  async readBelow(of: {
    readonly volume: string;
    readonly path: string;
    readonly bytesMax: number;
  }): Promise<Uint8Array | undefined> {
    const found = await this.readFile(`${of.volume}/${of.path}`);
    if (found !== undefined && found.length > of.bytesMax) throw new PathError(of.path, 'is too large');
    return found;
  }

  async unmount(path: string): Promise<void> {
    for (const at of this.#mounted) if (at === path || at.startsWith(`${path}/`)) this.#mounted.delete(at);
  }

  watch(path: string, changed: () => void): () => void {
    const set = this.#watchers.get(path) ?? new Set();
    this.#watchers.set(path, set.add(changed));
    return () => {
      set.delete(changed);
      if (set.size === 0) this.#watchers.delete(path);
    };
  }

  mode(path: string): number | undefined {
    return this.#entries.get(path)?.mode;
  }

  paths(): readonly string[] {
    return [...this.#entries.keys()].toSorted();
  }

  #directory(path: string, mode: number): void {
    if (path === '' || this.#entries.has(path)) return;
    this.#entries.set(path, { kind: 'directory', content: new Uint8Array(), target: '', mode });
    this.#tell(path);
  }

  #file(path: string): Entry | undefined {
    const entry = this.#entries.get(this.#resolve(path));
    return entry?.kind === 'file' ? entry : undefined;
  }

  /** Follows links, also in the middle of a path; eight at most. */
  #resolve(path: string): string {
    let at = path;
    for (let hops = 0; hops < 8; hops++) {
      const link = prefixes(at).find((prefix) => this.#entries.get(prefix)?.kind === 'link');
      if (link === undefined) return at;
      const target = this.#entries.get(link)?.target ?? '';
      at = (target.startsWith('/') ? target : `${parentOf(link)}/${target}`) + at.slice(link.length);
    }
    return at;
  }

  #tell(path: string): void {
    for (const key of [path, parentOf(path)]) for (const changed of this.#watchers.get(key) ?? []) changed();
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function prefixes(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/')).filter((p) => p !== '');
}
