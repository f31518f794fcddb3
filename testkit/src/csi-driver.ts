import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type GrpcServer, GrpcRefusal, describe, serveSocket } from '@binnacle/grpc';

const run = promisify(execFile);

/** What a driver of tests is to be. */
export interface CsiDriverWish {
  /** The kubelet's folder. */
  readonly kubeletDir: string;
  /** Where its volumes are, a folder each; kept between two lives of the driver. */
  readonly folder: string;
  readonly name?: string;
  readonly nodeId?: string;
  readonly volumesMax?: number;
  readonly topology?: { readonly [key: string]: string };
  /** Of CSI's node capabilities; absent: stage, stats, expand. */
  readonly capabilities?: readonly string[];
}

/** One call that the kubelet made. */
export interface CsiCall {
  readonly method: string;
  readonly request: { readonly [field: string]: unknown };
}

/** A CSI driver that runs in the test: its volumes are folders, bound where the kubelet wants them; block volumes are loop devices. */
export interface CsiDriverProcess {
  readonly name: string;
  readonly calls: readonly CsiCall[];
  /** What the kubelet said of its registration. */
  readonly registered: Promise<{ readonly plugin_registered: boolean; readonly error: string }>;
  /** The next calls of a method are refused so, until it is taken back with undefined. */
  refuse(method: string, refusal: { readonly status: number; readonly message: string } | undefined): void;
  /** Where a volume's files are. */
  volumeFolder(handle: string): string;
  /** Goes as a process goes: sockets away, what is mounted stays. */
  stop(): Promise<void>;
}

const BLOCK_BYTES = 8 << 20;
const CAPABILITIES = ['STAGE_UNSTAGE_VOLUME', 'GET_VOLUME_STATS', 'EXPAND_VOLUME'];

/** Starts a driver, which registers with the kubelet of `kubeletDir` as soon as that looks. Needs root for its mounts. */
export async function startCsiDriver(wish: CsiDriverWish): Promise<CsiDriverProcess> {
  const name = wish.name ?? 'test.csi.binnacle.dev';
  const socket = join(wish.kubeletDir, 'plugins', name, 'csi.sock');
  const registration = join(wish.kubeletDir, 'plugins_registry', `${name}-reg.sock`);
  for (const path of [dirname(socket), dirname(registration), wish.folder]) mkdirSync(path, { recursive: true });
  for (const path of [socket, registration]) rmSync(path, { force: true });
  const driver = new Driver({ ...wish, name });
  const { promise: registered, resolve: tell } = Promise.withResolvers<{ plugin_registered: boolean; error: string }>();
  const servers: GrpcServer[] = [];
  servers.push(await serveSocket({ path: socket, descriptors: [await describe('csi')], services: driver.services }));
  const info = { type: 'CSIPlugin', name, endpoint: socket, supported_versions: ['1.0.0'] };
  servers.push(
    await serveSocket({
      path: registration,
      descriptors: [await describe('registration')],
      services: {
        'pluginregistration.Registration': {
          GetInfo: { unary: async () => info },
          NotifyRegistrationStatus: {
            unary: async (status) => {
              tell(status as { plugin_registered: boolean; error: string });
              return {};
            },
          },
        },
      },
    }),
  );
  return {
    name,
    calls: driver.calls,
    registered,
    refuse: (method, refusal) => driver.refuse(method, refusal && new GrpcRefusal(refusal.status, refusal.message)),
    volumeFolder: (handle) => driver.folderOf(handle),
    stop: async () => {
      for (const server of servers) await server.close();
    },
  };
}

type Fields = { readonly [field: string]: unknown };

class Driver {
  readonly calls: CsiCall[] = [];
  readonly #wish: CsiDriverWish;
  readonly #refusals = new Map<string, GrpcRefusal>();

  constructor(wish: CsiDriverWish) {
    this.#wish = wish;
  }

  refuse(method: string, refusal: GrpcRefusal | undefined): void {
    if (refusal === undefined) this.#refusals.delete(method);
    else this.#refusals.set(method, refusal);
  }

