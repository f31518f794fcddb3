import { CsiAttachments } from './csi/attachments.ts';
import { CsiDrivers } from './csi/csi-drivers.ts';
import { createCsiNodePage } from './csi/csi-node-page.ts';
import { CsiRecords } from './csi/csi-records.ts';
import { CsiVolumes } from './csi/csi-volumes.ts';
import type { Pod } from '@binnacle/api/core/v1';
import { ClaimDrivers } from './claim/claim-drivers.ts';
import { NodeClaims } from './claim/node-claims.ts';
import { wipeSlices } from './claim/slice-wiper.ts';
import { NodeDevices } from './device/node-devices.ts';
import type { Givers } from './givers.ts';
import type { DeviceCount } from './registration/node-object.ts';
import { servePodResources } from './device/pod-resources.ts';
import { serveDeviceRegistration } from './device/registration.ts';
import { type PluginHandler, PluginRegistry } from './plugin/registry.ts';
import type { KubeletOptions, PluginWire } from './ports.ts';
import type { VolumeFigures } from './volume/volume-figures.ts';
import type { MountedVolumes } from './volume/volumes.ts';

/** What vendors' programs do for one node. */
export interface NodePlugins {
  readonly volumes: CsiVolumes;
  readonly devices: NodeDevices;
  readonly claims: NodeClaims;
  /** How full volumes are, as far as their drivers tell. */
  readonly figures: (podUid: string, mounted: MountedVolumes) => Promise<readonly VolumeFigures[]>;
  /** What the Node's status says of them. */
  readonly ofNode: {
    readonly volumesInUse: () => readonly string[];
    readonly devices: () => readonly DeviceCount[];
  };
  /** Takes in those that are there, and those that come. */
  start(): Promise<void>;
}

/** Puts together what speaks to plugins; undefined where there are no files or no sockets. */
export function nodePlugins(
  options: KubeletOptions,
  of: {
    /** Writes the Node's status. */
    readonly tellNode: () => Promise<void>;
    /** A driver of volumes or of claims is here: who waited may go on. */
    readonly driverCame: () => void;
    /** The Node's devices are others now. */
    readonly devicesChanged: () => void;
    /** Pods that have not ended. */
    readonly pods: () => readonly Pod[];
    /** Who has CPUs and memory alone; told of to those who watch over devices. */
    readonly givers: () => Givers;
  },
): NodePlugins | undefined {
  const { files, plugins: wire, client, objects, clock, log, scope } = options;
  const { nodeName, rootDirectory } = options.config;
  if (files === undefined || wire === undefined) return undefined;
  const attachments = new CsiAttachments({ nodeName, tell: of.tellNode, log });
  const drivers = new CsiDrivers({
    wire,
    page: client === undefined ? undefined : createCsiNodePage({ client, nodeName, clock }),
    arrived: (driver) => {
      of.driverCame();
      scope.run('stages that nobody uses', () => volumes.clearStages(driver));
    },
  });
  const records = new CsiRecords({ files, root: rootDirectory });
  const now = (): number => clock.now();
  const volumes = new CsiVolumes({ nodeName, files, records, drivers, objects, attachments, now, log });
  const directory = `${rootDirectory}/device-plugins`;
  const nodeIds = (): readonly number[] => of.givers().numa.ids;
  const devices = new NodeDevices({ directory, files, wire, nodeIds, clock, log, changed: of.devicesChanged });
  const claimDrivers = claimDriversOf(options, { wire, arrived: of.driverCame });
  const { cdiDirectories } = options.config;
  const path = `${rootDirectory}/dra_manager_state`;
  const claims = new NodeClaims({ path, files, drivers: claimDrivers, objects, cdiDirectories, log });
  const registry = new PluginRegistry({
    directory: `${rootDirectory}/plugins_registry`,
    files,
    wire,
    handlers: new Map<string, PluginHandler>([
      ['CSIPlugin', drivers],
      ['DevicePlugin', devices],
      ['DRAPlugin', claimDrivers],
    ]),
    clock,
    log,
    scope,
  });
  const start = async (): Promise<void> => {
    await devices.recall();
    await claims.recall();
    scope.defer(() => devices.close());
    scope.defer(() => claimDrivers.close());
    scope.defer(await serveDeviceRegistration({ directory, files, wire, devices }));
    const resources = `${rootDirectory}/pod-resources`;
    scope.defer(await servePodResources({ directory: resources, files, wire, devices, claims, ...of }));
    await registry.start();
  };
  const ofNode = { volumesInUse: () => attachments.inUse, devices: () => devices.counts() };
  return { volumes, devices, claims, figures: figuresOf(volumes), ofNode, start };
}

/** A driver that does not answer keeps nobody from the figures of the others. */
function figuresOf(volumes: CsiVolumes): NodePlugins['figures'] {
  return async (podUid, mounted) => {
    const asked = [...mounted].map(async ([name, { driverVolume, claim }]) => {
      const stats = driverVolume === undefined ? undefined : await volumes.stats(podUid, driverVolume);
      return stats === undefined ? [] : [{ ...stats, name, ...(claim === undefined ? {} : { claim }) }];
    });
    const told = await Promise.allSettled(asked);
    return told.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
}

/** Drivers of claims; what those told that are gone is taken back. */
function claimDriversOf(
  { client, clock, log, scope, config: { nodeName } }: KubeletOptions,
  { wire, arrived }: { readonly wire: PluginWire; readonly arrived: () => void },
): ClaimDrivers {
  const drivers = new ClaimDrivers({
    wire,
    clock,
    arrived,
    lost: (driver) => {
      if (client === undefined) return;
      const isHere = (name: string): boolean => drivers.has(name);
      scope.run('devices of drivers that are gone', () => wipeSlices({ client, nodeName, driver, isHere, log }));
    },
  });
  return drivers;
}
