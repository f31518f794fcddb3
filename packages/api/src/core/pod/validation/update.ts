import { memberOf, names } from '@binnacle/machinery';
import type { Affinity, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../../generated/core-v1.ts';
import { describeDifference, isSemanticallyEqual } from '../../../validation/equality.ts';
import { fieldPath } from '../../../validation/path.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { validateImageSpaces } from './containers.ts';

const INT32_MAX = 2_147_483_647;
const SPEC = fieldPath('spec');

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** Few fields of a pod's spec may change; everything else must stay. */
export function validateSpecUpdate(pod: Pod, before: Pod, report: Report): void {
  const after = pod.spec;
  const old = before.spec;
  for (const list of ['containers', 'initContainers'] as const) {
    if ((after[list]?.length ?? 0) !== (old[list]?.length ?? 0)) {
      report.forbidden(SPEC.child(list), 'pod updates may not add or remove containers');
      return;
    }
    for (const [at, container] of (after[list] ?? []).entries()) {
      const here = SPEC.child(list).index(at);
      if (!container.image) report.required(here.child('image'));
      validateImageSpaces(container, here, report);
    }
  }
  if (!validateDeadline(after, old, report)) return;
  validateTolerationUpdate(after.tolerations ?? [], old.tolerations ?? [], report);
  validateGateUpdate(after, old, report);
  validateRest(after, old, report);
}

/** A deadline may be set once and then come nearer. False: upstream looks no further. */
function validateDeadline(after: PodSpec, old: PodSpec, report: Report): boolean {
  const path = SPEC.child('activeDeadlineSeconds');
  const deadline = after.activeDeadlineSeconds;
  const previous = old.activeDeadlineSeconds;
  if (deadline === undefined || deadline === null) {
    if (previous !== undefined && previous !== null) {
      report.invalid(path, null, 'must not update from a positive integer to nil value');
    }
    return true;
  }
  if (deadline < 0 || deadline > INT32_MAX) {
    report.invalid(path, deadline, names.inclusiveRangeError(0, INT32_MAX));
    return false;
  }
  if (previous === undefined || previous === null || previous >= deadline) return true;
  report.invalid(path, deadline, 'must be less than or equal to previous value');
  return false;
}

function validateTolerationUpdate(after: readonly Toleration[], old: readonly Toleration[], report: Report): void {
  if (after === old) return;
  const kept = new Set(after.map(tolerated));
  if (old.every((toleration) => kept.has(tolerated(toleration)))) return;
  report.forbidden(SPEC.child('tolerations'), 'existing toleration can not be modified except its tolerationSeconds');
}

/** What a toleration tolerates, how long apart. */
function tolerated({ key, operator, value, effect }: Toleration): string {
  return JSON.stringify([key, operator, value, effect]);
}

function validateGateUpdate(after: PodSpec, old: PodSpec, report: Report): void {
  if (!after.schedulingGates?.length) return;
  const known = new Set((old.schedulingGates ?? []).map((gate) => gate.name));
  for (const [at, gate] of after.schedulingGates.entries()) {
    if (known.has(gate.name)) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${gate.name}'`;
    report.forbidden(SPEC.child('schedulingGates').index(at).child('name'), detail);
  }
}

/** Takes the fields that may change from the old spec; then both must be equal. */
function validateRest(after: PodSpec, old: PodSpec, report: Report): void {
  if (isSemanticallyEqual('core.v1.PodSpec', after, old)) return;
  const munged: { -readonly [K in keyof PodSpec]?: PodSpec[K] | undefined } = { ...after };
  munged.containers = withImagesOf(after.containers, old.containers);
  munged.initContainers = withImagesOf(after.initContainers, old.initContainers);
  munged.activeDeadlineSeconds = old.activeDeadlineSeconds;
  munged.schedulingGates = old.schedulingGates;
  munged.tolerations = old.tolerations;
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && after.terminationGracePeriodSeconds === 1) {
    munged.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
  if (old.schedulingGates?.length) {
    validateGatedUpdate(after, old, report);
    munged.nodeSelector = old.nodeSelector;
    munged.affinity = withNodeAffinityOf(after, old);
  }
  if (isSemanticallyEqual('core.v1.PodSpec', munged, old)) return;
  const difference = describeDifference('core.v1.PodSpec', old, munged);
  report.forbidden(SPEC, `pod updates may not change fields other than ${UPDATABLE}\n${difference}`);
}

/** With the node affinity of before; one that says nothing else is none where there was none. */
function withNodeAffinityOf(after: PodSpec, old: PodSpec): Affinity | undefined {
  const { nodeAffinity: _, ...rest } = after.affinity ?? {};
  const nodeAffinity = old.affinity?.nodeAffinity;
  if (nodeAffinity) return { ...rest, nodeAffinity };
  const isNone = old.affinity === undefined || after.affinity === undefined;
  return isNone && Object.keys(rest).length === 0 ? undefined : rest;
}

function withImagesOf<C extends { readonly image?: string }>(
  containers: readonly C[] | null | undefined,
  old: readonly C[] | null | undefined,
): C[] {
  return (containers ?? []).map((container, at) => ({ ...container, image: old?.[at]?.image ?? '' }));
}

/** A pod that nobody may schedule yet may still be narrowed to fewer nodes. */
function validateGatedUpdate(after: PodSpec, old: PodSpec, report: Report): void {
  const selector = after.nodeSelector ?? {};
  for (const [key, value] of Object.entries(old.nodeSelector ?? {})) {
    if (memberOf(selector, key) === value) continue;
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    report.invalid(SPEC.child('nodeSelector'), selector, detail);
    break;
  }
  const oldTerms = termsOf(old);
  const terms = termsOf(after);
  if (oldTerms.length === 0) return;
  const path = SPEC.child('affinity')
    .child('nodeAffinity')
    .child('requiredDuringSchedulingIgnoredDuringExecution')
    .child('nodeSelectorTerms');
  if (terms.length !== oldTerms.length) {
    report.invalid(path, terms, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed');
    return;
  }
  validateTermAdditions({ terms, oldTerms }, path, report);
}

function validateTermAdditions(
  given: { readonly terms: readonly NodeSelectorTerm[]; readonly oldTerms: readonly NodeSelectorTerm[] },
  path: FieldPath,
  report: Report,
): void {
  for (const [at, old] of given.oldTerms.entries()) {
    const term = given.terms[at] ?? {};
    if (hasOnlyAdditions(term, old)) continue;
    report.invalid(path.index(at), term, 'only additions are allowed (no mutations or deletions)');
  }
}

function hasOnlyAdditions(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const isOldEmpty = !old.matchExpressions?.length && !old.matchFields?.length;
  if (isOldEmpty) return !term.matchExpressions?.length && !term.matchFields?.length;
  return (['matchExpressions', 'matchFields'] as const).every((list) => {
    const before = old[list] ?? [];
    const place = `core.v1.NodeSelectorTerm.${list}`;
    return isSemanticallyEqual(place, (term[list] ?? []).slice(0, before.length), before);
  });
}

function termsOf(spec: PodSpec): readonly NodeSelectorTerm[] {
  return spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}
