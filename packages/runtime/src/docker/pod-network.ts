import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PluginConfig, PluginList } from '../containerd/config.ts';
import { PROGRAM_PATH } from '../containerd/host.ts';
import { RuntimeError } from '../errors.ts';
import type { PortMapping } from '../ports.ts';

const run = promisify(execFile);
const ENV = { PATH: PROGRAM_PATH };
const OUTPUT_BYTES_MAX = 1 << 20;
const INTERFACE = 'eth0';

interface CniResult {
  readonly ips?: readonly { readonly address?: string }[];
}

/** What is kept of a pod's place in the network, for the time when it is taken back. */
interface Note {
  readonly ports: readonly PortMapping[];
  readonly result: CniResult;
}

/**
 * The pods' network by CNI plugins, called by us: Docker knows none. A pod's namespace is held by a mount, so that its
 * rules can be taken back also when its processes are gone.
 */
export class PodPlugins {
  readonly #list: PluginList;
  readonly #pluginFolder: string;
  readonly #folder: string;

  constructor(of: { readonly list: PluginList; readonly pluginFolder: string; readonly folder: string }) {
    this.#list = of.list;
    this.#pluginFolder = of.pluginFolder;
    this.#folder = of.folder;
  }

  /** Joins the network namespace of a process to the pods' network; its addresses, primary first. */
  async add(id: string, pid: number, ports: readonly PortMapping[]): Promise<readonly string[]> {
    await mkdir(this.#folder, { recursive: true });
    const namespace = this.#namespaceOf(id);
    await writeFile(namespace, '');
    await run('mount', ['--bind', `/proc/${pid}/ns/net`, namespace], { env: ENV });
    let result: CniResult = {};
    try {
      for (const plugin of this.#list.plugins) result = await this.#call('ADD', plugin, { id, ports, result });
      await writeFile(this.#noteOf(id), JSON.stringify({ ports, result } satisfies Note));
      return addressesOf(result);
    } catch (error) {
      await this.#takeBack(id, { ports, result });
      throw error;
    }
  }

  /** Takes back what `add` did; nothing where it did nothing. */
  async remove(id: string): Promise<void> {
    const note = await this.#read(id);
    if (note !== undefined) await this.#takeBack(id, note);
  }

  async addresses(id: string): Promise<readonly string[]> {
    return addressesOf((await this.#read(id))?.result ?? {});
  }

  async #takeBack(id: string, { ports, result }: Note): Promise<void> {
    for (const plugin of this.#list.plugins.toReversed()) await this.#call('DEL', plugin, { id, ports, result });
    const namespace = this.#namespaceOf(id);
    // Not mounted after the machine was started again.
    await run('umount', [namespace], { env: ENV }).catch(() => undefined);
    await rm(namespace, { force: true });
    await rm(this.#noteOf(id), { force: true });
  }

  async #read(id: string): Promise<Note | undefined> {
    // Absent: it has no place of its own.
    const text = await readFile(this.#noteOf(id), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as Note);
  }

  #namespaceOf(id: string): string {
    return join(this.#folder, id);
  }

  #noteOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  async #call(command: 'ADD' | 'DEL', plugin: PluginConfig, of: Note & { readonly id: string }): Promise<CniResult> {
    const { id, ports, result } = of;
    const hostPorts = ports.filter(({ hostPort }) => hostPort > 0);
    const wantsPorts = plugin.capabilities?.portMappings === true && hostPorts.length > 0;
    const config = {
      ...plugin,
      cniVersion: this.#list.cniVersion,
      name: this.#list.name,
      ...(wantsPorts ? { runtimeConfig: { portMappings: hostPorts.map(toPortMapping) } } : {}),
      ...(result.ips === undefined ? {} : { prevResult: result }),
    };
    const env = {
      ...ENV,
      CNI_COMMAND: command,
      CNI_CONTAINERID: id,
      CNI_NETNS: this.#namespaceOf(id),
      CNI_IFNAME: INTERFACE,
      CNI_PATH: this.#pluginFolder,
    };
    const text = await answerOf(join(this.#pluginFolder, plugin.type), env, JSON.stringify(config));
    return text.trim() === '' ? result : (JSON.parse(text) as CniResult);
  }
}

function toPortMapping({ hostPort, containerPort, protocol, hostIP }: PortMapping): object {
  return {
    hostPort,
    containerPort,
    protocol: protocol.toLowerCase(),
    ...(hostIP === undefined || hostIP === '' ? {} : { hostIP }),
  };
}

function addressesOf({ ips }: CniResult): string[] {
  return (ips ?? []).flatMap(({ address }) => (address === undefined ? [] : [address.replace(/\/.*$/, '')]));
}

/** A plugin takes its configuration on its input, and tells what it did, or why not, on its output. */
function answerOf(program: string, env: { readonly [name: string]: string }, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const parts: Uint8Array[] = [];
    let length = 0;
    child.stdout.on('data', (part: Uint8Array) => {
      length += part.length;
      if (length <= OUTPUT_BYTES_MAX) parts.push(part);
    });
    child.once('error', (error) => reject(new RuntimeError(`CNI: ${error.message}`, { cause: error })));
    child.once('close', (code) => {
      const text = Buffer.concat(parts).toString('utf8');
      if (code === 0) resolve(text);
      else reject(new RuntimeError(`CNI plugin ${program} failed: ${messageIn(text)}`, { code: 'pod-network' }));
    });
    // It may end before it has read all; its end tells then.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function messageIn(text: string): string {
  try {
    const { msg, details } = JSON.parse(text) as { readonly msg?: string; readonly details?: string };
    return [msg, details].filter((part) => part !== undefined && part !== '').join(': ');
  } catch {
    // Not as CNI says it: told as it is.
    return text.trim();
  }
}
