import type { ObjectMeta } from '@binnacle/machinery';
import type { PodSpec } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { validateAffinity } from './affinity.ts';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './containers.ts';
import { validateHostProcess, validateOperatingSystem } from './operating-system.ts';
import { validateDns } from './placement.ts';
import { validatePodResources } from './pod-resources.ts';
import { validateHostNetworkPorts } from './ports.ts';
import type { PodScope } from './scope.ts';
import { validatePodSecurityContext } from './security.ts';
import { validateSpecNames, validateSpecPolicies } from './spec-fields.ts';
import { validateGates, validateHostUsers, validatePlacement, validateResourceClaims } from './spec-lists.ts';
import { validateVolumes } from './volumes.ts';

/** The spec to check: of a pod when `metadata` is there, else of a template. */
export interface SpecToValidate {
  readonly spec: PodSpec;
  readonly metadata?: ObjectMeta;
}

/** The spec of a pod or of the template of one. */
export function validatePodSpec(given: SpecToValidate, path: FieldPath, report: Report): void {
  const { spec, metadata } = given;
  const isPod = metadata !== undefined;
  if (spec.terminationGracePeriodSeconds === undefined) report.required(path.child('terminationGracePeriodSeconds'));
  const volumeScope = { report, isPod, ...(metadata ? { metadata } : {}) };
  const volumes = spec.volumes ? validateVolumes(spec.volumes, path.child('volumes'), volumeScope) : new Map();
  const scope: PodScope = { report, spec, volumes, isPod };
  if (spec.resourceClaims) validateResourceClaims(path.child('resourceClaims'), scope);
  validateContainers(path.child('containers'), scope);
  validateInitContainers(path.child('initContainers'), scope);
  validateEphemeralContainers(path.child('ephemeralContainers'), scope);
  validatePodResources(path.child('resources'), scope);
  validateHostNetworkPorts(path, scope);
  validateSpecPolicies(spec, path, report);
  validatePodSecurityContext(path.child('securityContext'), scope);
  if (spec.affinity) validateAffinity(spec.affinity, path.child('affinity'), report);
  validateDns(path.child('dnsConfig'), scope);
  validateGates(spec, path, report);
  validatePlacement(spec, path, report);
  validateHostUsers(spec, path, report);
  validateHostProcess(path, scope);
  validateSpecNames(spec, path, report);
  validateOperatingSystem(path, scope);
}
