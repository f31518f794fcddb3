import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf } from '@binnacle/base';
import { quantityValue } from '@binnacle/machinery';
import type { KubeletConfig } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';
import { parseDuration } from './duration.ts';

/** What a kubelet's `--config` file says. */
export interface KubeletFile {
  readonly staticPodPath?: string;
  readonly config: Partial<KubeletConfig>;
}

/** How a field is read: into the kubelet's own configuration. Throws what is wrong with the value. */
type Reader = (value: unknown) => Partial<KubeletConfig>;

const FIELDS: { readonly [field: string]: Reader } = {
  allowedUnsafeSysctls: (value) => ({ allowedUnsafeSysctls: texts(value) }),
  clusterDNS: (value) => ({ clusterDNS: texts(value) }),
  clusterDomain: (value) => ({ clusterDomain: text(value) }),
  containerLogMaxFiles: (value) => ({ logMaxFiles: whole(value, 2) }),
  containerLogMaxSize: (value) => ({ logMaxBytes: bytes(value) }),
  containerLogMonitorInterval: (value) => ({ logCheckPeriodMs: milliseconds(value) }),
  maxPods: (value) => ({ maxPods: whole(value, 0) }),
  nodeLeaseDurationSeconds: (value) => {
    const seconds = whole(value, 1);
    return { leaseDurationSeconds: seconds, leasePeriodMs: seconds * 250 };
  },
  nodeStatusReportFrequency: (value) => ({ nodeStatusPeriodMs: milliseconds(value) }),
  nodeStatusUpdateFrequency: (value) => ({ nodeStatusUpdateMs: milliseconds(value) }),
  registerNode: (value) => ({ registerNode: flag(value) }),
};

/** Read elsewhere, or true of what we do whatever they say: the folder of manifests is watched, not looked at at times. */
const OTHERS = new Set(['apiVersion', 'kind', 'staticPodPath', 'fileCheckFrequency']);

/** Reads a KubeletConfiguration (YAML or JSON). Fields that are not understood are named and refused. */
export async function readKubeletConfig(path: string | undefined): Promise<KubeletFile> {
  if (path === undefined) return { config: {} };
  const { readYaml } = await import('@binnacle/machinery/yaml');
  const parsed = await readFile(path, 'utf8')
    .then((content) => readYaml(content).value as { readonly [field: string]: unknown } | undefined)
    .catch((error: unknown) => {
      throw new UsageError(`cannot read the kubelet configuration ${path}`, error);
    });
  if (typeof parsed !== 'object' || parsed === null || parsed['kind'] !== 'KubeletConfiguration') {
    throw new UsageError(`${path}: expected kind KubeletConfiguration`);
  }
  const fields = Object.entries(parsed).filter(([field]) => !OTHERS.has(field));
  const unknown = fields.filter(([field]) => !Object.hasOwn(FIELDS, field)).map(([field]) => field);
  if (unknown.length > 0) throw new UsageError(`${path}: fields that are not supported yet: ${unknown.join(', ')}`);
  const config: Partial<KubeletConfig> = Object.assign(
    {},
    ...fields.map(([field, value]) => readField(path, field, value)),
  );
  if (parsed['fileCheckFrequency'] !== undefined) readField(path, 'fileCheckFrequency', parsed['fileCheckFrequency']);
  const { staticPodPath } = parsed;
  return {
    ...(staticPodPath === undefined ? {} : { staticPodPath: resolve(dirname(path), text(staticPodPath)) }),
    config,
  };
}

/** Flags win over the file. */
export function withFlags(
  config: Partial<KubeletConfig>,
  flags: { readonly nodeStatusUpdateFrequency?: number },
): Partial<KubeletConfig> {
  const { nodeStatusUpdateFrequency: nodeStatusUpdateMs } = flags;
  return nodeStatusUpdateMs === undefined ? config : { ...config, nodeStatusUpdateMs };
}

function readField(path: string, field: string, value: unknown): Partial<KubeletConfig> {
  const reader: Reader = FIELDS[field] ?? ((duration) => (milliseconds(duration), {}));
  try {
    return reader(value);
  } catch (error) {
    throw new UsageError(`${path}: ${field}: ${messageOf(error)}`, error);
  }
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new UsageError(`${JSON.stringify(value)} is no text`);
  return value;
}

function texts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new UsageError(`${JSON.stringify(value)} is no list`);
  return value.map(text);
}

function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new UsageError(`${JSON.stringify(value)} is neither true nor false`);
  return value;
}

function whole(value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`${JSON.stringify(value)} is no whole number from ${least}`);
}

function bytes(value: unknown): number {
  return quantityValue(text(value));
}

function milliseconds(value: unknown): number {
  return parseDuration(text(value));
}