  folderOf(handle: string): string {
    return join(this.#wish.folder, handle);
  }

  get services(): Parameters<typeof serveSocket>[0]['services'] {
    const methods: { readonly [method: string]: (request: Fields) => Promise<object> } = {
      NodeGetInfo: async () => this.#info(),
      NodeGetCapabilities: async () => ({
        capabilities: (this.#wish.capabilities ?? CAPABILITIES).map((type) => ({ rpc: { type } })),
      }),
      NodeStageVolume: (request) => this.#stage(request),
      NodeUnstageVolume: (request) => unmount(text(request['staging_target_path'])),
      NodePublishVolume: (request) => this.#publish(request),
      NodeUnpublishVolume: (request) => this.#unpublish(request),
      NodeGetVolumeStats: async (request) => this.#stats(request),
      NodeExpandVolume: async (request) => this.#expand(request),
    };
    const served = Object.entries(methods).map(([method, act]) => {
      const unary = async (request: unknown): Promise<object> => {
        this.calls.push({ method, request: request as Fields });
        const refusal = this.#refusals.get(method);
        if (refusal !== undefined) throw refusal;
        return act(request as Fields);
      };
      return [method, { unary }] as const;
    });
    const identity = { unary: async () => ({ name: this.#wish.name, vendor_version: '1' }) };
    return {
      'csi.v1.Node': Object.fromEntries(served),
      'csi.v1.Identity': { GetPluginInfo: identity, Probe: { unary: async () => ({ ready: { value: true } }) } },
    };
  }

  #info(): object {
    const { nodeId = 'node-of-the-driver', volumesMax = 0, topology } = this.#wish;
    return {
      node_id: nodeId,
      max_volumes_per_node: volumesMax,
      ...(topology === undefined ? {} : { accessible_topology: { segments: topology } }),
    };
  }

  async #stage(request: Fields): Promise<object> {
    const target = text(request['staging_target_path']);
    const folder = this.folderOf(text(request['volume_id']));
    mkdirSync(folder, { recursive: true });
    if (isBlock(request)) return {};
    if (!(await isMounted(target))) await run('mount', ['--bind', folder, target]);
    return {};
  }

  async #publish(request: Fields): Promise<object> {
    const target = text(request['target_path']);
    const folder = this.folderOf(text(request['volume_id']));
    mkdirSync(folder, { recursive: true });
    if (isBlock(request)) return this.#publishBlock(folder, target);
    if (await isMounted(target)) return {};
    mkdirSync(target, { recursive: true });
    const staged = text(request['staging_target_path']);
    await run('mount', ['--bind', staged === '' ? folder : staged, target]);
    writeFileSync(join(folder, '.context'), JSON.stringify(request['volume_context']));
    return {};
  }

  async #publishBlock(folder: string, target: string): Promise<object> {
    const image = join(folder, 'block.img');
    if (!existsSync(image)) writeFileSync(image, new Uint8Array(BLOCK_BYTES));
    if (await isMounted(target)) return {};
    const { stdout } = await run('losetup', ['--find', '--show', image]);
    writeFileSync(target, '');
    await run('mount', ['--bind', stdout.trim(), target]);
    return {};
  }

  async #unpublish(request: Fields): Promise<object> {
    const target = text(request['target_path']);
    await unmount(target);
    const image = join(this.folderOf(text(request['volume_id'])), 'block.img');
    if (existsSync(image)) {
      const { stdout } = await run('losetup', ['--associated', image, '--noheadings', '--output', 'NAME']);
      for (const device of stdout.split('\n').filter(Boolean)) await run('losetup', ['--detach', device.trim()]);
    }
    rmSync(target, { recursive: true, force: true });
    return {};
  }

  #stats(request: Fields): object {
    const found = statfsSync(text(request['volume_path']));
    const bytes = (blocks: number): number => blocks * found.bsize;
    return {
      usage: [
        {
          unit: 'BYTES',
          total: bytes(found.blocks),
          available: bytes(found.bavail),
          used: bytes(found.blocks - found.bfree),
        },
        { unit: 'INODES', total: found.files, available: found.ffree, used: found.files - found.ffree },
      ],
      volume_condition: { abnormal: false, message: 'is well' },
    };
  }

  #expand(request: Fields): object {
    const { required_bytes: bytes } = request['capacity_range'] as { readonly required_bytes: number };
    writeFileSync(join(this.folderOf(text(request['volume_id'])), '.size'), String(bytes));
    return { capacity_bytes: bytes };
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isBlock(request: Fields): boolean {
  const capability = request['volume_capability'] as { readonly block?: object | null } | null;
  return capability?.block !== undefined && capability.block !== null;
}

async function isMounted(path: string): Promise<boolean> {
  return await run('mountpoint', ['-q', path]).then(
    () => true,
    // It says no by its exit code.
    () => false,
  );
}

async function unmount(path: string): Promise<object> {
  if (await isMounted(path)) await run('umount', [path]);
  return {};
}
