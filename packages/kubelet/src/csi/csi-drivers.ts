import { VolumeError } from '../errors.ts';
import { PluginRefusal } from '../plugin/plugin-error.ts';
import type { PluginHandler, PluginInfo } from '../plugin/registry.ts';
import type { PluginWire } from '../ports.ts';
import { CsiClient, type CsiNodeInfo } from './csi-client.ts';
import { isDriverName, supportsVersion } from './names.ts';

/** Tells the API which drivers this node has. */
export interface CsiNodePage {
  /** Throws what the API throws. */
  install(driver: string, info: CsiNodeInfo): Promise<void>;
  remove(driver: string): Promise<void>;
}

export interface CsiDriversOptions {
  readonly wire: PluginWire;
  /** Absent: there is nobody to tell. */
  readonly page: CsiNodePage | undefined;
  /** A driver has come: what waits for it may go on. */
  readonly arrived: (driver: string) => void;
}

/** The CSI drivers of this node, as they register. */
export class CsiDrivers implements PluginHandler {
  readonly #of: CsiDriversOptions;
  readonly #drivers = new Map<string, { readonly endpoint: string; readonly client: CsiClient }>();

  constructor(options: CsiDriversOptions) {
    this.#of = options;
  }

  /** Throws VolumeError where it is not here, or not yet. */
  need(driver: string): CsiClient {
    const found = this.#drivers.get(driver);
    if (found !== undefined) return found.client;
    throw new VolumeError(driver, `driver name ${driver} not found in the list of registered CSI drivers`);
  }

  validate({ name, endpoint, versions }: PluginInfo): void {
    const about = `validation failed for CSI Driver ${name} at endpoint ${endpoint}`;
    if (!isDriverName(name)) throw new PluginRefusal(`${about}: invalid driver name`);
    if (versions.length === 0) throw new PluginRefusal(`${about}: a list of supported versions is required`);
    if (!supportsVersion(versions)) {
      throw new PluginRefusal(
        `${about}: none of the CSI versions reported by this driver are supported: ${versions.join(',')}`,
      );
    }
  }

  async register({ name, endpoint }: PluginInfo): Promise<void> {
    const client = new CsiClient(this.#of.wire, endpoint);
    const info = await client.nodeInfo();
    if (info.nodeId === '') {
      throw new PluginRefusal('error adding CSI driver node info: driverNodeID must not be empty');
    }
    await this.#of.page?.install(name, info);
    this.#drivers.set(name, { endpoint, client });
    this.#of.arrived(name);
  }

  async deregister({ name, endpoint }: PluginInfo): Promise<void> {
    this.#of.wire.forget(endpoint);
    // Another socket may have brought the driver anew.
    if (this.#drivers.get(name)?.endpoint !== endpoint) return;
    this.#drivers.delete(name);
    await this.#of.page?.remove(name);
  }
}
