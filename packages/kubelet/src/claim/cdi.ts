/**
 * The Container Device Interface: files say what a container gets with a device. Done by us beside the engine, since
 * many do not know it: what a file asks for that we cannot hand on is refused by name, never left out.
 */
import { PluginRefusal } from '../plugin/plugin-error.ts';

/** What comes with devices, as a runtime is told of it. */
export interface DeviceEdits {
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly mounts: readonly { readonly hostPath: string; readonly containerPath: string; readonly readOnly: boolean }[];
  readonly devices: readonly {
    readonly hostPath: string;
    readonly containerPath: string;
    readonly permissions: string;
  }[];
  readonly groups: readonly number[];
}

/** What files say of devices, by `vendor/class=name`; of two files that tell of one the later goes before. */
export type DeviceCatalogue = ReadonlyMap<string, DeviceEdits | PluginRefusal>;

const EDITS_DONE = new Set(['env', 'deviceNodes', 'mounts', 'additionalGids']);
const KIND = /^[A-Za-z][\w.-]*\/[A-Za-z][\w.-]*$/;
const NAME = /^[A-Za-z0-9][\w.:-]*$/;

type Fields = { readonly [field: string]: unknown };

/** The devices that one file tells of. Throws PluginRefusal where it is none. */
export function readCdiSpec(value: unknown): DeviceCatalogue {
  const { cdiVersion, kind, devices, containerEdits } = fieldsOf(value);
  if (typeof cdiVersion !== 'string' || typeof kind !== 'string' || !KIND.test(kind))
    throw new PluginRefusal('a CDI file has a cdiVersion, and a kind such as vendor.example/class');
  const found = new Map<string, DeviceEdits | PluginRefusal>();
  for (const one of listOf(devices)) {
    const device = fieldsOf(one);
    const name = device['name'];
    if (typeof name !== 'string' || !NAME.test(name)) throw new PluginRefusal(`${kind}: a device without a good name`);
    found.set(`${kind}=${name}`, editsOf([containerEdits, device['containerEdits']], `${kind}=${name}`));
  }
  return found;
}

/** What a container gets with these devices. Throws PluginRefusal in the words of upstream's library. */
export function editsFor(catalogue: DeviceCatalogue, ids: readonly string[]): DeviceEdits {
  const unknown = ids.filter((id) => !catalogue.has(id));
  if (unknown.length > 0)
    throw new PluginRefusal(`CDI device injection failed: unresolvable CDI devices ${unknown.join(', ')}`);
  const all = ids.flatMap((id) => catalogue.get(id) ?? []);
  const refused = all.find((one) => one instanceof PluginRefusal);
  if (refused !== undefined) throw refused;
  return merged(all.flatMap((one) => (one instanceof PluginRefusal ? [] : [one])));
}

function merged(all: readonly DeviceEdits[]): DeviceEdits {
  return {
    env: all.flatMap(({ env }) => env),
    mounts: all.flatMap(({ mounts }) => mounts),
    devices: all.flatMap(({ devices }) => devices),
    groups: [...new Set(all.flatMap(({ groups }) => groups))],
  };
}

/** Of a file as a whole, and of the device; a refusal is kept until somebody asks for the device. */
function editsOf(parts: readonly unknown[], id: string): DeviceEdits | PluginRefusal {
  try {
    return merged(parts.map((part) => oneEdit(fieldsOf(part ?? {}))));
  } catch (error) {
    if (error instanceof PluginRefusal) return new PluginRefusal(`CDI device ${id}: ${error.message}`);
    throw error;
  }
}

function oneEdit(edits: Fields): DeviceEdits {
  const unknown = Object.entries(edits).filter(([field, value]) => !EDITS_DONE.has(field) && !isEmpty(value));
  if (unknown.length > 0)
    throw new PluginRefusal(`not supported by this kubelet: ${unknown.map(([field]) => field).join(', ')}`);
  return {
    env: listOf(edits['env']).map(variable),
    mounts: listOf(edits['mounts']).map(mount),
    devices: listOf(edits['deviceNodes']).map(deviceNode),
    groups: listOf(edits['additionalGids']).map((group) => {
      if (typeof group !== 'number' || !Number.isSafeInteger(group) || group < 0)
        throw new PluginRefusal(`${JSON.stringify(group)} is no group`);
      return group;
    }),
  };
}

function variable(text: unknown): readonly [string, string] {
  const at = typeof text === 'string' ? text.indexOf('=') : -1;
  if (typeof text !== 'string' || at < 1) throw new PluginRefusal(`${JSON.stringify(text)} is no variable`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function mount(value: unknown): DeviceEdits['mounts'][number] {
  const { hostPath, containerPath, options } = fieldsOf(value);
  return {
    hostPath: path(hostPath),
    containerPath: path(containerPath),
    readOnly: listOf(options).includes('ro'),
  };
}

function deviceNode(value: unknown): DeviceEdits['devices'][number] {
  const node = fieldsOf(value);
  const containerPath = path(node['path']);
  const permissions = node['permissions'] ?? 'rwm';
  if (typeof permissions !== 'string' || !/^[rwm]{1,3}$/.test(permissions))
    throw new PluginRefusal(`${JSON.stringify(permissions)} are no permissions`);
  return {
    hostPath: node['hostPath'] === undefined ? containerPath : path(node['hostPath']),
    containerPath,
    permissions,
  };
}

function path(value: unknown): string {
  if (typeof value === 'string' && value.startsWith('/')) return value;
  throw new PluginRefusal(`${JSON.stringify(value)} is no path`);
}

function fieldsOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new PluginRefusal('it is not written as CDI has it');
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new PluginRefusal('it is not written as CDI has it');
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
