import { existsSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { describe, failureOf, openChannel, serveSocket, STATUS } from '@binnacle/grpc';
import { TestkitError } from './errors.ts';
import { lookUntil } from './look-until.ts';

const LOOK_MS = 100;

/** One device of a test's plugin. */
export interface TestDevice {
  readonly id: string;
  readonly isHealthy: boolean;
}

/** A device plugin that runs in the test. */
export interface DevicePluginProcess {
  /** Calls of the kubelet: method and request. */
  readonly calls: readonly { readonly method: string; readonly request: unknown }[];
  /** Resolves when the kubelet knows of its devices: pods that come before that are rejected. */
  untilKnown(): Promise<void>;
  /** What it has from now on. */
  say(devices: readonly TestDevice[]): void;
  stop(): Promise<void>;
}

/**
 * Starts a plugin that brings a resource; its devices are all `/dev/null` by another name. As real ones do, it registers
 * with the kubelet of `kubeletDir`, and again whenever that opens its socket anew.
 */
export async function startDevicePlugin(wish: {
  readonly kubeletDir: string;
  readonly resource: string;
  readonly devices: readonly TestDevice[];
}): Promise<DevicePluginProcess> {
  const directory = join(wish.kubeletDir, 'device-plugins');
  const endpoint = `${wish.resource.replace('/', '_')}.sock`;
  const own = join(directory, endpoint);
  const kubelet = join(directory, 'kubelet.sock');
  const calls: { method: string; request: unknown }[] = [];
  const listeners = new Set<(message: object) => void>();
  let devices = wish.devices;
  const message = (): object => ({
    devices: devices.map(({ id, isHealthy }) => ({ ID: id, health: isHealthy ? 'Healthy' : 'Unhealthy' })),
  });
  const noted =
    (method: string, act: (request: unknown) => object) =>
    async (request: unknown): Promise<object> => {
      calls.push({ method, request });
      return act(request);
    };
  const plugin = {
    GetDevicePluginOptions: { unary: noted('GetDevicePluginOptions', () => ({ pre_start_required: true })) },
    ListAndWatch: {
      stream: (_: unknown, sink: { readonly send: (message: object) => void; readonly signal: AbortSignal }) => {
        sink.send(message());
        listeners.add(sink.send);
        sink.signal.addEventListener('abort', () => listeners.delete(sink.send));
      },
    },
    Allocate: { unary: noted('Allocate', allocate) },
    PreStartContainer: { unary: noted('PreStartContainer', () => ({})) },
  };
  const descriptors = [await describe('devices')];
  const serve = () => serveSocket({ path: own, descriptors, services: { 'v1beta1.DevicePlugin': plugin } });
  let server = await serve();
  const register = (): Promise<void> => registerAt(kubelet, { endpoint, resource: wish.resource });
  await register();
  let again: Promise<void> = Promise.resolve();
  let failed: TestkitError | undefined;
  const anew = async (): Promise<void> => {
    await server.close();
    server = await serve();
    await register();
  };
  // A kubelet that starts removes the sockets of plugins, then opens its own.
  const watcher = watch(directory, (_, name) => {
    if (name !== 'kubelet.sock' || !existsSync(kubelet)) return;
    again = again
      .then(() => (existsSync(own) ? undefined : anew()))
      .catch((error: unknown) => {
        failed = new TestkitError('the plugin could not register anew', error);
      });
  });
  return {
    calls,
    untilKnown: () => untilKnown(wish.kubeletDir, wish.resource, () => failed),
    say(now) {
      devices = now;
      for (const send of listeners) send(message());
    },
    async stop() {
      watcher.close();
      await again;
      await server.close();
      rmSync(own, { force: true });
    },
  };
}

function allocate(request: unknown): object {
  const { container_requests: requests } = request as {
    readonly container_requests: readonly { readonly devices_ids: readonly string[] }[];
  };
  return {
    container_responses: requests.map(({ devices_ids: ids }) => ({
      envs: { TEST_DEVICES: ids.join(',') },
      annotations: { 'test.dev/devices': ids.join(',') },
      mounts: [{ host_path: '/etc/os-release', container_path: '/from-the-plugin', read_only: true }],
      devices: ids.map((id) => ({ host_path: '/dev/null', container_path: `/dev/test-${id}`, permissions: 'rw' })),
    })),
  };
}

/**
 * A socket that is there may not listen yet: its file comes with `bind`, connections are refused until `listen`. As real
 * plugins do, it tries again.
 */
async function registerAt(
  kubelet: string,
  of: { readonly endpoint: string; readonly resource: string },
): Promise<void> {
  await lookUntil({
    what: `the kubelet to take ${of.resource}`,
    look: async () =>
      registerOnce(kubelet, of).then(
        () => 'registered',
        (error: unknown) => {
          const { status, details } = failureOf(error);
          if (status !== STATUS.UNAVAILABLE) throw error;
          return details;
        },
      ),
    until: (told) => told === 'registered',
  });
}

async function registerOnce(
  kubelet: string,
  of: { readonly endpoint: string; readonly resource: string },
): Promise<void> {
  const channel = await openChannel(`unix://${kubelet}`, async () => [await describe('devices')]);
  const request = {
    version: 'v1beta1',
    endpoint: of.endpoint,
    resource_name: of.resource,
    options: { pre_start_required: true },
  };
  try {
    await channel.unary({ service: 'v1beta1.Registration', method: 'Register' }, request, 10_000);
  } finally {
    channel.close();
  }
}

interface PodResources {
  readonly name: string;
  readonly containers: readonly {
    readonly name: string;
    readonly devices: readonly { readonly resource_name: string; readonly device_ids: readonly string[] }[];
    readonly dynamic_resources: readonly {
      readonly claim_name: string;
      readonly claim_resources: readonly { readonly device_name: string }[];
    }[];
  }[];
}

/** As who watches over devices asks for it: nobody tells of it. */
async function untilKnown(kubeletDir: string, resource: string, failed: () => TestkitError | undefined): Promise<void> {
  await lookUntil({
    what: `the kubelet to know of ${resource}`,
    look: async () => {
      const failure = failed();
      if (failure !== undefined) throw failure;
      // A kubelet that starts does not answer yet.
      const told = await allocatableDevices(kubeletDir).catch(() => []);
      return told.map((one) => one.resource_name);
    },
    until: (names) => names.includes(resource),
    everyMs: LOOK_MS,
  });
}

async function allocatableDevices(kubeletDir: string): Promise<readonly { readonly resource_name: string }[]> {
  const path = join(kubeletDir, 'pod-resources', 'kubelet.sock');
  const channel = await openChannel(`unix://${path}`, async () => [await describe('podResources')]);
  try {
    const method = { service: 'v1.PodResourcesLister', method: 'GetAllocatableResources' };
    const answer = await channel.unary(method, {}, 10_000);
    return (answer as { readonly devices: readonly { readonly resource_name: string }[] }).devices;
  } finally {
    channel.close();
  }
}

/** What a kubelet's pod resources API says, as `pod/container resource ids` and `pod/container claim devices`, sorted. */
export async function readPodResources(kubeletDir: string): Promise<readonly string[]> {
  const path = join(kubeletDir, 'pod-resources', 'kubelet.sock');
  const channel = await openChannel(`unix://${path}`, async () => [await describe('podResources')]);
  try {
    const lister = { service: 'v1.PodResourcesLister', method: 'List' };
    const answer = (await channel.unary(lister, {}, 10_000)) as { readonly pod_resources: readonly PodResources[] };
    const lines = answer.pod_resources.flatMap((pod) =>
      pod.containers.flatMap(({ name, devices, dynamic_resources: claims }) => [
        ...devices.map((device) => `${pod.name}/${name} ${device.resource_name} ${device.device_ids.join(',')}`),
        ...claims.map(({ claim_name: claim, claim_resources: all }) =>
          [`${pod.name}/${name}`, claim, all.map((one) => one.device_name).join()].join(' '),
        ),
      ]),
    );
    return lines.toSorted();
  } finally {
    channel.close();
  }
}
