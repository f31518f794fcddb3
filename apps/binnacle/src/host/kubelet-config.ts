import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { KubeletConfig } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';

/** The fields of kubelet.config.k8s.io/v1beta1 KubeletConfiguration that are understood. */
interface KubeletConfiguration {
  readonly kind?: string;
  readonly staticPodPath?: string;
  readonly maxPods?: number;
  readonly clusterDNS?: readonly string[];
  readonly clusterDomain?: string;
}

/** What a kubelet's `--config` file says. */
export interface KubeletFile {
  readonly staticPodPath?: string;
  readonly config: Partial<KubeletConfig>;
}

const KNOWN = new Set(['apiVersion', 'kind', 'staticPodPath', 'maxPods', 'clusterDNS', 'clusterDomain']);

/** Reads a KubeletConfiguration (YAML or JSON). Fields that are not understood are named and refused. */
export async function readKubeletConfig(path: string | undefined): Promise<KubeletFile> {
  if (path === undefined) return { config: {} };
  const { readYaml } = await import('@binnacle/machinery/yaml');
  const parsed = await readFile(path, 'utf8')
    .then((text) => readYaml(text).value as KubeletConfiguration | undefined)
    .catch((error: unknown) => {
      throw new UsageError(`cannot read the kubelet configuration ${path}`, error);
    });
  if (typeof parsed !== 'object' || parsed === null || parsed.kind !== 'KubeletConfiguration') {
    throw new UsageError(`${path}: expected kind KubeletConfiguration`);
  }
  const unknown = Object.keys(parsed).filter((field) => !KNOWN.has(field));
  if (unknown.length > 0) throw new UsageError(`${path}: fields that are not supported yet: ${unknown.join(', ')}`);
  const { staticPodPath, maxPods, clusterDNS, clusterDomain } = parsed;
  return {
    ...(staticPodPath === undefined ? {} : { staticPodPath: resolve(dirname(path), staticPodPath) }),
    config: {
      ...(maxPods === undefined ? {} : { maxPods }),
      ...(clusterDNS === undefined ? {} : { clusterDNS }),
      ...(clusterDomain === undefined ? {} : { clusterDomain }),
    },
  };
}
