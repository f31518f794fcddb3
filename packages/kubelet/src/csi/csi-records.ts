/**
 * What is done to volumes stands beside them on disk before it is done, as upstream writes it (`vol_data.json`): a kubelet
 * that starts after a crash undoes what nobody wants any more.
 */
import { parsedJson } from '@binnacle/machinery';
import type { HostFiles } from '../ports.ts';
import { writeDown } from '../written-down.ts';
import { digest } from '../digest.ts';
import { pluginFolder, podFolder } from './names.ts';

/** A volume of a driver, wherever it is. */
export interface CsiKey {
  readonly driver: string;
  readonly handle: string;
}

/** A volume that a pod was given, or was about to be given. */
export interface PodRecord extends CsiKey {
  readonly podUid: string;
  /** The name of its folder: a PersistentVolume's, or the pod's for a volume of its own. */
  readonly name: string;
  readonly lifecycle: 'Persistent' | 'Ephemeral';
  readonly isBlock: boolean;
}

/** A volume that was staged on the node, or was about to be. */
export interface StageRecord extends CsiKey {
  /** The folder of the record, in which the staging path is. */
  readonly folder: string;
  readonly stagingPath: string;
}

const FILE = 'vol_data.json';
const RECORD_BYTES_MAX = 64 * 1024;
const BLOCK_STAGING = 'volumeDevices/staging';

type Fields = { readonly [name: string]: string };

/** Records below a kubelet's folder. */
export class CsiRecords {
  readonly #files: HostFiles;
  readonly #root: string;

  constructor(of: { readonly files: HostFiles; readonly root: string }) {
    this.#files = of.files;
    this.#root = of.root;
  }

  /** The folder of one volume of a pod. */
  folder({ podUid, name }: Pick<PodRecord, 'podUid' | 'name'>): string {
    return `${podFolder(this.#root, podUid)}/${name}`;
  }

  /** Where a driver puts it. */
  target(record: PodRecord): string {
    if (!record.isBlock) return `${this.folder(record)}/mount`;
    return `${pluginFolder(this.#root)}/volumeDevices/publish/${record.name}/${record.podUid}`;
  }

  stage(key: CsiKey, block: { readonly isBlock: boolean; readonly name: string }): StageRecord {
    const plugins = pluginFolder(this.#root);
    const name = digest(key.handle);
    if (!block.isBlock) {
      const folder = `${plugins}/${key.driver}/${name}`;
      return { ...key, folder, stagingPath: `${folder}/globalmount` };
    }
    const folder = `${plugins}/${BLOCK_STAGING}/${block.name}`;
    return { ...key, folder, stagingPath: `${folder}/device` };
  }

  async savePod(record: PodRecord, nodeName: string): Promise<void> {
    await this.#save(this.folder(record), {
      specVolID: record.name,
      volumeHandle: record.handle,
      driverName: record.driver,
      nodeName,
      volumeLifecycleMode: record.lifecycle,
      ...(record.isBlock ? { volumeMode: 'Block' } : {}),
    });
  }

  async saveStage(record: StageRecord): Promise<void> {
    await this.#save(record.folder, { volumeHandle: record.handle, driverName: record.driver });
  }

  /** The volumes of one pod; a folder whose record is lost has no handle. */
  async ofPod(podUid: string): Promise<PodRecord[]> {
    const records: PodRecord[] = [];
    for (const name of await this.#files.list(podFolder(this.#root, podUid))) {
      const fields = await this.#read(`${podFolder(this.#root, podUid)}/${name}`);
      records.push({
        podUid,
        name,
        driver: fields['driverName'] ?? '',
        handle: fields['volumeHandle'] ?? '',
        lifecycle: fields['volumeLifecycleMode'] === 'Ephemeral' ? 'Ephemeral' : 'Persistent',
        isBlock: fields['volumeMode'] === 'Block',
      });
    }
    return records;
  }

  async ofAllPods(): Promise<PodRecord[]> {
    const records: PodRecord[] = [];
    for (const podUid of await this.#files.list(`${this.#root}/pods`)) records.push(...(await this.ofPod(podUid)));
    return records;
  }

  async stages(): Promise<StageRecord[]> {
    const plugins = pluginFolder(this.#root);
    const records: StageRecord[] = [];
    for (const driver of await this.#files.list(plugins)) {
      if (driver === 'volumeDevices') continue;
      for (const name of await this.#files.list(`${plugins}/${driver}`))
        records.push(...(await this.#stageAt(`${plugins}/${driver}/${name}`, 'globalmount')));
    }
    for (const name of await this.#files.list(`${plugins}/${BLOCK_STAGING}`))
      records.push(...(await this.#stageAt(`${plugins}/${BLOCK_STAGING}/${name}`, 'device')));
    return records;
  }

  /** The folder and what is left in it; nothing that is mounted there is entered. */
  async removePod(record: PodRecord): Promise<void> {
    await this.#clear(this.target(record));
    await this.#files.remove(this.folder(record));
  }

  async removeStage(record: StageRecord): Promise<void> {
    await this.#clear(record.stagingPath);
    await this.#files.remove(record.folder);
  }

  async #clear(path: string): Promise<void> {
    await this.#files.unmount(path);
    await this.#files.remove(path);
  }

  async #stageAt(folder: string, leaf: string): Promise<StageRecord[]> {
    const fields = await this.#read(folder);
    const { driverName: driver = '', volumeHandle: handle = '' } = fields;
    return driver === '' ? [] : [{ driver, handle, folder, stagingPath: `${folder}/${leaf}` }];
  }

  async #save(folder: string, fields: Fields): Promise<void> {
    await this.#files.makeDirectory(folder, 0o750);
    await writeDown(this.#files, `${folder}/${FILE}`, fields);
  }

  /** What cannot be read says nothing: half a record was never acted on. */
  async #read(folder: string): Promise<Fields> {
    const bytes = await this.#files.readRange(`${folder}/${FILE}`, 0, RECORD_BYTES_MAX);
    if (bytes === undefined) return {};
    const parsed = parsedJson(new TextDecoder().decode(bytes));
    const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  }
}
