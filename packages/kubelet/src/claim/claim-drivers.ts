/** The drivers of claims on this node: registered by socket, asked to prepare devices and to take them back. */
import type { Clock, Timer } from '@binnacle/base';
import { PluginRefusal } from '../plugin/plugin-error.ts';
import type { PluginHandler, PluginInfo } from '../plugin/registry.ts';
import type { PluginMethod, PluginWire } from '../ports.ts';
import type { PreparedDevice } from './claim-records.ts';

/** What drivers know of a claim. */
export interface ClaimName {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface ClaimDriversOptions {
  readonly wire: PluginWire;
  readonly clock: Clock;
  /** A driver has come: what waits for it may go on. */
  readonly arrived: (driver: string) => void;
  /** It went and did not come back in time: what it told of its devices is not true any more. */
  readonly lost: (driver: string) => void;
}

interface DeviceMessage {
  readonly request_names: readonly string[];
  readonly pool_name: string;
  readonly device_name: string;
  readonly cdi_device_ids: readonly string[];
  readonly share_id?: string;
}

interface PrepareMessage {
  readonly claims: { readonly [uid: string]: { readonly devices: readonly DeviceMessage[]; readonly error: string } };
}

interface UnprepareMessage {
  readonly claims: { readonly [uid: string]: { readonly error: string } };
}

/** Upstream's. */
const TIMEOUT_MS = 45_000;
const GONE_MS = 30_000;

/** The versions that we speak, the better one first. */
const VERSIONS = [
  { name: 'v1.DRAPlugin', protocol: 'dra', service: 'k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin' },
  { name: 'v1beta1.DRAPlugin', protocol: 'draBeta', service: 'k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin' },
] as const;

type Version = (typeof VERSIONS)[number];

interface Driver {
  readonly endpoint: string;
  readonly version: Version;
}

export class ClaimDrivers implements PluginHandler {
  readonly #of: ClaimDriversOptions;
  readonly #drivers = new Map<string, Driver>();
  readonly #timers = new Map<string, Timer>();

  constructor(options: ClaimDriversOptions) {
    this.#of = options;
    this.#waitFor('');
  }

  validate({ name, endpoint, versions }: PluginInfo): void {
    if (name === '' || endpoint === '') throw new PluginRefusal('DRA driver name and endpoint must not be empty');
    versionOf(name, versions);
  }

  async register({ name, endpoint, versions }: PluginInfo): Promise<void> {
    this.#timers.get(name)?.cancel();
    this.#timers.delete(name);
    this.#drivers.set(name, { endpoint, version: versionOf(name, versions) });
    this.#of.arrived(name);
  }

  async deregister({ name, endpoint }: PluginInfo): Promise<void> {
    this.#of.wire.forget(endpoint);
    // Another socket may have brought the driver anew.
    if (this.#drivers.get(name)?.endpoint !== endpoint) return;
    this.#drivers.delete(name);
    this.#waitFor(name);
  }

  has(driver: string): boolean {
    return this.#drivers.has(driver);
  }

  /** Has a driver make a claim's devices ready. Throws PluginError and PluginRefusal. */
  async prepare(driver: string, claim: ClaimName): Promise<readonly PreparedDevice[]> {
    const answer = (await this.#call(driver, 'NodePrepareResources', claim)) as PrepareMessage;
    const of = Object.hasOwn(answer.claims, claim.uid) ? answer.claims[claim.uid] : undefined;
    if (of === undefined) throw new PluginRefusal('NodePrepareResources skipped 1 ResourceClaims');
    if (of.error !== '') {
      throw new PluginRefusal(`NodePrepareResources failed for ResourceClaim ${claim.name}: ${of.error}`);
    }
    return of.devices.map((device) => ({
      driver,
      requests: device.request_names,
      pool: device.pool_name,
      device: device.device_name,
      cdiIds: device.cdi_device_ids,
      ...((device.share_id ?? '') === '' ? {} : { share: device.share_id ?? '' }),
    }));
  }

  /** Has a driver take them back. Throws PluginError and PluginRefusal. */
  async unprepare(driver: string, claim: ClaimName): Promise<void> {
    const answer = (await this.#call(driver, 'NodeUnprepareResources', claim)) as UnprepareMessage;
    const of = Object.hasOwn(answer.claims, claim.uid) ? answer.claims[claim.uid] : undefined;
    if (of === undefined) throw new PluginRefusal('NodeUnprepareResources skipped 1 ResourceClaims');
    if (of.error !== '') {
      throw new PluginRefusal(`NodeUnprepareResources failed for ResourceClaim ${claim.name}: ${of.error}`);
    }
  }

  close(): void {
    for (const timer of this.#timers.values()) timer.cancel();
  }

  /** The empty name: those that were here before this kubelet. */
  #waitFor(driver: string): void {
    const timer = this.#of.clock.after(GONE_MS, () => this.#of.lost(driver), { background: true });
    this.#timers.set(driver, timer);
  }

  #call(name: string, method: string, claim: ClaimName): Promise<unknown> {
    const driver = this.#drivers.get(name);
    if (driver === undefined) throw new PluginRefusal(`DRA driver ${name} is not registered`);
    const { protocol, service } = driver.version;
    const of: PluginMethod = { protocol, service, method, timeoutMs: TIMEOUT_MS };
    return this.#of.wire.call(driver.endpoint, of, { claims: [claim] });
  }
}

function versionOf(name: string, versions: readonly string[]): Version {
  const version = VERSIONS.find((one) => versions.includes(one.name));
  if (version !== undefined) return version;
  const known = VERSIONS.map((one) => one.name).join(', ');
  throw new PluginRefusal(
    `DRA driver ${name} supports none of the gRPC services that this kubelet speaks (${known}): ${versions.join(', ')}`,
  );
}
