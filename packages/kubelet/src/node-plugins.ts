import { CsiAttachments } from './csi/attachments.ts';
import { CsiDrivers } from './csi/csi-drivers.ts';
import { createCsiNodePage } from './csi/csi-node-page.ts';
import { CsiRecords } from './csi/csi-records.ts';
import { CsiVolumes } from './csi/csi-volumes.ts';
import { PluginRegistry } from './plugin/registry.ts';
import type { KubeletOptions } from './ports.ts';

/** What vendors' programs do for one node. */
export interface NodePlugins {
  readonly volumes: CsiVolumes;
  /** What the Node's status says of them. */
  readonly ofNode: { readonly volumesInUse: () => readonly string[] };
  /** Takes in those that are there, and those that come. */
  start(): Promise<void>;
}

/** Puts together what speaks to plugins; undefined where there are no files or no sockets. */
export function nodePlugins(
  options: KubeletOptions,
  of: {
    /** Writes the Node's status. */
    readonly tellNode: () => Promise<void>;
    /** A driver of volumes is here: who waited may go on. */
    readonly driverCame: () => void;
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
  const registry = new PluginRegistry({
    directory: `${rootDirectory}/plugins_registry`,
    files,
    wire,
    handlers: new Map([['CSIPlugin', drivers]]),
    clock,
    log,
    scope,
  });
  return { volumes, ofNode: { volumesInUse: () => attachments.inUse }, start: () => registry.start() };
}
