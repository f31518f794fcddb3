import type { Container, EnvVar, EphemeralContainer, PodSpec } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Warnings } from '../../../validation/warnings.ts';
import { hasFractions, warnOfFractions } from './amounts.ts';
import { PortWarnings } from './ports.ts';

const IN_BYTES = ['memory', 'ephemeral-storage'];
/** In the order in which they are told of. */
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Any sort of container. */
export type AnyContainer = Container | EphemeralContainer;

/** Of all containers of a pod; `path` is the spec's. */
export function warnOfContainers(spec: PodSpec, path: FieldPath, warnings: Warnings): void {
  let isAboutPorts = false;
  let count = 0;
  let isAboutMore = false;
  // What is to be told is put into words by another walk, which hardly any pod needs.
  for (const list of LISTS) {
    for (const { ports, resources, env } of spec[list] ?? []) {
      for (const { hostIP } of ports ?? []) if (++count > 1 || hostIP) isAboutPorts = true;
      if (hasFractions(resources?.limits, IN_BYTES) || hasFractions(resources?.requests, IN_BYTES)) isAboutMore = true;
      if (env && env.length > 1) isAboutMore = true;
    }
  }
  if (isAboutMore) eachContainer(spec, path, (container, here) => warnOfContainer(container, here, warnings));
  // One port has no other to be compared with.
  if (isAboutPorts) warnOfPorts(spec, path, warnings);
  if (spec.overhead) warnOfFractions(spec.overhead, { resources: IN_BYTES, path: path.child('overhead'), warnings });
}

function warnOfContainer({ resources, env }: AnyContainer, path: FieldPath, warnings: Warnings): void {
  for (const list of ['limits', 'requests'] as const) {
    const here = path.child('resources').child(list);
    warnOfFractions(resources?.[list], { resources: IN_BYTES, path: here, warnings });
  }
  warnOfHiddenVariables(env ?? [], path, warnings);
}

function warnOfPorts(spec: PodSpec, path: FieldPath, warnings: Warnings): void {
  const ports = new PortWarnings(warnings);
  eachContainer(spec, path, (container, here) => ports.look(container.ports, here));
  ports.finish();
}

/** By lists, in the order in which they are told of. */
export function eachContainer(
  spec: PodSpec,
  path: FieldPath,
  visit: (container: AnyContainer, path: FieldPath) => void,
): void {
  for (const list of LISTS) {
    for (const [at, container] of (spec[list] ?? []).entries()) visit(container, path.child(list).index(at));
  }
}

/** A second variable of a name is right only where it builds upon the first. */
function warnOfHiddenVariables(env: readonly EnvVar[], path: FieldPath, warnings: Warnings): void {
  if (env.length < 2) return;
  const seen = new Set<string>();
  for (const [at, { name, value = '', valueFrom }] of env.entries()) {
    if (!seen.has(name)) {
      seen.add(name);
      continue;
    }
    const before = `$(${name})`;
    if (!valueFrom && value !== before && value.includes(before)) continue;
    const told = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    warnings.add(path.child('env').index(at), told);
  }
}
