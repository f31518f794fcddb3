import { names } from '@binnacle/machinery';
import type { Pod, PodSpec, PodTemplate, PodTemplateSpec } from '../../generated/core-v1.ts';
import { warnOfIp } from '../../validation/address-warnings.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Warnings } from '../../validation/warnings.ts';
import { warnOfAnnotations } from './warnings/annotations.ts';
import { warnOfContainers } from './warnings/containers.ts';
import { warnOfPlacement } from './warnings/placement.ts';
import { warnOfVolumes } from './warnings/volumes.ts';

const METADATA = fieldPath('metadata');
const SPEC = fieldPath('spec');
const HOSTNAME = "this is used in the Pod's hostname";

/** Of a new pod; whoever changes one is told nothing, as that is seldom a person. */
export function podWarnings(pod: Pod, before?: Pod): readonly string[] {
  if (before !== undefined) return [];
  const warnings = new Warnings();
  warnOfName(pod.metadata.name, HOSTNAME, warnings);
  warnOfPod(pod, { metadata: METADATA, spec: SPEC }, warnings);
  return warnings.texts;
}

/** Of a template that is an object of its own. */
export function podTemplateWarnings(object: PodTemplate, before?: PodTemplate): readonly string[] {
  const warnings = new Warnings();
  const isNew = before === undefined || object.metadata.generation !== before.metadata.generation;
  if (isNew) warnOfTemplate(object.template, fieldPath('template'), warnings);
  return warnings.texts;
}

/** Of the pods that a workload would make. */
export function warnOfTemplate(template: PodTemplateSpec | undefined, path: FieldPath, warnings: Warnings): void {
  if (!template) return;
  warnOfPod(template, { metadata: path.child('metadata'), spec: path.child('spec') }, warnings);
}

/** Of a name that is right, but no DNS label; `use` says what else it becomes. */
export function warnOfName(name: string | undefined, use: string, warnings: Warnings): void {
  const errors = names.dnsLabelErrors(name ?? '');
  if (errors.length === 0) return;
  const advice = 'which can result in surprising behavior; a DNS label is recommended';
  warnings.add(METADATA.child('name'), `${use}, ${advice}: [${errors.join(' ')}]`);
}

function warnOfPod(
  pod: { readonly metadata?: Pod['metadata']; readonly spec?: PodSpec },
  paths: { readonly metadata: FieldPath; readonly spec: FieldPath },
  warnings: Warnings,
): void {
  const { spec } = pod;
  if (!spec) return;
  warnOfPlacement(spec, paths.spec, warnings);
  warnOfAnnotations(pod, paths, warnings);
  warnOfVolumes(spec, paths.spec, warnings);
  warnOfLists(spec, paths.spec, warnings);
  warnOfContainers(spec, paths.spec, warnings);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const told = 'must be >= 0; negative values are invalid and will be treated as 1';
    warnings.add(paths.spec.child('terminationGracePeriodSeconds'), told);
  }
  for (const [at, server] of (spec.dnsConfig?.nameservers ?? []).entries()) {
    warnOfIp(server, paths.spec.child('dnsConfig').child('nameservers').index(at), warnings);
  }
}

function warnOfLists({ hostAliases = [], imagePullSecrets = [] }: PodSpec, path: FieldPath, warnings: Warnings): void {
  if (hostAliases.length > 0) warnOfAliases(hostAliases, path.child('hostAliases'), warnings);
  if (imagePullSecrets.length > 0) warnOfSecrets(imagePullSecrets, path.child('imagePullSecrets'), warnings);
}

function warnOfAliases(aliases: NonNullable<PodSpec['hostAliases']>, path: FieldPath, warnings: Warnings): void {
  const ips = new Set<string>();
  for (const [at, { ip }] of aliases.entries()) {
    const here = path.index(at).child('ip');
    if (ips.has(ip)) warnings.add(here, `duplicate ip ${JSON.stringify(ip)}`);
    ips.add(ip);
    warnOfIp(ip, here, warnings);
  }
}

function warnOfSecrets(
  references: NonNullable<PodSpec['imagePullSecrets']>,
  path: FieldPath,
  warnings: Warnings,
): void {
  const secrets = new Set<string>();
  for (const [at, { name = '' }] of references.entries()) {
    const here = path.index(at).child('name');
    if (secrets.has(name)) warnings.add(here, `duplicate name ${JSON.stringify(name)}`);
    secrets.add(name);
    if (name === '') warnings.add(here, 'invalid empty name ""');
  }
}

/** Of addresses that a node reports for a pod. */
export function podStatusWarnings({ status }: Pod): readonly string[] {
  const warnings = new Warnings();
  const path = fieldPath('status');
  for (const [at, { ip }] of (status?.podIPs ?? []).entries()) {
    if (ip) warnOfIp(ip, path.child('podIPs').index(at).child('ip'), warnings);
  }
  for (const [at, { ip }] of (status?.hostIPs ?? []).entries()) {
    if (ip) warnOfIp(ip, path.child('hostIPs').index(at).child('ip'), warnings);
  }
  return warnings.texts;
}
