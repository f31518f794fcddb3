import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { type GrpcServer, describe, serveSocket } from '@binnacle/grpc';

/** What a driver of tests is to be. */
export interface ClaimDriverWish {
  /** The kubelet's folder. */
  readonly kubeletDir: string;
  /** Nobody else's on this machine: its files of devices are named after it. */
  readonly name: string;
  readonly nodeName: string;
  readonly devices: readonly string[];
  /** As whom it asks for claims and tells of its devices. */
  readonly client: Client;
}

/** A driver of claims that runs in the test: its devices are `/dev/null` by another name, told of by files of CDI. */
export interface ClaimDriverProcess {
  /** Calls of the kubelet: method and the claims' names. */
  readonly calls: readonly string[];
  /** Files of devices that are there. */
  files(): readonly string[];
  /** Goes as a process goes: what it told of its devices stays. */
  stop(): Promise<void>;
}

interface ClaimMessage {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

const CDI_DIRECTORY = '/var/run/cdi';

/** Starts a driver: it tells of its devices and registers with the kubelet of `kubeletDir`. Needs root for its files. */
export async function startClaimDriver(wish: ClaimDriverWish): Promise<ClaimDriverProcess> {
  const { name, nodeName, client, kubeletDir } = wish;
  const endpoint = join(kubeletDir, 'plugins', name, 'dra.sock');
  const registration = join(kubeletDir, 'plugins_registry', `${name}-reg.sock`);
  for (const path of [endpoint, registration]) mkdirSync(dirname(path), { recursive: true });
  mkdirSync(CDI_DIRECTORY, { recursive: true });
  const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
  const devices = wish.devices.map((device) => ({ name: device, attributes: { model: { string: 'null' } } }));
  await client
    .resource(RESOURCE_SLICES)
    .create({ metadata: { name: `${name}-${nodeName}` }, spec: { driver: name, nodeName, pool, devices } } as never);
  const driver = new Driver(wish);
  const info = { type: 'DRAPlugin', name, endpoint, supported_versions: ['v1.DRAPlugin'] };
  const servers: GrpcServer[] = [];
  for (const [path, protocol, services] of [
    [endpoint, 'dra', { 'k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin': driver.methods }],
    [
      registration,
      'registration',
      {
        'pluginregistration.Registration': {
          GetInfo: { unary: async () => info },
          NotifyRegistrationStatus: { unary: async () => ({}) },
        },
      },
    ],
  ] as const)
    servers.push(await serveSocket({ path, descriptors: [await describe(protocol)], services }));
  return {
    calls: driver.calls,
    files: () => [...driver.files].filter((path) => existsSync(path)),
    async stop() {
      for (const server of servers) await server.close();
      for (const path of driver.files) rmSync(path, { force: true });
    },
  };
}

class Driver {
  readonly calls: string[] = [];
  readonly files = new Set<string>();
  readonly #wish: ClaimDriverWish;

  constructor(wish: ClaimDriverWish) {
    this.#wish = wish;
  }

  get methods(): { readonly [method: string]: { readonly unary: (request: unknown) => Promise<object> } } {
    const each =
      (method: string, act: (claim: ClaimMessage) => Promise<object>) =>
      async (request: unknown): Promise<object> => {
        const { claims } = request as { readonly claims: readonly ClaimMessage[] };
        this.calls.push(`${method} ${claims.map((claim) => claim.name).join()}`);
        const answers: [string, object][] = [];
        for (const claim of claims) answers.push([claim.uid, await act(claim)]);
        return { claims: Object.fromEntries(answers) };
      };
    return {
      NodePrepareResources: { unary: each('prepare', (claim) => this.#prepare(claim)) },
      NodeUnprepareResources: { unary: each('unprepare', async ({ uid }) => (rmSync(this.#file(uid)), {})) },
    };
  }

  /** A device of CDI per claim: what it gets depends on who asks. */
  async #prepare({ namespace, name, uid }: ClaimMessage): Promise<object> {
    const claim = await this.#wish.client.resource(RESOURCE_CLAIMS, namespace).get(name);
    const results = (claim.status?.allocation?.devices?.results ?? []).filter((r) => r.driver === this.#wish.name);
    const kind = `${this.#wish.name}/device`;
    const devices = results.map(({ device }) => ({
      name: `${uid}-${device}`,
      containerEdits: {
        env: [`CLAIMED_${device.toUpperCase()}=${name}`],
        deviceNodes: [{ path: `/dev/claimed-${device}`, hostPath: '/dev/null' }],
        mounts: [{ hostPath: '/etc/os-release', containerPath: '/from-the-driver', options: ['ro', 'bind'] }],
      },
    }));
    this.files.add(this.#file(uid));
    writeFileSync(this.#file(uid), JSON.stringify({ cdiVersion: '0.6.0', kind, devices }));
    return {
      devices: results.map(({ request, pool, device }) => ({
        request_names: [request],
        pool_name: pool,
        device_name: device,
        cdi_device_ids: [`${kind}=${uid}-${device}`],
      })),
    };
  }

  #file(uid: string): string {
    return join(CDI_DIRECTORY, `${this.#wish.name}-${uid}.json`);
  }
}
