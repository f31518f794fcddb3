/** A file that a volume is to have. */
export interface VolumeFile {
  /** Without a slash at the end. */
  readonly path: string;
  /** Which source of a projected volume brings it; empty in other volumes. */
  readonly source: string;
}

interface Placed {
  readonly file: VolumeFile;
  readonly order: number;
}

interface Folder {
  readonly files: Placed[];
  readonly below: Map<string, Folder>;
}

/** Of the files that one overlaps with, only so many are told. */
const TOLD_MAX = 100;

/** The files of a volume by their folders: what overlaps is found without comparing each with each. */
export class FileTree {
  readonly #root: Folder = { files: [], below: new Map() };
  #order = 0;

  /** The files that were there and overlap with the new one: the same, above or below it; in their order. */
  add(file: VolumeFile): readonly VolumeFile[] {
    const found: Placed[] = [];
    let folder = this.#root;
    for (const step of file.path.split('/')) {
      let next = folder.below.get(step);
      if (next === undefined) folder.below.set(step, (next = { files: [], below: new Map() }));
      folder = next;
      take(folder.files, found);
    }
    collect(folder, found);
    folder.files.push({ file, order: this.#order++ });
    return found.sort((a, b) => a.order - b.order).map((one) => one.file);
  }
}

/** What is below, level by level: a path may have more steps than the stack. */
function collect(top: Folder, found: Placed[]): void {
  const folders = [...top.below.values()];
  for (let folder = folders.pop(); folder !== undefined && found.length < TOLD_MAX; folder = folders.pop()) {
    take(folder.files, found);
    folders.push(...folder.below.values());
  }
}

function take(files: readonly Placed[], found: Placed[]): void {
  for (const file of files) {
    if (found.length === TOLD_MAX) return;
    found.push(file);
  }
}
